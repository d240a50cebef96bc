"""Values of Othello positions near the end of the game, for the kernels of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....agents.solvers.leaf import UNSOLVED, leaf_solver_for, leaf_value
from .....envs import rules as r
from .....envs.compiled.bits import count_bits
from .....envs.compiled.kernels import kernel
from .....envs.compiled.threads import share
from ..rules import MARGIN, Othello
from . import search as s
from .board import OthelloBoard, make_board
from .table import new_table

MOST = 10  # free cells: about 30 µs in random positions
ALL_NODES = 1 << 62


class OthelloLeafSolver(NamedTuple):
    """Board, table and stack of the search. The table never changes a value."""

    most: int
    board: OthelloBoard
    table: Any
    stack: s.OthelloStack


share(OthelloLeafSolver, "board", "table")


@leaf_solver_for.register
def _new_othello_leaf_solver(rules: Othello) -> OthelloLeafSolver:
    """See :func:`~plyground.agents.solvers.leaf.leaf_solver_for`."""
    board = make_board(rules)
    return OthelloLeafSolver(MOST, board, new_table(1), s.new_stack(board))


@leaf_value.register_body(Othello)
def solved_value(rules, solver, position, plies):
    free = np.int64(solver.board.size) - count_bits(position.discs[0] | position.discs[1])
    if free > plies:
        return 0.0, UNSOLVED
    # passes are not counted
    return search_leaf(rules, solver, position, free), free


@kernel
def search_leaf(rules, solver, position, free):
    """The return of player 0, proved by null-window searches."""
    mover = r.to_move(rules, position)
    own, other = position.discs[mover], position.discs[1 - mover]
    lower, upper = -np.int64(solver.board.size), np.int64(solver.board.size)
    alpha = np.int64(0)
    while lower < upper and (rules.reward == MARGIN or (lower <= 0 and upper >= 0)):
        s.begin(solver.board, solver.table, solver.stack, own, other, alpha, free)
        s.run(solver.board, solver.table, solver.stack, ALL_NODES)
        value = np.int64(solver.stack.state.value)
        if value > alpha:
            lower = value
            alpha = value
        else:
            upper = value
            alpha = value - 1
    margin = lower if rules.reward == MARGIN or lower > 0 else upper
    value = np.float64(margin) if rules.reward == MARGIN else np.float64(np.sign(margin))
    return value if mover == 0 else -value
