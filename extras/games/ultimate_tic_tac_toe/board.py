"""Boards of three by three places as sets of nine bits, for the small boards and the large one.

A place (row, column) is bit ``3 * row + column``. Tables give the properties of each set.
"""

from __future__ import annotations

import numpy as np

from ....envs.compiled.kernels import kernel

PLACES = 9
ALL = (1 << PLACES) - 1
# three in a row: rows, columns, diagonals
LINES = np.array([0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124], np.int16)

_SETS = np.arange(1 << PLACES)
_BITS = _SETS[:, None] >> np.arange(PLACES) & 1
WON = ((_SETS[:, None] & LINES) == LINES).any(axis=1)  # whether a set has three in a row
COUNTS = _BITS.sum(axis=1).astype(np.int8)
MEMBERS = np.argsort(-_BITS, axis=1, kind="stable").astype(np.int8)  # ascending, then the others

_ROWS, _COLUMNS = np.divmod(np.arange(PLACES), 3)
# the action of a cell, by small board and place
ACTIONS = (
    27 * _ROWS[:, None] + 9 * _ROWS + 3 * _COLUMNS[:, None] + _COLUMNS
).astype(np.int16)  # fmt: skip


@kernel
def board_of(action):
    """The small board of a cell of the grid."""
    return action // 27 * 3 + action % 9 // 3


@kernel
def place_of(action):
    """The place of a cell of the grid in its small board."""
    return action // 9 % 3 * 3 + action % 3


@kernel
def free_places(position, board):
    """The free places of a small board; none if it is won."""
    if (position.boards[0] | position.boards[1]) >> board & 1:
        return np.int64(0)
    return np.int64(ALL & ~(position.marks[0, board] | position.marks[1, board]))


@kernel
def open_boards(position, place):
    """The small boards that are open after a move on ``place``."""
    if free_places(position, place) != 0:
        return np.int64(1 << place)
    boards = np.int64(0)
    for board in range(PLACES):
        if free_places(position, board) != 0:
            boards |= 1 << board
    return boards


@kernel
def _sends_to(position, place, mover):
    """Whether a last move on ``place`` can have led to ``position.open`` for the mover.

    The opponent must have a mark there, on a board that was open, in an unfinished game.
    """
    if position.open != 0 and position.open != open_boards(position, place):
        return False
    for board in range(PLACES):
        before = position.marks[1 - mover, board] & ~(1 << place)
        boards_before = position.boards[1 - mover] & ~(1 << board)
        if (
            before != position.marks[1 - mover, board]
            and not WON[before]
            and position.boards[mover] >> board & 1 == 0
            and not WON[boards_before]
        ):
            return True
    return False


@kernel
def is_reached(position, mover):
    """Whether a last move can have led to these marks, boards and ``position.open``."""
    marked, is_full = np.int64(0), True
    for board in range(PLACES):
        marked |= position.marks[0, board] | position.marks[1, board]
        is_full &= free_places(position, board) == 0
    is_over = is_full or WON[position.boards[0]] or WON[position.boards[1]]
    if position.boards[0] & position.boards[1] or WON[position.boards[mover]]:
        return False
    if is_over != (position.open == 0):
        return False
    if marked == 0:
        return position.open == ALL
    for place in range(PLACES):
        if _sends_to(position, place, mover):
            return True
    return False
