"""The heuristic of Hex: the number of stones that each side needs to connect."""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import inner_kernel, kernel
from ....envs.compiled.scratch import stack_array
from .rules import Hex

# A set of cells is four words of four rows, 16 bits each. Row 0 is a player's first edge, then come
# the rows of the board in the direction that the player connects, then the far edge.
NONE, ONE, ROW, ROWS = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(48)
FIRST_EDGE = np.uint64(0xFFFF)
WORDS = 4
SEVEN, EIGHT, SMALL = np.uint64(7), np.uint64(8), 7


@inner_kernel
def _write_rows(rules, position, player, own, free):
    """Write the player's stones and the free cells, four words each; both edges are own stones."""
    for word in range(WORDS):
        own[word], free[word] = NONE, NONE
    own[0], far = FIRST_EDGE, rules.size + 1
    own[far >> 2] |= FIRST_EDGE << np.uint64(16 * (far & 3))
    cell, along, across = 0, 1 - player, player
    for i in range(rules.size):
        for j in range(rules.size):
            stone = position.cells[cell]
            cell += 1
            if stone != 2 - player:  # no stone of the opponent
                row, column = i * along + j * across + 1, i * across + j * along
                bit = ONE << np.uint64(16 * (row & 3) + column)
                if stone == 0:
                    free[row >> 2] |= bit
                else:
                    own[row >> 2] |= bit


@inner_kernel
def _with_neighbours(before, rows, after):
    """Four rows of a set and its neighbours, given the four rows before and after them."""
    down = (rows | (rows >> ONE)) << ROW | (before | (before >> ONE)) >> ROWS
    up = (rows | (rows << ONE)) >> ROW | (after | (after << ONE)) << ROWS
    return rows | (rows << ONE) | (rows >> ONE) | down | up


@kernel
def _missing_on_small_boards(rules, position, player):
    """As :func:`missing_stones` where the cells are one word: eight bits for each row crossed."""
    own, free, cell = NONE, NONE, 0
    along, across = (1, 8) if player else (8, 1)
    for row in range(rules.size):
        for column in range(rules.size):
            bit, stone = ONE << np.uint64(row * along + column * across), position.cells[cell]
            own |= bit if stone == player + 1 else NONE
            free |= bit if stone == 0 else NONE
            cell += 1
    first = (ONE << np.uint64(rules.size)) - ONE
    last, cells, stones = first << np.uint64(8 * rules.size - 8), NONE, 0
    while True:
        after = first | (cells << EIGHT) | (cells >> EIGHT) | (cells << ONE) | (cells >> ONE)
        after |= (cells << SEVEN) | (cells >> SEVEN)
        more = after & own & ~cells
        if more == NONE:
            if cells & last != NONE:
                return stones
            more = after & free & ~cells
            if more == NONE:
                return rules.size * rules.size
            stones += 1
        cells |= more


@kernel
def missing_stones(rules, position, player):
    """The number of stones that the player needs to connect if the opponent passes.

    Breadth-first search from the first edge to the far edge, where free cells cost 1 and own stones
    nothing. The number of cells if there is no path.
    """
    if rules.size <= SMALL:
        return _missing_on_small_boards(rules, position, player)
    own, free = stack_array(WORDS, np.uint64), stack_array(WORDS, np.uint64)
    _write_rows(rules, position, player, own, free)
    own_0, own_1, own_2, own_3 = own[0], own[1], own[2], own[3]
    free_0, free_1, free_2, free_3 = free[0], free[1], free[2], free[3]
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
