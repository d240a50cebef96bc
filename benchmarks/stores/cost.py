"""The cost of a store: committing a game, and the checks before the first write.

    python benchmarks/stores/cost.py [games]

Two random agents play a number of games of every game (default 1,000). The times are medians of
five, in processor time, so they do not measure the disk.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cyclopts
from plyground.envs import BUILT_IN
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

REPEATS = 5


def median_ms(act: Callable[[], object]) -> float:
    """The median duration in milliseconds; the first call, which compiles, does not count."""
    times = []
    act()
    for _ in range(REPEATS):
        began = time.process_time()
        act()
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)


def commit_us(path: Path, games: Path) -> float:
    """Microseconds to commit a game."""
    with Store(games) as source, Store(path) as store:
        (there,) = source.tournaments()
        number = store.enter_tournament(there.name, there.settings, there.agents, there.pairs)
        played = list(source.games(there.number))
        began = time.process_time()
        for game in played:
            store.add(number, game)
        return 1e6 * (time.process_time() - began) / len(played)


def main(count: int = 1000, /) -> None:
    """Print a line for each game.

    Args:
        count: number of games
    """
    print("milliseconds for 1,000 games; microseconds a commit")
    print(f"{'game':22}{'file':>7}{'games':>7}{'digest':>8}{'commit':>8}")
    for rules in BUILT_IN:
        name = rules.declaration.name
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "games.db"
            with Store(path) as store:
                plan = Plan(name, ("random", "random"), pairs=count // 2, opening="random:2")
                Tournament(plan, store).run()
                (tournament,) = store.tournaments()
                times = [
                    median_ms(act) * 1000 / count
                    for act in (
                        store.findings,
                        lambda store=store, each=tournament: store.findings(each),
                        lambda store=store: store.digest(1),
                    )
                ]
            commit = commit_us(Path(folder) / "copy.db", path)
        print(f"{name:22}{times[0]:7.1f}{times[1]:7.0f}{times[2]:8.1f}{commit:8.0f}", flush=True)


if __name__ == "__main__":
    cyclopts.run(main)
