"""Boards of cells: rows of equal stones, names of cells, symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.kernels import kernel
from ..declaration import Bound, Complexity
from ..pictures.drawing import Area, Shape, Text, rectangle_area

COLUMN_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # (row step, column step)


@kernel
def count_run(cells, rows, cols, action, row_step, col_step, stone):
    """The number of cells in a row that hold ``stone``, from ``action`` in one direction.

    The cell ``action`` itself is not counted.
    """
    row, column, length = action // cols + row_step, action % cols + col_step, 0
    while 0 <= row < rows and 0 <= column < cols and cells[row * cols + column] == stone:
        row, column, length = row + row_step, column + col_step, length + 1
    return length


def cell_name(rows: int, cols: int, action: int, from_top: bool = False) -> str:
    """The name of a cell: column letter, then row number.

    Rows are counted from the bottom (``a1`` is bottom left) or from the top.
    """
    row = action // cols
    return f"{COLUMN_LETTERS[action % cols]}{row + 1 if from_top else rows - row}"


def parse_cell(rows: int, cols: int, text: str, from_top: bool = False) -> int:
    """The row-major index of a named cell; ValueError that says what is allowed."""
    name = text.strip()
    column = COLUMN_LETTERS.find(name[:1].lower() if cols <= 26 else name[:1]) if name else -1
    number = int(name[1:]) if name[1:].isascii() and name[1:].isdigit() else 0
    if not (0 <= column < cols and 1 <= number <= rows):
        raise ValueError(
            f"{text!r} is no cell of this board; cells run from a1 to "
            f"{COLUMN_LETTERS[cols - 1]}{rows}"
        )
    return (number - 1 if from_top else rows - number) * cols + column


def register_lettered_actions(rules_type: Any, kind: str) -> None:
    """Register the names of actions that are letters, from ``a`` on.

    Args:
        rules_type: of the game.
        kind: what an action is, such as a column.
    """

    def text_to_action(rules: Any, text: str) -> int:
        count, name = r.facts(rules).num_actions, text.strip()
        letter = name.lower() if count <= 26 else name
        if len(name) == 1 and letter in COLUMN_LETTERS[:count]:
            return COLUMN_LETTERS.index(letter)
        last = COLUMN_LETTERS[count - 1]
        raise ValueError(f"{text!r} is no {kind} of this board; {kind}s are a to {last}")

    r.action_to_text.register(rules_type)(lambda rules, action: COLUMN_LETTERS[action])
    r.text_to_action.register(rules_type)(text_to_action)


def row_major_cells(rules: Any) -> np.ndarray:
    """``action_cells`` of a game whose actions are the cells, row-major.

    The game may have one more action, which has no place.
    """
    facts = r.facts(rules)
    rows, cols, _ = facts.observation_shape
    cells = np.full((facts.num_actions, 3), -1, np.int16)
    cells[: rows * cols, :2] = np.argwhere(np.ones((rows, cols)))
    cells[: rows * cols, 2] = 0
    return cells


def cell_areas(rules: Any, left: float, top: float) -> list[Area | None]:
    """The areas of a game whose actions are the cells of a grid, row-major.

    Args:
        rules: of the game, which may have one more action, without a place.
        left: the left edge of the first cell in the picture.
        top: its upper edge.
    """
    facts = r.facts(rules)
    rows, cols, _ = facts.observation_shape
    areas: list[Area | None] = [
        rectangle_area(left + column, top + row, 1, 1)
        for row in range(rows)
        for column in range(cols)
    ]
    return areas + [None] * (facts.num_actions - len(areas))


def seen_cells(rules: Any, position: Any) -> np.ndarray:
    """The board as (rows, cols): 0 free, 1 and 2 the players' stones.

    It serves games that observe own and opponent's stones in the first two planes.
    """
    planes = np.zeros(r.facts(rules).observation_shape, np.int8)
    r.observe(rules, position, 0, planes)
    cells: np.ndarray = planes[..., 0] + 2 * planes[..., 1]
    return cells


def cells_complexity(
    cells: int, positions_each: int = 1, fewer_each_ply: bool = False
) -> Complexity:
    """The complexity of a game whose cells are free or taken by one of the players.

    Args:
        cells: how many there are.
        positions_each: how many positions may have the same cells.
        fewer_each_ply: see :class:`~plyground.envs.declaration.Complexity`.
    """
    formula = f"{f'{positions_each} x ' if positions_each > 1 else ''}3^{cells}"
    states = Bound("states, at most", formula, positions_each * 3**cells)
    return Complexity((Bound("cells", "", cells),), states, fewer_each_ply)


def register_named_cells(rules_type: Any, extra: str = "", from_top: bool = False) -> None:
    """Register the rules about names and places of actions for games of stones on cells.

    Args:
        rules_type: of the game. Its actions are the cells, row-major, and perhaps one more.
        extra: the name of the action after the last cell.
        from_top: whether rows are numbered from the top.
    """

    def action_to_text(rules: Any, action: int) -> str:
        rows, cols, _ = r.facts(rules).observation_shape
        return extra if action == rows * cols else cell_name(rows, cols, action, from_top)

    def text_to_action(rules: Any, text: str) -> int:
        rows, cols, _ = r.facts(rules).observation_shape
        if text.strip().lower() == extra and r.facts(rules).num_actions > rows * cols:
            return int(rows * cols)
        return parse_cell(rows, cols, text, from_top)

    r.action_to_text.register(rules_type)(action_to_text)
    r.text_to_action.register(rules_type)(text_to_action)
    r.action_cells.register(rules_type)(row_major_cells)


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
    # images[s].flat[i] is the cell that lands on cell i; its inverse says where each cell goes.
    return np.stack([np.argsort(image.ravel()).astype(np.int16) for image in images])


def grid_text(
    rows: int, cols: int, symbols: str, cells: np.ndarray, from_top: bool = False, slant: int = 0
) -> str:
    """A board of cells as text, with coordinates.

    Args:
        rows: height of the board.
        cols: width of the board.
        symbols: what ``cells`` (row-major, top row first) index into.
        cells: the board.
        from_top: whether rows are numbered from the top.
        slant: by how many characters each row is moved to the right of the one above.
    """
    lines = []
    for row in range(rows):
        row_text = " ".join(symbols[value] for value in cells[row * cols : (row + 1) * cols])
        lines.append(f"{' ' * slant * row}{row + 1 if from_top else rows - row:>2} {row_text}")
    letters = "   " + " ".join(COLUMN_LETTERS[:cols])
    return "\n".join([letters, *lines] if from_top else [*lines, letters])


def names_at_the_sides(rows: int, cols: int, margin: float, from_top: bool = False) -> list[Shape]:
    """Letters of the columns, beside the row of number 1, and numbers left of the rows of a board.

    The board begins ``margin`` from the upper left corner of its picture.
    """
    height = margin / 2 if from_top else 1.5 * margin + rows
    letters: list[Shape] = [
        Text(margin + column + 0.5, height, COLUMN_LETTERS[column], "#6b6558", 0.3)
        for column in range(cols)
    ]
    return letters + [
        Text(
            margin / 2,
            margin + row + 0.5,
            str(row + 1 if from_top else rows - row),
            "#6b6558",
            0.3,
        )
        for row in range(rows)
    ]
