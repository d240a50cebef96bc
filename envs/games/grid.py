"""Cell boards: rows of equal stones, cell names and board symmetries, shared by the games played on
a grid of cells.
"""

from __future__ import annotations

import numpy as np

from ..compiled.kernels import kernel

COLUMN_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # (row step, column step)


@kernel
def count_run(cells, rows, cols, action, row_step, col_step, stone):
    """How many cells in a row hold ``stone``, going from (not counting) the cell ``action`` in one
    direction.
    """
    row, column, length = action // cols + row_step, action % cols + col_step, 0
    while 0 <= row < rows and 0 <= column < cols and cells[row * cols + column] == stone:
        row, column, length = row + row_step, column + col_step, length + 1
    return length


def winning_cells(cells: np.ndarray, connect: int) -> list[tuple[int, int]]:
    """The (row, column) of every cell that lies in a row of ``connect`` or more equal stones;
    ``cells`` is (rows, cols), 0 free.
    """
    rows, cols = cells.shape
    found = set()
    for row, column in zip(*np.nonzero(cells)):
        for row_step, col_step in DIRECTIONS:
            line = [(int(row) + i * row_step, int(column) + i * col_step) for i in range(connect)]
            if all(
                0 <= y < rows and 0 <= x < cols and cells[y, x] == cells[row, column]
                for y, x in line
            ):
                found.update(line)
    return sorted(found)


def cell_name(rows: int, cols: int, action: int) -> str:
    """A cell as people write it: column letter, then the row's number counted from the bottom
    (``a1`` is bottom left).
    """
    return f"{COLUMN_LETTERS[action % cols]}{rows - action // cols}"


def parse_cell(rows: int, cols: int, text: str) -> int:
    """The row-major index of a named cell; ValueError that says what is allowed."""
    name = text.strip()
    column = COLUMN_LETTERS.find(name[:1].lower() if cols <= 26 else name[:1]) if name else -1
    number = int(name[1:]) if name[1:].isascii() and name[1:].isdigit() else 0
    if not (0 <= column < cols and 1 <= number <= rows):
        raise ValueError(
            f"{text!r} is no cell of this board; cells run from a1 to "
            f"{cell_name(rows, cols, cols - 1)}"
        )
    return (rows - number) * cols + column


def cell_symmetries(rows: int, cols: int) -> np.ndarray:
    """The symmetries of a board of cells (8 of a square, 4 of a rectangle) as int16 permutations,
    identity first.
    """
    cells = np.arange(rows * cols, dtype=np.int16).reshape(rows, cols)
    images = [cells, cells[:, ::-1], cells[::-1], cells[::-1, ::-1]]
    if rows == cols:
        images += [image.T for image in images]
    # images[s].flat[i] is the cell that lands on cell i; its inverse says where each cell goes.
    return np.stack([np.argsort(image.ravel()).astype(np.int16) for image in images])


def grid_text(rows: int, cols: int, symbols: str, cells: np.ndarray) -> str:
    """A board of cells as text, with coordinates; ``cells`` (row-major, top row first) index into
    ``symbols``.
    """
    lines = []
    for row in range(rows):
        shown = " ".join(symbols[value] for value in cells[row * cols : (row + 1) * cols])
        lines.append(f"{rows - row:>2} {shown}")
    lines.append("   " + " ".join(COLUMN_LETTERS[:cols]))
    return "\n".join(lines)
