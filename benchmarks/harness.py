"""Speed of the evaluation harness: random against random at connect four, every game committed to a store on disk.

    python benchmarks/harness.py

prints games a second, microseconds a move, and what of that the harness costs beyond the agents' thinking.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from plyground.evaluation.display import TournamentProgress
from plyground.evaluation.store import Store
from plyground.evaluation.table import CrossTable
from plyground.evaluation.tournament import Plan, Tournament

GAMES = 1000
RUNS = 5


def run(path: Path, games: int, seed: int) -> tuple[float, float, float, int]:
    """A tournament from plan to table: seconds, processor seconds, the agents' thinking seconds, moves."""
    began, began_processor = time.perf_counter(), time.process_time()
    with Store(path) as store:
        tournament = Tournament(Plan("connect_four", ("random", "random"), pairs=games // 2, seed=seed), store)
        progress = TournamentProgress(tournament.schedule.total)
        progress.begin(CrossTable(tournament.labels, tournament.played()))
        tournament.run(progress.count)
        table = CrossTable(tournament.labels, tournament.played())
    seconds, processor = time.perf_counter() - began, time.process_time() - began_processor
    assert table.games == games
    return seconds, processor, sum(row.seconds for row in table.rows), sum(row.decisions for row in table.rows)


def main() -> None:
    """Warm up with a few games, then measure and report the best of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "warm-up.db", 10, seed=0)
        runs = [run(Path(folder) / f"{seed}.db", GAMES, seed) for seed in range(1, RUNS + 1)]
    seconds, processor, thinking, moves = min(runs)
    print(f"{GAMES} games of connect four, random against random, with store: {seconds:.2f} s (best of {RUNS}; {GAMES / seconds:.0f} games/s)")
    print(f"processor time {processor:.2f} s, which is less than the time taken where other programs are busy too")
    print(f"{moves} moves, {seconds / moves * 1e6:.1f} µs a move, of which {(seconds - thinking) / moves * 1e6:.1f} µs beyond the agents' thinking")


if __name__ == "__main__":
    main()
