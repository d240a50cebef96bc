"""The constants of an Othello board for the search: cells, neighbours, quadrants, stable discs.

Cell (row, column) is bit ``8 * row + column`` on every board, as in the game's rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....envs.compiled.bits import count_bits
from .....envs.compiled.kernels import inner_kernel
from ..board import STEPS, ZERO
from ..rules import WINNER, Othello

ALL = np.uint64(2**64 - 1)

# By the distances from the two nearest edges: a corner, the cells beside it, …
CELL_VALUES = {(0, 0): 18, (0, 1): 4, (1, 1): 2, (0, 2): 12, (1, 2): 6, (2, 2): 10, (0, 3): 10,
               (1, 3): 8, (2, 3): 8, (3, 3): 0}  # fmt: skip


class OthelloBoard(NamedTuple):
    """The constants of a board size.

    Attributes:
        cells: the set of all cells.
        size: number of cells.
        corners: the set of corners.
        neighbours: uint64 (64,): the cells around each cell.
        quadrants: int64 (64,): the quadrant of each cell, as one of four bits.
        quadrant_cells: uint64 (16,): the cells of each set of quadrants.
        lines: uint64 (lines, 2): rows, columns and diagonals as sets, and the index of their step.
        borders: uint64 (4,): the cells without a neighbour on one side, for each step.
        values: int64 (64,): ordering points of a move on each cell.
        fills: whether free cells at the end count for the winner.
    """

    cells: np.uint64
    size: int
    corners: np.uint64
    neighbours: Any
    quadrants: Any
    quadrant_cells: Any
    lines: Any
    borders: Any
    values: Any
    fills: bool


def make_board(rules: Othello) -> OthelloBoard:
    """The board of a game."""
    size = rules.size

    def bit(row: int, column: int) -> int:
        return 1 << 8 * row + column if 0 <= row < size and 0 <= column < size else 0

    places = [(row, column) for row in range(size) for column in range(size)]
    neighbours, quadrants = np.zeros(64, np.uint64), np.zeros(64, np.int64)
    quadrant_cells, borders = np.zeros(16, np.uint64), np.zeros(4, np.uint64)
    values, lines = np.zeros(64, np.int64), set()
    half, far = size // 2, size - 1
    for row, column in places:
        cell = 8 * row + column
        near = {(row + y, column + x) for y in (-1, 0, 1) for x in (-1, 0, 1)} - {(row, column)}
        neighbours[cell] = sum(bit(*place) for place in near)
        quadrants[cell] = 1 << 2 * (row >= half) + (column >= half)
        for each in range(16):
            if each & quadrants[cell]:
                quadrant_cells[each] |= np.uint64(1 << cell)
        nearer, farther = sorted((min(row, far - row), min(column, far - column)))
        values[cell] = CELL_VALUES[nearer, farther]
        for index, step in enumerate(STEPS):
            down, right = divmod(int(step) + 1, 8)
            along = [(row + i * down, column + i * (right - 1)) for i in range(-far, far + 1)]
            lines.add((sum(bit(*place) for place in along), index))
            if not (bit(row + down, column + right - 1) and bit(row - down, column - right + 1)):
                borders[index] |= np.uint64(1 << cell)
    return OthelloBoard(
        np.uint64(sum(bit(*place) for place in places)),
        size * size,
        np.uint64(bit(0, 0) | bit(0, far) | bit(far, 0) | bit(far, far)),
        neighbours,
        quadrants,
        quadrant_cells,
        np.array(sorted(lines), np.uint64),
        borders,
        values,
        rules.empties == WINNER,
    )


@inner_kernel
def difference(own, other):
    """The discs of ``own`` minus the discs of ``other``."""
    return count_bits(own) - count_bits(other)


@inner_kernel
def final_margin(board, own, other):
    """The value of a position whose game is over."""
    ahead = difference(own, other)
    if board.fills and ahead > 0:
        return board.size - 2 * count_bits(other)
    if board.fills and ahead < 0:
        return 2 * count_bits(own) - board.size
    return ahead


@inner_kernel
def stable_discs(board, own, other):
    """A lower bound on the number of stable discs of ``own``.

    A disc is stable if in each of the four directions its line is full, or it is at the edge, or
    has a stable neighbour of the same side.
    """
    discs = own | other
    along = (board.borders[0], board.borders[1], board.borders[2], board.borders[3])
    safe0, safe1, safe2, safe3 = along
    for i in range(len(board.lines)):
        line = board.lines[i, 0]
        if line & ~discs == ZERO:
            step = board.lines[i, 1]
            if step == 0:
                safe0 |= line
            elif step == 1:
                safe1 |= line
            elif step == 2:
                safe2 |= line
            else:
                safe3 |= line
    stable, before = own & safe0 & safe1 & safe2 & safe3, ALL
    while stable != before:
        before = stable
        stable = own
        for i in range(4):
            safe = safe0 if i == 0 else safe1 if i == 1 else safe2 if i == 2 else safe3
            stable &= safe | (before << STEPS[i]) | (before >> STEPS[i])
        stable |= before
    return count_bits(stable)
