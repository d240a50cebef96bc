"""Speed of the exact solvers.

    python benchmarks/solver.py connect_four --positions 100
    python benchmarks/solver.py connect_four_boards

The first solves the sets of positions in benchmarks/positions, drawn by
benchmarks/solver_positions.py by phase and difficulty as in Pons' tutorial "Solving Connect 4",
each set by one batch call with an empty table, and checks the values. Positions searched are those
whose children were looked at. The second solves empty boards. The clock is the thread's own
processor time, so that other work on the machine matters less.
"""

from __future__ import annotations

import argparse
import time
from typing import Literal

from plyground import make_game
from plyground.agents.solvers.solver import make_solver
from rich.console import Console
from rich.table import Table
from solver_positions import CLASSES, read_positions

CONSOLE = Console()


def connect_four(count: int, memory_mb: int, names: list[str]) -> None:
    """The classes of positions, each solved by one batch call."""
    game = make_game("connect_four")
    solver = make_solver(game, memory_mb)
    table = Table(title=f"connect four, table {memory_mb} MiB")
    for heading in (
        "class",
        "positions",
        "searched each",
        "CPU time each",
        "searched/s",
        "Pons: searched",
        "at 7 M/s",
    ):
        table.add_column(heading, justify="left" if heading == "class" else "right")
    for chosen in CLASSES:
        if names and chosen.name not in names:
            continue
        known = read_positions(chosen, count)
        records = solver.records_of(game.position(each.moves) for each in known)
        solver.solve_batch(records[:1])  # so that loading the kernels is not timed
        solver.clear()
        began = time.thread_time()
        values = solver.solve_batch(records)
        seconds, nodes = time.thread_time() - began, solver.nodes
        if values.tolist() != [each.value for each in known]:
            raise SystemExit(f"{chosen.path}: values differ from those in the file")
        table.add_row(
            chosen.name,
            str(len(known)),
            f"{nodes / len(known):,.0f}",
            time_text(1e6 * seconds / len(known)),
            f"{nodes / seconds:,.0f}",
            f"{chosen.pons_nodes:,.0f}",
            time_text(chosen.pons_microseconds),
        )
    CONSOLE.print(table)


def connect_four_boards(specs: list[str], memory_mb: int, moves: Literal["best", "all"]) -> None:
    """Empty boards: the value for the first player, of a best action or of all actions.

    The time includes the line of best play.
    """
    table = Table(title=f"empty boards, table {memory_mb} MiB")
    for heading in (
        "board",
        "value",
        "actions",
        "positions searched",
        "CPU seconds",
        "positions/s",
    ):
        table.add_column(heading, justify="left" if heading == "board" else "right")
    for spec in specs:
        game = make_game(spec)
        solver = make_solver(game, memory_mb)
        solver.solve(game.initial_position(), time=1e-3)  # so that loading the kernels is not timed
        solver.clear()
        began = time.thread_time()
        solution = solver.solve(game.initial_position(), moves=moves)
        seconds = time.thread_time() - began
        values = list((solution.values or {solution.best_action: solution.value}).items())
        listed = " ".join(f"{game.action_to_text(action)} {value:+d}" for action, value in values)
        table.add_row(
            spec,
            str(solution.value),
            listed,
            f"{solution.nodes:,}",
            f"{seconds:.2f}",
            f"{solution.nodes / seconds:,.0f}",
        )
    CONSOLE.print(table)


def time_text(microseconds: float) -> str:
    """A time in the unit that suits it."""
    if microseconds < 1000:
        return f"{microseconds:.1f} µs"
    return f"{microseconds / 1e3:.2f} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.2f} s"


def main() -> None:
    """Parse the command line and run one measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", nargs="?", default="connect_four", choices=["connect_four", "connect_four_boards"]
    )
    parser.add_argument(
        "--positions",
        type=int,
        default=20,
        help="at most so many positions of each class (default: %(default)s)",
    )
    parser.add_argument("--memory", type=int, default=1024, help="MiB for the table")
    parser.add_argument(
        "--classes",
        nargs="*",
        default=[],
        choices=[each.name for each in CLASSES],
        help="only these classes",
    )
    parser.add_argument(
        "--boards",
        nargs="*",
        default=["connect_four:rows=5,cols=5", "connect_four:rows=4,cols=7", "connect_four"],
    )
    parser.add_argument(
        "--moves",
        default="best",
        choices=["best", "all"],
        help="value one best action of the boards, or all",
    )
    arguments = parser.parse_args()
    if arguments.what == "connect_four":
        connect_four(arguments.positions, arguments.memory, arguments.classes)
    else:
        connect_four_boards(arguments.boards, arguments.memory, arguments.moves)


if __name__ == "__main__":
    main()
