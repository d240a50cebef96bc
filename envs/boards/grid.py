"""Boards of cells: their names, areas and symmetries, orders of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.kernels import kernel
from ..pictures.drawing import Area, Shape, Text, name_size, rectangle_area

COLUMN_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def cell_name(rows: int, cols: int, action: int, from_top: bool = False) -> str:
    """The name of a cell: column letter, then row number.

    Rows are counted from the bottom (``a1`` is bottom left) or from the top.
    """
    row = action // cols
    return f"{COLUMN_LETTERS[action % cols]}{row + 1 if from_top else rows - row}"


def parse_cell(rows: int, cols: int, text: str, from_top: bool = False) -> int:
    """The row-major index of a named cell; the ValueError says what is allowed."""
    name = text.strip()
    column = COLUMN_LETTERS.find(name[:1].lower() if cols <= 26 else name[:1]) if name else -1
    number = int(name[1:]) if name[1:].isascii() and name[1:].isdigit() else 0
    if not (0 <= column < cols and 1 <= number <= rows):
        raise ValueError(
            f"{text!r} is no cell of this board; cells run from a1 to "
            f"{COLUMN_LETTERS[cols - 1]}{rows}"
        )
    return (number - 1 if from_top else rows - number) * cols + column


def cell_areas(rules: Any, left: float, top: float) -> list[Area | None]:
    """The areas of the cells of a board, row-major.

    Args:
        rules: the rules of a game that observes as many rows and columns as its board has.
        left: the left edge of the first cell in the picture.
        top: its upper edge.
    """
    rows, cols, _ = r.facts(rules).observation_shape
    return [rectangle_area(left + x, top + y, 1, 1) for y in range(rows) for x in range(cols)]


def with_extra_action(permutations: np.ndarray) -> np.ndarray:
    """Permutations of cells, extended by one action that is its own image.

    ``permutations`` is int16 of shape (symmetries, cells).
    """
    extra = np.full((len(permutations), 1), permutations.shape[1], np.int16)
    return np.hstack([permutations, extra])


@kernel
def sort_by_rank(actions, ranks):
    """Sort the first ``len(ranks)`` actions by ascending rank, both in place.

    Insertion sort, stable.
    """
    for i in range(1, len(ranks)):
        action, rank, j = actions[i], ranks[i], i
        while j > 0 and ranks[j - 1] > rank:
            actions[j], ranks[j] = actions[j - 1], ranks[j - 1]
            j -= 1
        actions[j], ranks[j] = action, rank


def cell_symmetries(rows: int, cols: int) -> np.ndarray:
    """The symmetries of a board of cells as int16 permutations, identity first.

    A square has 8, a rectangle 4.
    """
    cells = np.arange(rows * cols, dtype=np.int16).reshape(rows, cols)
    images = [cells, cells[:, ::-1], cells[::-1], cells[::-1, ::-1]]
    if rows == cols:
        images += [image.T for image in images]
    # images[s].flat[i] is the cell mapped to cell i; the inverse maps each cell to its image.
    return np.stack([np.argsort(image.ravel()).astype(np.int16) for image in images])


def names_at_the_sides(rows: int, cols: int, margin: float, from_top: bool = False) -> list[Shape]:
    """Column letters, next to row 1, and row numbers, left of the rows of a board.

    The board begins ``margin`` from the upper left corner of its picture.
    """
    height = margin / 2 if from_top else 1.5 * margin + rows
    size = name_size(cols + 2 * margin, rows + 2 * margin)
    letters: list[Shape] = [
        Text(margin + column + 0.5, height, COLUMN_LETTERS[column], "#6b6558", size)
        for column in range(cols)
    ]
    numbers = range(1, rows + 1) if from_top else range(rows, 0, -1)
    return letters + [
        Text(margin / 2, margin + row + 0.5, str(number), "#6b6558", size)
        for row, number in enumerate(numbers)
    ]
