"""The heuristics of ultimate tic-tac-toe.

Both count lines: three through each corner of a board, four through the centre and two through the
other places. Most programs do so with other weights; half or double weights play equally well.
"""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import kernel
from .board import COUNTS, LINES, PLACES, free_places
from .rules import UltimateTicTacToe

LINES_HEURISTIC, BOARDS_HEURISTIC = range(2)  # in the order of the declaration
# points of an open line with one own place, or two
SMALL_ONE, SMALL_TWO = 1, 4
LARGE_ONE, LARGE_TWO = 30, 120

_SETS = np.arange(1 << PLACES)
_HELD = COUNTS[_SETS[:, None] & LINES]
_LINE_BITS = 1 << np.arange(len(LINES))
# for each set of places the lines with at least one of them, exactly one, and two, as bits
TOUCHED = ((_HELD > 0) * _LINE_BITS).sum(axis=1).astype(np.int16)
ONES = ((_HELD == 1) * _LINE_BITS).sum(axis=1).astype(np.int16)
TWOS = ((_HELD == 2) * _LINE_BITS).sum(axis=1).astype(np.int16)


@kernel
def line_points(places, lines, one, two):
    """The points of a side with these places on its open lines."""
    return one * np.int64(COUNTS[ONES[places] & lines]) + two * np.int64(
        COUNTS[TWOS[places] & lines]
    )


@kernel
def side_points(position, player):
    """``lines`` of one side."""
    own, lost, unfinished = position.boards[player], np.int64(0), np.int64(0)
    for board in range(PLACES):
        if free_places(position, board) != 0:
            unfinished |= 1 << board
        elif own >> board & 1 == 0:
            lost |= 1 << board
    lines = ~TOUCHED[lost]
    total = line_points(own, lines, LARGE_ONE, LARGE_TWO)
    for board in range(PLACES):
        if unfinished >> board & 1:
            open_lines = ~TOUCHED[position.marks[1 - player, board]]
            points = line_points(position.marks[player, board], open_lines, SMALL_ONE, SMALL_TWO)
            total += points * np.int64(COUNTS[TOUCHED[1 << board] & lines])
    return total


@kernel
def _board_points(position, player):
    """``boards`` of one side."""
    total = np.int64(0)
    for line in LINES:
        total += COUNTS[line & position.boards[player]]
    return total


@r.evaluate.register_body(UltimateTicTacToe)
def evaluate(rules, position, player, heuristic):
    """The heuristics ``lines`` and ``boards``, each a side's points minus the opponent's.

    ``lines``: for each line of the large board without a drawn board or a board of the opponent, 30
    points with one own board, 120 with two, and the points of its unfinished boards: 1 for each of
    their lines with one own mark and none of the opponent's, 4 with two. ``boards``: for each won
    board, the number of lines of the large board through it.
    """
    if heuristic == BOARDS_HEURISTIC:
        return np.int64(_board_points(position, player) - _board_points(position, 1 - player))
    return np.int64(side_points(position, player) - side_points(position, 1 - player))
