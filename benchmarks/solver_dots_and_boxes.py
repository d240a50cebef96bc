"""Benchmark of the exact solver of dots and boxes: boards solved from their start on one core.

3×3 and 3×4 boxes with their Swedish and Icelandic starts; one board; the value of its every first
move; the search against a table of all positions:

    python benchmarks/solver_dots_and_boxes.py
    python benchmarks/solver_dots_and_boxes.py --boards 4x4 --memory 2048
    python benchmarks/solver_dots_and_boxes.py --boards 4x4 --memory 2048 --all-moves
    python benchmarks/solver_dots_and_boxes.py --verify 3x3

Boards are rows × columns in boxes, with ``i`` or ``s`` added for the Icelandic or Swedish start.
Times are wall-clock, without compilation. CPU seconds are given beside them, because other work on
the machine lengthens wall-clock times.
"""

from __future__ import annotations

import argparse
import re
import time

import numpy as np
from plyground import make_game
from plyground.agents.solvers.dots_and_boxes.solver import DotsAndBoxesSolver, exact_value
from plyground.agents.solvers.dots_and_boxes.value_tables import value_table
from plyground.agents.solvers.solver import Monitor, Progress, make_solver

STARTS = {"": "empty", "i": "icelandic", "s": "swedish"}


def solver_of(board: str, memory_mb: int) -> DotsAndBoxesSolver:
    """A solver, compiled and with an empty table, that searches even where it could look up."""
    match = re.fullmatch(r"(\d+)x(\d+)([is]?)", board)
    if match is None:
        raise SystemExit(
            f"{board!r} is no board: write ROWSxCOLS in boxes, with i or s for the Icelandic or "
            f"Swedish start, such as 3x4 or 4x4s"
        )
    game = make_game(f"dots_and_boxes:rows={match[1]},cols={match[2]},start={STARTS[match[3]]}")
    solver = make_solver(game, memory_mb)
    assert isinstance(solver, DotsAndBoxesSolver)
    solver._lookup = None
    solver.prepare()
    return solver


def report(progress: Progress) -> None:
    """Show how far a search has come."""
    print(
        f"\r  {progress.nodes / 1e6:9.1f} M positions, {progress.seconds:7.1f} s, value from "
        f"{progress.lower} to {progress.upper} ",
        end="",
        flush=True,
    )


def show_first_moves(solver: DotsAndBoxesSolver, values: dict[int, int]) -> None:
    """Print the value and the actions of every class of equivalent first moves."""
    game = solver.game
    position = game.initial_position()
    drawn = {edge for edge in range(game.facts.num_actions) if position.record.edges[edge]}
    free = sum(1 << edge for edge in range(game.facts.num_actions) if edge not in drawn)
    classes: dict[object, list[int]] = {}
    for action in values:
        classes.setdefault(solver._after(free, action)[2], []).append(action)
    for actions in sorted(classes.values(), key=lambda each: -values[each[0]]):
        print(
            f"  {values[actions[0]]:+d}  "
            f"{', '.join(game.action_to_text(action) for action in actions)}"
        )


def solve_board(
    board: str, memory_mb: int, all_moves: bool, time_limit: float | None, quiet: bool
) -> None:
    """Solve a board from its start and print what it took."""
    solver = solver_of(board, memory_mb)
    cpu = time.process_time()
    solution = solver.solve(
        solver.game.initial_position(),
        moves="all" if all_moves else "best",
        time=time_limit,
        progress=None if quiet else report,
    )
    cpu = time.process_time() - cpu
    value = (
        f"{solution.value:+d}"
        if solution.value is not None
        else f"{solution.lower:+d} to {solution.upper:+d}"
    )
    best = solver.game.action_to_text(solution.best_action)
    buckets = solver._table.buckets
    filled = np.count_nonzero(buckets.view(np.uint64)) / (8 * len(buckets))
    print(
        f"\r{board:>5}: {value:>4}, best {best}, {solution.nodes:,} positions, "
        f"{solution.seconds:.2f} s (CPU {cpu:.2f} s), "
        f"{solution.nodes / cpu / 1e6:.2f} M positions/s, table {buckets.nbytes >> 20} MiB, "
        f"{filled:.0%} full"
    )
    if solution.values:
        show_first_moves(solver, dict(solution.values))


def verify(board: str, count: int, seed: int) -> None:
    """Compare the search with the table on random positions, of every number of edges."""
    solver = solver_of(board, 64)
    table = value_table(solver.game.rules.rows, solver.game.rules.cols)
    rng = np.random.default_rng(seed)
    edges = table.size.bit_length() - 1
    wrong = 0
    for share in rng.random(count):
        drawn = sum(1 << edge for edge in range(edges) if rng.random() < share)
        if drawn < table.size - 1:
            bounds = solver._bounds(table.size - 1 - drawn, exact_value(), Monitor())
            wrong += bounds.lower != table[drawn] or bounds.upper != table[drawn]
    print(f"{board}: {count:,} random positions, {wrong} differ from the table")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Solve dots and boxes from the start.")
    parser.add_argument(
        "--boards",
        default="3x3,3x4,3x3i,3x4i,3x3s,3x4s,4x4s",
        help="comma-separated, in boxes (default: %(default)s)",
    )
    parser.add_argument(
        "--memory", type=int, default=512, help="table of positions in MiB (default: %(default)s)"
    )
    parser.add_argument("--all-moves", action="store_true", help="the value of every first move")
    parser.add_argument("--time", type=float, help="limit in seconds for each board")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument(
        "--verify", metavar="BOARD", help="compare the search with a table of all positions"
    )
    parser.add_argument(
        "--count",
        type=int,
        default=10_000,
        help="how many positions --verify compares (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="of the positions that --verify compares (default: %(default)s)",
    )
    options = parser.parse_args()
    if options.verify:
        verify(options.verify, options.count, options.seed)
        return
    for board in options.boards.split(","):
        solve_board(board, options.memory, options.all_moves, options.time, options.quiet)


if __name__ == "__main__":
    main()
