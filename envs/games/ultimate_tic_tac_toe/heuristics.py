"""The heuristics of ultimate tic-tac-toe.

Both count lines, of which three pass through a corner of a board, four through the centre and two
through the other places. Most programs do so, with weights of their own: weights of half or twice
as much play equally well.
"""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...compiled.kernels import kernel
from .board import COUNTS, LINES, PLACES, free_places
from .rules import UltimateTicTacToe

LINES_HEURISTIC, BOARDS_HEURISTIC = range(2)  # in the order of the declaration
# points of a line that is open to a side, by how many of its places the side has
SMALL_POINTS = np.array([0, 1, 4], np.int16)
LARGE_POINTS = np.array([0, 30, 120], np.int16)

_SETS = np.arange(1 << PLACES)
_HELD = COUNTS[_SETS[:, None] & LINES]
# for each set of places, the lines that hold one of them, and those that hold 1 or 2, as bits
TOUCHED = ((_HELD > 0) << np.arange(len(LINES))).sum(axis=1).astype(np.int16)
ONES = ((_HELD == 1) << np.arange(len(LINES))).sum(axis=1).astype(np.int16)
TWOS = ((_HELD == 2) << np.arange(len(LINES))).sum(axis=1).astype(np.int16)


@kernel
def small_points(own, other):
    """The points of an unfinished small board for one side: its lines without opponent's marks."""
    free = ~TOUCHED[other]
    return SMALL_POINTS[1] * np.int64(COUNTS[ONES[own] & free]) + SMALL_POINTS[2] * np.int64(
        COUNTS[TWOS[own] & free]
    )


@kernel
def side_points(position, player):
    """``lines`` of one side."""
    own, lost = position.boards[player], np.int64(position.boards[1 - player])
    points = np.zeros(PLACES, np.int64)
    for board in range(PLACES):
        if free_places(position, board) != 0:
            points[board] = small_points(
                position.marks[player, board], position.marks[1 - player, board]
            )
        elif own >> board & 1 == 0:
            lost |= 1 << board
    total = np.int64(0)
    for line in LINES:
        if line & lost == 0:
            total += LARGE_POINTS[COUNTS[line & own]]
            for board in range(PLACES):
                if line >> board & 1:
                    total += points[board]
    return total


@kernel
def board_points(position, player):
    """``boards`` of one side."""
    total = np.int64(0)
    for line in LINES:
        total += COUNTS[line & position.boards[player]]
    return total


@r.evaluate.register_body(UltimateTicTacToe)
def evaluate(rules, position, player, heuristic):
    """The heuristics ``lines`` and ``boards``, each a side's points minus the opponent's.

    ``lines``: for each line of the large board that holds no board which the opponent has won or
    nobody can win any more, 30 points with one own board, 120 with two, and the points of its
    unfinished boards: 1 for each line of theirs with one own mark and none of the opponent's, 4
    with two. ``boards``: for each board won, the lines of the large board through it.
    """
    if heuristic == BOARDS_HEURISTIC:
        return np.int64(board_points(position, player) - board_points(position, 1 - player))
    return np.int64(side_points(position, player) - side_points(position, 1 - player))
