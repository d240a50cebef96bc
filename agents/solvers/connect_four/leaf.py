"""Values of connect-four positions near the end of the game, for the kernels of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.kernels import kernel
from ....envs.compiled.threads import share
from ....envs.games.connect_four.rules import ConnectFour
from ....envs.games.connect_four.wide import WideConnectFour
from ..leaf import UNSOLVED, NoLeafSolver, leaf_solver_for, leaf_value, unsolved
from ..parallel import new_paths
from . import search as s
from . import table as t
from .board import ConnectFourBoard, make_board

MOST = 20  # plies to go: about 30 µs in random positions
ALL_NODES = 1 << 62


class ConnectFourLeafSolver(NamedTuple):
    """Board, table and stack of the search. The table never changes a value."""

    most: int
    board: ConnectFourBoard
    table: t.ConnectFourTable
    stack: s.ConnectFourStack
    tasks: Any  # TASK (1,)


share(ConnectFourLeafSolver, "board", "table")


@leaf_solver_for.register
def _new_connect_four_leaf_solver(rules: ConnectFour) -> ConnectFourLeafSolver:
    """See :func:`~plyground.agents.solvers.leaf.leaf_solver_for`."""
    board, bits = make_board(rules), (rules.rows + 1) * rules.cols
    paths = new_paths(1, board.cells, s.LEAST_FREE)[0]
    return ConnectFourLeafSolver(
        MOST,
        board,
        t.new_table(t.least_memory_mb(bits), bits),
        s.new_stack(board.cells, board.cols, paths),
        np.zeros(1, s.TASK).view(np.recarray),
    )


@leaf_value.register_body(ConnectFour)
def solved_value(rules, solver, position, plies):
    if rules.rows * rules.cols - position.ply > plies:
        return 0.0, UNSOLVED
    return search_leaf(rules, solver, position)


@kernel
def search_leaf(rules, solver, position):
    """The value of a position; out of line, since few leaves get here."""
    board, state, task = solver.board, solver.stack.state, solver.tasks[0]
    left, mover = np.int64(board.cells) - position.ply, np.int64(position.ply) & 1
    task.own, task.opp = position.stones[mover], position.stones[1 - mover]
    task.lower, task.upper = -((left + 1) // 2), (left + 1) // 2
    state.index, state.nodes, state.searching = 0, 0, False
    s.solve_positions(board, solver.table, solver.stack, solver.tasks, False, ALL_NODES)
    value = task.lower
    # the winning stone is the |value|-th last of its side
    if value == 0:
        return 0.0, left
    plies = 2 * ((left + 1) // 2 - value) + 1 if value > 0 else 2 * (left // 2 + value) + 2
    return 1.0 if (value > 0) == (mover == 0) else -1.0, plies


@leaf_solver_for.register
def _no_connect_four_leaf_solver(rules: WideConnectFour) -> NoLeafSolver:
    """A board that does not fit a 64-bit word."""
    return NoLeafSolver(0)


leaf_value.register_body(WideConnectFour)(unsolved)
