"""Tic-tac-toe and its family, the m,n,k games: a stone on any free cell, ``connect`` in a row win.

Rules. Player 0 (X) and player 1 (O) alternate; X begins. The first with ``connect`` or more stones
in a row, horizontally, vertically or diagonally, wins (+1, −1); a full board is a draw (0).
``size=n`` is short for an n×n board with n in a row.

Actions. The cell, row-major from the top left. People write ``a1`` (bottom left) to e.g. ``c3``.

Observation. (rows, cols, 2): own stones, opponent's stones.

Symmetries. All eight of a square board, four of a rectangle.

Source: van den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", Artificial
Intelligence 134, 2002 (m,n,k).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...boards.grid import COLUMN_LETTERS, cell_areas, cells_in_rows
from ...boards.stones import (
    LONGEST_SIDE,
    POSITION,
    board_cells,
    count_windows,
    register_stone_rules,
)
from ...declaration import declare_game
from ...pictures.drawing import (
    PLAYER_COLOURS,
    Area,
    Line,
    Picture,
    Rectangle,
    Ring,
    Text,
)
from ...specification import Parameter
from .profile import PROFILE

LINES = 0  # heuristics, in the order of the declaration
# of the picture, up to the grid: at the top and right, and at the sides with names
MARGIN, NAMES = 0.2, 0.45


def _expand(given: dict[str, Any]) -> dict[str, Any]:
    """``size`` stands for rows and cols, and for connect where that is not given."""
    size = given.pop("size", None)
    return given if size is None else {"rows": size, "cols": size, "connect": size} | given


def _contract(values: dict[str, Any]) -> dict[str, Any]:
    same = values["rows"] == values["cols"] == values["connect"]
    return {"size": values["rows"]} if same and values["rows"] != 3 else values


def _check(rules: TicTacToe) -> str | None:
    if rules.connect > max(rules.rows, rules.cols):
        return f"{rules.connect} in a row do not fit on {rules.rows} rows and {rules.cols} columns"
    return None


@declare_game(
    name="tic_tac_toe",
    version=0,
    title="Tic-Tac-Toe",
    profile=PROFILE,
    colours=PLAYER_COLOURS,
    position=POSITION,
    parameters=(
        Parameter("rows", int, 3, "height of the board", 1, LONGEST_SIDE),
        Parameter("cols", int, 3, "width of the board", 1, LONGEST_SIDE),
        Parameter("connect", int, 3, "stones in a row that win", 2, LONGEST_SIDE),
    ),
    short_forms=(
        Parameter(
            "size",
            int,
            None,
            "an n×n board with n in a row",
            2,
            LONGEST_SIDE,
            stands_for=("rows", "cols"),
        ),
    ),
    heuristics=("lines",),
    check=_check,
    expand=_expand,
    contract=_contract,
)
class TicTacToe(NamedTuple):
    rows: int = 3
    cols: int = 3
    connect: int = 3


register_stone_rules(TicTacToe)


@r.evaluate.register_body(TicTacToe)
def evaluate(rules, position, player, heuristic):
    """``lines``: lines still open to the player minus lines still open to the opponent."""
    counts = np.zeros((2, rules.connect + 1), np.int64)
    count_windows(rules, position.cells, player, counts)
    return counts[0].sum() - counts[1].sum()


@r.winning_cells.register(TicTacToe)
def winning_cells(rules: TicTacToe, position: Any) -> list[tuple[int, int]]:
    return cells_in_rows(board_cells(rules, position), rules.connect)


@r.action_areas.register(TicTacToe)
def action_areas(rules: TicTacToe) -> list[Area | None]:
    return cell_areas(rules, NAMES, MARGIN)


@r.picture.register(TicTacToe)
def picture(rules: TicTacToe, position: Any, last_action: int | None) -> Picture:
    """Crosses and rings on a paper grid with the cells' names at its sides.

    The last cell is tinted; the cells of the winning row are green.
    """
    cells = board_cells(rules, position)
    margin, names = MARGIN, NAMES
    shapes: list[Any] = []
    if last_action is not None:
        row, column = divmod(last_action, rules.cols)
        shapes.append(
            Rectangle(column + names + 0.04, row + margin + 0.04, 0.92, 0.92, "#e9e1cf", 0.1)
        )
    for row, column in winning_cells(rules, position):
        shapes.append(
            Rectangle(column + names + 0.04, row + margin + 0.04, 0.92, 0.92, "#c5e5c5", 0.1)
        )
    for row in range(1, rules.rows):
        shapes.append(Line(names, row + margin, rules.cols + names, row + margin, "#4a4a4a", 0.03))
    for column in range(1, rules.cols):
        shapes.append(
            Line(column + names, margin, column + names, rules.rows + margin, "#4a4a4a", 0.03)
        )
    for row, column in np.argwhere(cells):
        x, y, arm = column + 0.5 + names, row + 0.5 + margin, 0.26
        if cells[row, column] == 1:
            shapes.append(Line(x - arm, y - arm, x + arm, y + arm, PLAYER_COLOURS[0], 0.11))
            shapes.append(Line(x - arm, y + arm, x + arm, y - arm, PLAYER_COLOURS[0], 0.11))
        else:
            shapes.append(Ring(x, y, arm, PLAYER_COLOURS[1], 0.11))
    for row in range(rules.rows):
        shapes.append(Text(names / 2, row + 0.5 + margin, str(rules.rows - row), "#6b6558", 0.24))
    for column in range(rules.cols):
        shapes.append(
            Text(
                column + 0.5 + names,
                rules.rows + margin + names / 2,
                COLUMN_LETTERS[column],
                "#6b6558",
                0.24,
            )
        )
    return Picture(rules.cols + names + margin, rules.rows + names + margin, shapes)
