"""Speed of the evaluation harness, with every game committed to a store on disk.

    python benchmarks/harness.py

It plays random against random at connect four, and prints games per second, microseconds per move,
and the share of the harness; the same with both agents in separate processes; and the speedup of
two worker processes with agents that think some milliseconds (if two processors are free). The
result is the best of some runs.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import cyclopts
from plyground.envs.workers.jobs import HERE, JobPlace
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

RUNS = 5
START_SECONDS = 4
RANDOM = Plan("connect_four", ("random", "random"), pairs=500)
THINKING = Plan("connect_four", ("montecarlo:simulations=300",) * 2, pairs=30)


def play(plan: Plan, place: JobPlace = HERE, isolation: str = "auto") -> tuple[float, float, int]:
    """A tournament from plan to table: seconds, thinking seconds of the agents, moves."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
        tournament = Tournament(plan.replace(isolate=isolation), store, place)
        tournament.get_ready()
        if place != HERE:
            time.sleep(START_SECONDS)  # for the second process; the first is ready
        start = time.perf_counter()
        tournament.run()
        table = tournament.table()
        seconds = time.perf_counter() - start
    rows = table.rows
    return seconds, sum(row.seconds for row in rows), sum(row.decisions for row in rows)


def main() -> None:
    """Warm up with a few games, then measure and report the best of some runs."""
    play(RANDOM.replace(pairs=5))
    for title, plan, isolation in (
        ("in this process", RANDOM, "never"),
        ("in separate processes", RANDOM.replace(pairs=100), "always"),
    ):
        seconds, thinking, moves = min(play(plan, isolation=isolation) for _ in range(RUNS))
        print(
            f"{2 * plan.pairs} games of random against random, agents {title}: "
            f"{2 * plan.pairs / seconds:.0f} games/s, {seconds / moves * 1e6:.1f} µs a move, of "
            f"which {(seconds - thinking) / moves * 1e6:.1f} µs beyond the agents' thinking"
        )
    speeds = []
    for processes in (1, 2):
        place = JobPlace("processes", concurrency=processes)
        speeds.append(2 * THINKING.pairs / min(play(THINKING, place)[0] for _ in range(2)))
    print(
        f"worker processes: one {speeds[0]:.1f} games/s, two {speeds[1]:.1f} games/s: "
        f"{speeds[1] / speeds[0]:.2f} times as many"
    )


if __name__ == "__main__":
    cyclopts.run(main)
