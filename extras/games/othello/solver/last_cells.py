"""The last one to four free cells of Othello, without a stack: a function for each number.

Each searches a null window: is the value more than ``alpha``? The returned value is a lower bound
if it is, an upper bound if not. Cells without an adjacent disc of the opponent are skipped. Each
function also returns the number of visited positions.
"""

from __future__ import annotations

from .....envs.compiled.bits import count_bits, lowest_bit_index
from .....envs.compiled.kernels import inner_kernel, kernel
from ..board import ONE, ZERO
from .board import difference, final_margin
from .lanes import RAYS, turned_discs

LOWEST = -128  # below every value


@inner_kernel
def _last_cell(board, own, other, cell):
    """The value of a position with one free cell."""
    ahead = difference(own, other)
    flips = count_bits(turned_discs(RAYS, cell, own, other))
    if flips > 0:
        return ahead + 2 * flips + 1
    flips = count_bits(turned_discs(RAYS, cell, other, own))
    return ahead - 2 * flips - 1 if flips > 0 else final_margin(board, own, other)


@inner_kernel
def _last_two(board, own, other, first, second, alpha):
    """The value of a position with two free cells."""
    nodes, sign = 1, 1
    for _ in range(2):
        best = LOWEST
        for _ in range(2):
            if board.neighbours[first] & other != ZERO:
                flips = turned_discs(RAYS, first, own, other)
                if flips != ZERO:
                    nodes += 1
                    after = own ^ flips | (ONE << first)
                    best = max(best, -_last_cell(board, other ^ flips, after, second))
                    if best > alpha:
                        break
            first, second = second, first
        if best != LOWEST:
            return sign * best, nodes
        own, other, alpha, sign = other, own, -alpha - 1, -sign
    return final_margin(board, own, other), nodes


@kernel
def _last_three(board, own, other, first, second, third, alpha):
    """The value of a position with three free cells; a single cell in a quadrant comes first."""
    if board.quadrants[first] == board.quadrants[second]:
        first, third = third, first
    elif board.quadrants[first] == board.quadrants[third]:
        first, second = second, first
    nodes, sign = 1, 1
    for _ in range(2):
        best = LOWEST
        for _ in range(3):
            if board.neighbours[first] & other != ZERO:
                flips = turned_discs(RAYS, first, own, other)
                if flips != ZERO:
                    after = own ^ flips | (ONE << first)
                    value, visits = _last_two(
                        board, other ^ flips, after, second, third, -alpha - 1
                    )
                    nodes += visits
                    best = max(best, -value)
                    if best > alpha:
                        break
            first, second, third = second, third, first
        if best != LOWEST:
            return sign * best, nodes
        own, other, alpha, sign = other, own, -alpha - 1, -sign
    return final_margin(board, own, other), nodes


@kernel
def last_four(board, own, other, odd, alpha):
    """The value of a position with four free cells; cells in odd quadrants come first."""
    free = board.cells & ~(own | other)
    cells = free & board.quadrant_cells[odd]
    a = _next_cell(cells, free)
    free &= ~(ONE << a)
    b = _next_cell(cells, free)
    free &= ~(ONE << b)
    c = _next_cell(cells, free)
    free &= ~(ONE << c)
    d = lowest_bit_index(free)
    nodes, sign = 1, 1
    for _ in range(2):
        best = LOWEST
        for _ in range(4):
            if board.neighbours[a] & other != ZERO:
                flips = turned_discs(RAYS, a, own, other)
                if flips != ZERO:
                    after = own ^ flips | (ONE << a)
                    value, visits = _last_three(board, other ^ flips, after, b, c, d, -alpha - 1)
                    nodes += visits
                    best = max(best, -value)
                    if best > alpha:
                        break
            a, b, c, d = b, c, d, a
        if best != LOWEST:
            return sign * best, nodes
        own, other, alpha, sign = other, own, -alpha - 1, -sign
    return final_margin(board, own, other), nodes


@inner_kernel
def _next_cell(first, free):
    """The lowest free cell of ``first``, or of ``free`` if there is none."""
    return lowest_bit_index(first & free if first & free != ZERO else free)


@kernel
def last_few(board, own, other, odd, alpha):
    """The value of a position with at most four free cells."""
    free = board.cells & ~(own | other)
    count = count_bits(free)
    if count == 4:
        return last_four(board, own, other, odd, alpha)
    if count == 0:
        return difference(own, other), 0
    a = lowest_bit_index(free)
    if count == 1:
        return _last_cell(board, own, other, a), 0
    b = lowest_bit_index(free & (free - ONE))
    if count == 2:
        value, visits = _last_two(board, own, other, a, b, alpha)
    else:
        c = lowest_bit_index(free & ~(ONE << a | ONE << b))
        value, visits = _last_three(board, own, other, a, b, c, alpha)
    return value, visits
