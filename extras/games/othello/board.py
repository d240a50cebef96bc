"""Bitboards of Othello: a cell (row, column) is bit ``8 * row + column`` on every board."""

from __future__ import annotations

import numpy as np

from ....envs.compiled.kernels import kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)  # columns where discs can be enclosed sideways
# steps to the right, down-left, down and down-right; right shifts are the opposite steps
STEPS = (np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9))
DOWN = np.uint64(8)


@kernel
def cell_bit(rules, action):
    """The bit of a cell, given by its action."""
    return ONE << np.uint64(8 * (action // rules.size) + action % rules.size)


@kernel
def enclosed(own, other, step):
    """The opponent's discs in unbroken rows from own discs, backwards and forwards by a step.

    A fill of at most six discs in a row. On narrow boards it stays on the board, as there are no
    discs beyond the edge.
    """
    inner = other if step == DOWN else other & INNER_COLUMNS
    back, forth = (own >> step) & inner, (own << step) & inner
    for _ in range(5):
        back |= (back >> step) & inner
        forth |= (forth << step) & inner
    return back, forth


@kernel
def open_cells(rules, own, other):
    """The free cells where a disc of ``own`` turns at least one disc of ``other``."""
    cells = ZERO
    for step in STEPS:
        back, forth = enclosed(own, other, step)
        cells |= (back >> step) | (forth << step)
    board = ZERO
    for row in range(rules.size):
        board |= ((ONE << np.uint64(rules.size)) - ONE) << np.uint64(8 * row)
    return cells & board & ~(own | other)


@kernel
def turned_discs(disc, own, other):
    """The discs of ``other`` that a disc of ``own`` on the cell ``disc`` turns over."""
    discs = ZERO
    for step in STEPS:
        back, forth = enclosed(disc, other, step)
        if (back >> step) & own != ZERO:
            discs |= back
        if (forth << step) & own != ZERO:
            discs |= forth
    return discs


@kernel
def image_of(rules, board, permutation):
    """A bitboard under a permutation of the cells."""
    image = ZERO
    for action in range(rules.size * rules.size):
        if board & cell_bit(rules, action) != ZERO:
            image |= cell_bit(rules, np.int64(permutation[action]))
    return image
