"""Bitboards of the Hex solver, and its dead and captured cells.

A stone is dead if it cannot change who connects: then it counts as a stone of either side. Two
adjacent free cells are captured by a side if it can answer an opponent's stone on one of them by a
stone on the other that makes the first dead: then both count as stones of this side. Both depend
only on the six cells around a cell: it is dead if its neighbours of each side form one chain around
it, however its free neighbours are filled.

Sources: Hayward, van Rijswijck, "Hex and combinatorics", 2006 (dead and captured cells); Björnsson,
Hayward, Johanson, van Rijswijck, "Dead cell analysis in Hex and the Shannon game", 2007.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from .....envs.compiled.bits import lowest_bit_index
from .....envs.compiled.kernels import inner_kernel
from ..inferior import DEAD as DEAD_BY_SIDES
from ..rules import Hex

ZERO, ONE = np.uint64(0), np.uint64(1)
BIT = np.array([1 << cell for cell in range(64)], np.uint64)
MOST_CELLS = 64
# (row, column) steps to the neighbours, in their order around a cell
AROUND = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))
PLACE = np.array([3**number for number in range(6)], np.int64)  # value of a neighbour in a code


def _dead_by_code() -> np.ndarray:
    """Whether a cell is dead, by the code of its neighbours: 0 free, 1 and 2 the sides' stones."""
    digits = np.arange(3**6)[:, None] // PLACE % 3
    first, second = ((digits == side) @ (1 << np.arange(6)) for side in (1, 2))
    dead: np.ndarray = DEAD_BY_SIDES[first, second]
    return dead


DEAD = _dead_by_code()


class HexBoard(NamedTuple):
    """The constants of a board size.

    Attributes:
        cells: number of cells.
        all_cells: the set of all cells.
        around: int64 (cells, 6): the neighbours in their order around each cell, −1 off the board.
        frame: int64 (cells,): the part of the code of each cell that lies off the board.
        beside: uint64 (cells,): the neighbours of each cell.
        edges: uint64 (2, 2): the cells on the first and second edge of each side.
    """

    cells: int
    all_cells: np.uint64
    around: Any
    frame: Any
    beside: Any
    edges: Any


def make_board(rules: Hex) -> HexBoard:
    """The board of a game of at most 64 cells."""
    size = int(rules.size)
    cells = size * size
    around, frame = np.full((cells, 6), -1, np.int64), np.zeros(cells, np.int64)
    beside = np.zeros(cells, np.uint64)
    for cell, (number, step) in itertools.product(range(cells), enumerate(AROUND)):
        row, column = cell // size + step[0], cell % size + step[1]
        if 0 <= row < size and 0 <= column < size:
            around[cell, number] = row * size + column
            beside[cell] |= BIT[row * size + column]
        else:
            # The side that owns the edge. Beyond a corner either will do.
            frame[cell] += PLACE[number] * (2 if 0 <= row < size else 1)
    rows = [sum(1 << row * size + column for column in range(size)) for row in (0, size - 1)]
    columns = [sum(1 << row * size + column for row in range(size)) for column in (0, size - 1)]
    return HexBoard(
        cells,
        np.uint64((1 << cells) - 1),
        around,
        frame,
        beside,
        np.array([rows, columns], np.uint64),
    )


@inner_kernel
def code_of(board, first, second, cell):
    """The neighbours of a cell as a number to base 3."""
    code = board.frame[cell]
    for number in range(6):
        other = board.around[cell, number]
        if other >= 0:
            if first & BIT[other] != ZERO:
                code += PLACE[number]
            elif second & BIT[other] != ZERO:
                code += 2 * PLACE[number]
    return code


@inner_kernel
def neighbours_of(board, cells):
    """All neighbours of a set of cells."""
    near = ZERO
    while cells != ZERO:
        near |= board.beside[lowest_bit_index(cells)]
        cells &= cells - ONE
    return near


@inner_kernel
def fill(board, first, second, look):
    """The stones of both sides after filling dead and captured cells, and each side's captures.

    ``look`` is the set of cells that may be dead or captured now: the latest stone's neighbours.
    """
    captures_1, captures_2 = ZERO, ZERO
    while True:
        look &= ~(first | second)
        if look == ZERO:
            break
        cell = lowest_bit_index(look)
        look &= look - ONE
        code = code_of(board, first, second, cell)
        if DEAD[code]:
            first |= BIT[cell]
            look |= board.beside[cell]
            continue
        for number in range(6):
            other = board.around[cell, number]
            if other < 0 or (first | second) & BIT[other] != ZERO:
                continue
            by_1, by_2 = DEAD[code + PLACE[number]], DEAD[code + 2 * PLACE[number]]
            if not (by_1 or by_2):
                continue
            back = PLACE[(number + 3) % 6]
            other_code, pair = code_of(board, first, second, other), BIT[cell] | BIT[other]
            if by_1 and DEAD[other_code + back]:
                first |= pair
                captures_1 |= pair
            elif by_2 and DEAD[other_code + 2 * back]:
                second |= pair
                captures_2 |= pair
            else:
                continue
            look |= board.beside[cell] | board.beside[other]
            break
    return first, second, captures_1, captures_2
