"""Tic-tac-toe and its family, the m,n,k games: a stone on any free cell, ``connect`` in a row win.

Rules. Player 0 (X) and player 1 (O) alternate; X begins. The first with ``connect`` or more stones
in a row, horizontally, vertically or diagonally, wins (+1, −1); a full board is a draw (0).
``size=n`` is short for an n×n board with n in a row.

Actions. The cell, row-major from the top left. Names run from ``a1`` (bottom left) to ``c3``.

Observation. (rows, cols, 2): own stones, opponent's stones.

Symmetries. All eight of a square board, four of a rectangle.

Source: van den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", Artificial
Intelligence 134, 2002 (m,n,k).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...boards.bitboards import (
    ONE,
    ZERO,
    StoneGrid,
    count_lines,
    new_grid,
    points_of_moves,
    stone_grid,
    stones,
)
from ...boards.stones import (
    COUNTS,
    LONGEST_SIDE,
    POSITION,
    check_connect,
    count_windows,
    register_stone_rules,
)
from ...compiled.kernels import inner_kernel
from ...compiled.scratch import stack_array
from ...declaration import declare_game
from ...pictures.drawing import PLAYER_COLOURS
from ...specification import Parameter
from .profile import PROFILE


def _expand(values: dict[str, Any]) -> dict[str, Any]:
    """``size`` stands for rows and cols, and for connect unless that is given."""
    size = values.pop("size", None)
    return values if size is None else {"rows": size, "cols": size, "connect": size} | values


def _contract(values: dict[str, Any]) -> dict[str, Any]:
    same = values["rows"] == values["cols"] == values["connect"]
    return {"size": values["rows"]} if same and values["rows"] != 3 else values


@declare_game(
    name="tic_tac_toe",
    version=0,
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
    check=check_connect,
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
    counts = stack_array((2, COUNTS), np.int64)
    counts[:] = 0
    count_windows(rules, position.cells, player, counts)
    return counts[0].sum() - counts[1].sum()


@stone_grid.register(TicTacToe)
def grid(rules: TicTacToe) -> StoneGrid | None:
    return new_grid(rules, falls=False)


@stones.register_body(TicTacToe)
@inner_kernel
def _stones(rules, position):
    own, other, cell, player = ZERO, ZERO, 0, position.ply & 1
    for row in range(rules.rows):
        for column in range(rules.cols):
            bit = ONE << np.uint64(column * (rules.rows + 1) + row)
            stone = position.cells[cell]
            own |= bit if stone == player + 1 else ZERO
            other |= bit if stone == 2 - player else ZERO
            cell += 1
    return own, other


@inner_kernel
def _points_of_cells(grid, connect, own, other, masks, points):
    """``lines`` for all cells at once, vectorised if ``connect`` is a constant."""
    open_lines = count_lines(grid.board & ~other, grid.rows, connect)
    for move in range(points.size):
        cells = grid.board & ~(own | masks[move])
        points[move] = open_lines - count_lines(cells, grid.rows, connect)


@points_of_moves.register_body(TicTacToe)
@inner_kernel
def _points_of_moves(rules, grid, own, other, other_wins, player, masks, points):
    if grid.connect == 3:
        _points_of_cells(grid, 3, own, other, masks, points)
    elif grid.connect == 4:
        _points_of_cells(grid, 4, own, other, masks, points)
    elif grid.connect == 5:
        _points_of_cells(grid, 5, own, other, masks, points)
    else:
        _points_of_cells(grid, grid.connect, own, other, masks, points)
