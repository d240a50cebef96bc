"""Values of all positions of small boards of dots and boxes, for the kernels of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.compiled.threads import share
from ....envs.games.dots_and_boxes.board import MARGIN, count_edges, num_edges
from ....envs.games.dots_and_boxes.rules import DotsAndBoxes
from ..leaf import UNSOLVED, leaf_solver_for, leaf_value
from .value_tables import LARGEST, value_table


class DotsAndBoxesLeafSolver(NamedTuple):
    """The margin of the rest of the game, for every set of drawn edges."""

    most: int
    margins: Any  # int8 (2^edges,)
    by_margin: int  # 1: returns are margins


share(DotsAndBoxesLeafSolver, "margins")


@leaf_solver_for.register
def _new_boxes_leaf_solver(rules: DotsAndBoxes) -> DotsAndBoxesLeafSolver:
    """See :func:`~plyground.agents.solvers.leaf.leaf_solver_for`."""
    edges = count_edges(rules.rows, rules.cols)
    fits = edges <= LARGEST
    margins = value_table(rules.rows, rules.cols) if fits else value_table(1, 1)
    return DotsAndBoxesLeafSolver(edges if fits else 0, margins, int(rules.reward == MARGIN))


@leaf_value.register_body(DotsAndBoxes)
def table_value(rules, solver, position, plies):
    edges = num_edges(rules)
    if edges - position.drawn > plies:
        return 0.0, UNSOLVED
    drawn = 0
    for edge in range(edges):
        drawn |= np.int64(position.edges[edge]) << edge
    rest = np.int64(solver.margins[drawn])
    ahead = np.int64(position.score[0]) - np.int64(position.score[1])
    margin = ahead + (rest if r.to_move(rules, position) == 0 else -rest)
    value = np.float64(margin) if solver.by_margin else np.float64(np.sign(margin))
    return value, edges - position.drawn
