"""Gomoku and caro: five in a row on a large board, in four rule variants.

Rules. Player 0 (black) and player 1 (white) alternate, a stone on any free cell. A row of
``connect`` (five) in any direction wins (+1, −1) as the variant says; a full board is a draw (0).

- ``freestyle``: five or more in a row win.
- ``standard``: exactly five in a row win; six or more do not.
- ``caro``: exactly five in a row win, unless the opponent's stones stand at both ends. The board's
  edge does not block.
- ``caro_overline``: as caro, and six or more in a row win, blocked or not.

Actions. The cell, row-major from the top left. Names run from ``a1`` (bottom left) to ``o15``.

Observation. (size, size, 2): own stones, opponent's stones.

Symmetries. All eight of the square.

Heuristics. ``patterns`` (open and half-open fours, threes, twos, and whose turn it is), ``caro15``
(run lengths), ``caro10`` (windows of five), ``caro15_open`` (run lengths with their free ends); see
:func:`.heuristics.evaluate`.

Sources: the rules of the Gomocup tournament (freestyle, standard, caro); for the three caro
heuristics the course projects this suite started from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import rules as r
from ...boards.stones import (
    DIRECTIONS,
    LONGEST_SIDE,
    POSITION,
    check_connect,
    completes_row,
    count_run,
    legal_actions,
    register_stone_rules,
)
from ...compiled.kernels import inner_kernel, kernel
from ...compiled.scratch import stack_array
from ...declaration import declare_game
from ...specification import Parameter
from .patterns import CARO_OVERLINE, FREESTYLE, STANDARD
from .profile import PROFILE

STONE_COLOURS = ("#24272d", "#f6f4ee")  # of player_0 and player_1


@declare_game(
    name="gomoku",
    version=0,
    profile=PROFILE,
    colours=STONE_COLOURS,
    position=POSITION,
    parameters=(
        Parameter("rows", int, 15, "height of the board", 3, LONGEST_SIDE),
        Parameter("cols", int, 15, "width of the board", 3, LONGEST_SIDE),
        Parameter("connect", int, 5, "stones in a row that win", 3, LONGEST_SIDE),
        Parameter(
            "rule",
            str,
            "freestyle",
            "which rows win",
            choices=("freestyle", "standard", "caro", "caro_overline"),
        ),
    ),
    short_forms=(
        Parameter("size", int, None, "an n×n board", 3, LONGEST_SIDE, stands_for=("rows", "cols")),
    ),
    heuristics=("patterns", "caro15", "caro10", "caro15_open"),
    check=check_connect,
)
class Gomoku(NamedTuple):
    rows: int = 15
    cols: int = 15
    connect: int = 5
    rule: int = FREESTYLE


register_stone_rules(Gomoku)


@kernel
def _is_stone(rules, cells, row, column, stone):
    return (
        0 <= row < rules.rows
        and 0 <= column < rules.cols
        and cells[row * rules.cols + column] == stone
    )


@kernel
def row_wins(rules, cells, action, row_step, col_step):
    """Whether the row through ``action`` wins under the rule variant.

    The row runs in one direction and its opposite.
    """
    stone = cells[action]
    ahead = count_run(cells, rules.rows, rules.cols, action, row_step, col_step, stone)
    behind = count_run(cells, rules.rows, rules.cols, action, -row_step, -col_step, stone)
    length = 1 + ahead + behind
    if length < rules.connect:
        return False
    if length > rules.connect:
        return rules.rule == FREESTYLE or rules.rule == CARO_OVERLINE
    if rules.rule == FREESTYLE or rules.rule == STANDARD:
        return True
    row, column, opponent = action // rules.cols, action % rules.cols, 3 - stone
    blocked_ahead = _is_stone(
        rules, cells, row + (ahead + 1) * row_step, column + (ahead + 1) * col_step, opponent
    )
    blocked_behind = _is_stone(
        rules, cells, row - (behind + 1) * row_step, column - (behind + 1) * col_step, opponent
    )
    return not (blocked_ahead and blocked_behind)


@completes_row.register_body(Gomoku)
def _completes_row(rules, cells, action):
    for row_step, col_step in DIRECTIONS:
        if row_wins(rules, cells, action, row_step, col_step):
            return True
    return False


@inner_kernel
def list_near(rules, stones, radius, out):
    """Write the free cells within ``radius`` rows and columns of a stone into ``out``, ascending.

    ``stones`` holds a bit mask of each row.
    """
    count = 0
    for row in range(rules.rows):
        near = np.int64(0)
        for other in range(max(row - radius, 0), min(row + radius + 1, rules.rows)):
            near |= np.int64(stones[other])
        wide = near
        for shift in range(1, radius + 1):
            wide |= near << shift | near >> shift
        wide &= ~np.int64(stones[row])
        for column in range(rules.cols):
            out[count] = row * rules.cols + column  # overwritten unless the cell counts: no branch
            count += wide >> column & 1
    return count


@r.candidates.register_body(Gomoku)
def candidates(rules, position, radius, out):
    """The free cells at most ``radius`` rows and columns from a stone; or the centre."""
    if radius == 0 or position.winner != r.NOBODY:
        return legal_actions(rules, position, out)
    if position.ply == 0:
        out[0] = rules.rows // 2 * rules.cols + rules.cols // 2
        return 1
    stones = stack_array(LONGEST_SIDE, np.int64)
    stones[:] = 0
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] != 0:
            stones[cell // rules.cols] |= 1 << (cell % rules.cols)
    return list_near(rules, stones, radius, out)
