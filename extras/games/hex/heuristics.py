"""The heuristic of Hex: the number of stones that each side needs to connect."""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import inner_kernel, kernel
from .rules import Hex

# A set of cells is four words of four rows, 16 bits each. Row 0 is a player's first edge, then come
# the rows of the board in the direction that the player connects, then the far edge.
NONE, ONE, ROW, ROWS = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(48)
FIRST_EDGE = np.uint64(0xFFFF)


@kernel
def _four_rows(rules, position, player, word):
    """The player's stones and the free cells among four rows; both edges are own stones."""
    own, free = NONE, NONE
    along, across = (rules.size, 1) if player == 0 else (1, rules.size)
    for row in range(4 * word, min(4 * word + 4, rules.size + 2)):
        bit = ONE << np.uint64(16 * (row - 4 * word))
        if row == 0 or row == rules.size + 1:
            own |= bit * FIRST_EDGE
            continue
        for column in range(rules.size):
            stone = position.cells[(row - 1) * along + column * across]
            own |= bit if stone == player + 1 else NONE
            free |= bit if stone == 0 else NONE
            bit <<= ONE
    return own, free


@inner_kernel
def _with_neighbours(before, rows, after):
    """Four rows of a set and its neighbours, given the four rows before and after them."""
    down = (rows | (rows >> ONE)) << ROW | (before | (before >> ONE)) >> ROWS
    up = (rows | (rows << ONE)) >> ROW | (after | (after << ONE)) << ROWS
    return rows | (rows << ONE) | (rows >> ONE) | down | up


@kernel
def missing_stones(rules, position, player):
    """The number of stones that the player needs to connect if the opponent passes.

    Breadth-first search from the first edge to the far edge, where free cells cost 1 and own stones
    nothing. The number of cells if there is no path.
    """
    own_0, free_0 = _four_rows(rules, position, player, 0)
    own_1, free_1 = _four_rows(rules, position, player, 1)
    own_2, free_2 = _four_rows(rules, position, player, 2)
    own_3, free_3 = _four_rows(rules, position, player, 3)
    far = rules.size + 1
    shift = np.uint64(16 * (far & 3))
    a, b, c, d, stones = FIRST_EDGE, NONE, NONE, NONE, 0
    while True:
        next_a, next_b = _with_neighbours(NONE, a, b), _with_neighbours(a, b, c)
        next_c, next_d = _with_neighbours(b, c, d), _with_neighbours(c, d, NONE)
        more_a, more_b = next_a & own_0 & ~a, next_b & own_1 & ~b
        more_c, more_d = next_c & own_2 & ~c, next_d & own_3 & ~d
        if more_a | more_b | more_c | more_d == NONE:
            last = a if far < 4 else b if far < 8 else c if far < 12 else d
            if last >> shift != NONE:
                return stones
            more_a, more_b = next_a & free_0 & ~a, next_b & free_1 & ~b
            more_c, more_d = next_c & free_2 & ~c, next_d & free_3 & ~d
            if more_a | more_b | more_c | more_d == NONE:
                return rules.size * rules.size
            stones += 1
        a, b, c, d = a | more_a, b | more_b, c | more_c, d | more_d


@r.evaluate.register_body(Hex)
def evaluate(rules, position, player, heuristic):
    """``distance``: 100 for each stone that the player needs less than the opponent to connect."""
    lead = missing_stones(rules, position, 1 - player) - missing_stones(rules, position, player)
    return np.int64(100 * lead)
