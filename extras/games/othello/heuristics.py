"""The heuristics of Othello."""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import kernel
from .board import ONE, ZERO, open_cells
from .patterns import BLOCKS, EDGES, OTHERS, SIZE, pattern_points
from .rules import Othello

PATTERNS, MOBILITY, DISCS = range(3)  # in the order of the declaration
MOVE_POINTS, CORNER_POINTS, BESIDE_CORNER_POINTS = 10, 100, 30


@kernel
def side_points(rules, own, other):
    """``mobility`` of one side: its open cells and corners, minus discs beside free corners."""
    points = MOVE_POINTS * count_bits(open_cells(rules, own, other))
    for row, beside_row in ((0, 1), (rules.size - 1, rules.size - 2)):
        for column, beside_column in ((0, 1), (rules.size - 1, rules.size - 2)):
            corner = ONE << np.uint64(8 * row + column)
            beside = ONE << np.uint64(8 * beside_row + beside_column)
            if own & corner != ZERO:
                points += CORNER_POINTS
            elif other & corner == ZERO and own & beside != ZERO:
                points -= BESIDE_CORNER_POINTS
    return points


@r.evaluate.register_body(Othello)
def evaluate(rules, position, player, heuristic):
    """The heuristics ``patterns``, ``mobility`` and ``discs``.

    ``patterns``: the value of patterns of discs, in eighths of a disc, see :mod:`.patterns`; on
    boards other than 8×8 the same as ``mobility``. ``mobility``: 10 for each cell open to the side,
    100 for each corner, −30 for each disc diagonally beside a free corner, minus the opponent's
    points. ``discs``: own discs minus the opponent's.
    """
    own, other = position.discs[player], position.discs[1 - player]
    if heuristic == DISCS:
        return count_bits(own) - count_bits(other)
    if heuristic == PATTERNS and rules.size == SIZE:
        return pattern_points(rules, EDGES, BLOCKS, OTHERS, position, player)
    return np.int64(side_points(rules, own, other) - side_points(rules, other, own))
