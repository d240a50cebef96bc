"""Tables of the values of all positions of small boards of dots and boxes.

They are filled backwards from the end of the game. The table of a board has one byte for each set
of drawn edges.
"""

from __future__ import annotations

import functools

import numpy as np

from ....envs.compiled.kernels import kernel
from ....envs.games.dots_and_boxes.board import boxes_beside, count_edges
from ....envs.specification import SpecificationError

LARGEST = 24  # edges: 16 MiB, about two seconds
SMALL = 17  # edges: built instantly


@functools.lru_cache(maxsize=8)
def value_table(rows: int, cols: int) -> np.ndarray:
    """The margin of the rest of the game for the player to move, for every set of drawn edges.

    Bit e of the index is set if the edge of action e is drawn.

    Returns:
        int8 of shape (2^edges,), read-only.

    Raises:
        SpecificationError: the board has more than 24 edges.
    """
    edges = count_edges(rows, cols)
    if edges > LARGEST:
        raise SpecificationError(
            f"tables of all positions are for boards of at most {LARGEST} edges, {rows} × {cols} "
            f"boxes have {edges}"
        )
    table = np.zeros(1 << edges, np.int8)
    beside = np.array([boxes_beside(rows, cols, edge) for edge in range(edges)])
    sides = np.zeros(rows * cols, np.int64)  # the sides of each box as a set of edges
    for edge in range(edges):
        for box in boxes_beside(rows, cols, edge):
            if box >= 0:
                sides[box] |= 1 << edge
    _fill_backwards(sides, beside, table)
    table.flags.writeable = False
    return table


@kernel
def _fill_backwards(sides, beside, table):
    """Fill ``table`` from its last entry.

    A position after a move has a larger index, so its value is known already.
    """
    edges = beside.shape[0]
    table[-1] = 0
    for drawn in range(table.size - 2, -1, -1):
        best = -128
        for edge in range(edges):
            if drawn >> edge & 1 == 0:
                after = drawn | 1 << edge
                gain = 0
                for side in range(2):
                    box = beside[edge, side]
                    if box >= 0 and after & sides[box] == sides[box]:
                        gain += 1
                value = np.int64(table[after])
                best = max(best, gain + value if gain else -value)
        table[drawn] = best
