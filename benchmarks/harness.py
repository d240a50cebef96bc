"""Speed of the evaluation harness, with every game committed to a store on disk.

    python benchmarks/harness.py

It plays random against random at connect four. It prints games a second, microseconds a move, and
the share of the harness in them; the cost of agents in processes of their own; and how much faster
two worker processes are than one, with agents that think some milliseconds (if two processors are
free).
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

from plyground import Game, make_agent, make_game
from plyground.evaluation.match import play_game
from plyground.evaluation.report.display import TournamentProgress
from plyground.evaluation.runners.isolation import IsolatedPlayer
from plyground.evaluation.runners.processes import ProcessRunner
from plyground.evaluation.statistics.cross_table import CrossTable
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Plan, Tournament

GAMES = 1000
RUNS = 5
PROCESS_PAIRS = 30
START_SECONDS = 4


def run(path: Path, games: int, seed: int) -> tuple[float, float, float, int]:
    """A tournament from plan to table: seconds, processor seconds, the agents' seconds, moves."""
    began, began_processor = time.perf_counter(), time.process_time()
    with Store(path) as store:
        tournament = Tournament(
            Plan("connect_four", ("random", "random"), pairs=games // 2, seed=seed), store
        )
        progress = TournamentProgress(tournament.schedule.total)
        progress.begin(CrossTable(tournament.labels, tournament.played()))
        tournament.run(progress.count)
        table = CrossTable(tournament.labels, tournament.played())
    seconds, processor = time.perf_counter() - began, time.process_time() - began_processor
    assert table.games == games
    return (
        seconds,
        processor,
        sum(row.seconds for row in table.rows),
        sum(row.decisions for row in table.rows),
    )


def main() -> None:
    """Warm up with a few games, then measure and report the best of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "warm-up.db", 10, seed=0)
        runs = [run(Path(folder) / f"{seed}.db", GAMES, seed) for seed in range(1, RUNS + 1)]
    seconds, processor, thinking, moves = min(runs)
    print(
        f"{GAMES} games of connect four, random against random, with store: {seconds:.2f} s (best "
        f"of {RUNS}; {GAMES / seconds:.0f} games/s)"
    )
    print(
        f"processor time {processor:.2f} s, which is less than the time taken where other programs "
        f"are busy too"
    )
    print(
        f"{moves} moves, {seconds / moves * 1e6:.1f} µs a move, of which "
        f"{(seconds - thinking) / moves * 1e6:.1f} µs beyond the agents' thinking"
    )

    measure_isolation()
    measure_processes()


def measure_isolation() -> None:
    """Microseconds that isolation adds to a move of an agent."""
    game = make_game("connect_four")
    with contextlib.ExitStack() as stack:
        isolated = [
            stack.enter_context(contextlib.closing(IsolatedPlayer("random", game)))
            for _ in range(2)
        ]
        local = [make_agent("random") for _ in range(2)]
        best = [
            min(_microseconds_a_move(game, players) for _ in range(RUNS))
            for players in (isolated, local)
        ]
    print(
        f"isolated: {best[0]:.0f} µs a move, in this process {best[1]:.0f} µs: isolation costs "
        f"{best[0] - best[1]:.0f} µs a move"
    )


def _microseconds_a_move(game: Game, players: list[Any]) -> float:
    began = time.perf_counter()
    moves = sum(len(play_game(game, players, seeds=(seed, seed + 1)).moves) for seed in range(100))
    return (time.perf_counter() - began) / moves * 1e6


def measure_processes() -> None:
    """Games a second on one and on two worker processes in turn, and their best ratio."""
    plan = Plan(
        "connect_four",
        ("montecarlo:simulations=300", "montecarlo:simulations=300"),
        pairs=PROCESS_PAIRS,
    )
    speeds = [[_games_a_second(plan, processes) for processes in (1, 2)] for _ in range(2)]
    one, two = max(speeds, key=lambda pair: pair[1] / pair[0])
    print(
        f"worker processes: one {one:.1f} games/s, two {two:.1f} games/s: {two / one:.2f} times as "
        f"many"
    )


def _games_a_second(plan: Plan, processes: int) -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "games.db") as store,
        ProcessRunner(processes) as runner,
    ):
        tournament = Tournament(plan, store, runner=runner)
        tournament.get_ready()
        time.sleep(START_SECONDS)  # for the second process; the first is ready
        began = time.perf_counter()
        tournament.run()
        return tournament.schedule.total / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
