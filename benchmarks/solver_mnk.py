"""The m,n,k solver on empty boards: result, positions searched, seconds.

Run with ``python benchmarks/solver_mnk.py`` (a few seconds; ``--hard`` adds boards of minutes). The
clock is the process's own processor time.
"""

from __future__ import annotations

import argparse
import time

from plyground import make_game
from plyground.agents.solvers.solver import make_solver
from rich.console import Console
from rich.table import Table

BOARDS = ((3, 3, 3), (3, 4, 3), (4, 4, 4), (5, 4, 4), (5, 5, 4), (6, 5, 4), (5, 5, 5))
HARD = ((6, 5, 5), (6, 6, 5))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--hard",
        action="store_true",
        help="boards that take minutes, each for at most --time seconds",
    )
    parser.add_argument(
        "--time", type=float, default=600.0, help="limit for a board (default: %(default)s s)"
    )
    parser.add_argument(
        "--memory", type=int, default=1024, help="table in MiB (default: %(default)s)"
    )
    options = parser.parse_args()
    table = Table(
        "m,n,k (columns, rows, in a row)",
        "result",
        "positions",
        "seconds",
        "positions/s",
        title="m,n,k from the empty board",
    )
    names = {
        1: "first player wins",
        0: "draw",
        -1: "second player wins",
        None: "not solved in time",
    }
    for cols, rows, connect in (*BOARDS, *(HARD if options.hard else ())):
        game = make_game("tic_tac_toe", rows=rows, cols=cols, connect=connect)
        solver = make_solver(game, options.memory)
        # compiled, and the table's first pages touched
        solver.solve(game.position([0]), time=0.001)
        solver.clear()
        began = time.process_time()
        solution = solver.solve(game.initial_position(), time=options.time)
        seconds = time.process_time() - began
        table.add_row(
            f"{cols},{rows},{connect}",
            names[solution.value],
            f"{solution.nodes:,}",
            f"{seconds:.3f}",
            f"{solution.nodes / seconds:,.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
