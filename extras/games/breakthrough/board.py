"""Bitboards and moves of Breakthrough.

Cell (row, column) is bit ``8 * row + column`` on every board, so that one step forward is the same
shift everywhere. Columns beyond the board stay free, and bits beyond the last row meet no piece.
"""

from __future__ import annotations

import numpy as np

from ....envs.compiled.kernels import kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
FIRST_COLUMN = np.uint64(0x0101010101010101)
SEVEN, EIGHT, NINE = np.uint64(7), np.uint64(8), np.uint64(9)
# masks of reversals: single bits, pairs, halves of a row; single rows, pairs of rows
BITS, PAIRS, HALVES = (np.uint64(n) for n in (0x55 * 0x0101010101010101, 0x33 * 0x0101010101010101,
                                              0x0F * 0x0101010101010101))  # fmt: skip
ROWS, ROW_PAIRS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
TWO, FOUR, SIXTEEN, THIRTY_TWO = np.uint64(2), np.uint64(4), np.uint64(16), np.uint64(32)


@kernel
def movable(rules, own, other, player):
    """The player's pieces that may move to the left, straight ahead, and to the right."""
    left = own & ~FIRST_COLUMN
    right = own & ~(FIRST_COLUMN << np.uint64(rules.cols - 1))
    if player == 0:
        return left & ~(own << NINE), own & ~((own | other) << EIGHT), right & ~(own << SEVEN)
    return left & ~(own >> SEVEN), own & ~((own | other) >> EIGHT), right & ~(own >> NINE)


@kernel
def action_of(rules, piece, direction, player):
    """The action of a piece, given by the index of its bit, in a direction (0, 1, 2)."""
    row, column = piece // 8, piece % 8
    block = row - 1 if player == 0 else rules.rows - 1 + row
    return block * (3 * rules.cols - 2) + 3 * column + direction - 1


@kernel
def move_of(rules, action):
    """The player of an action, and the bit indices of its start and end cells."""
    block, place = action // (3 * rules.cols - 2), action % (3 * rules.cols - 2) + 1
    column, aside = place // 3, place % 3 - 1
    if block < rules.rows - 1:
        return 0, 8 * block + 8 + column, 8 * block + column + aside
    row = block - rules.rows + 1
    return 1, 8 * row + column, 8 * row + 8 + column + aside


@kernel
def mirror(rules, pieces):
    """The pieces with left and right exchanged."""
    pieces = ((pieces >> ONE) & BITS) | ((pieces & BITS) << ONE)
    pieces = ((pieces >> TWO) & PAIRS) | ((pieces & PAIRS) << TWO)
    pieces = ((pieces >> FOUR) & HALVES) | ((pieces & HALVES) << FOUR)
    return pieces >> np.uint64(8 - rules.cols)


@kernel
def upside_down(rules, pieces):
    """The pieces with the rows reversed: the board as player 1 sees it."""
    pieces = ((pieces >> EIGHT) & ROWS) | ((pieces & ROWS) << EIGHT)
    pieces = ((pieces >> SIXTEEN) & ROW_PAIRS) | ((pieces & ROW_PAIRS) << SIXTEEN)
    pieces = (pieces >> THIRTY_TWO) | (pieces << THIRTY_TWO)
    return pieces >> np.uint64(64 - 8 * rules.rows)
