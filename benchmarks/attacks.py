"""Attacks on the evidence: kills, rogue agents, time limits on a busy machine.

    python benchmarks/attacks.py kills 100     # SIGKILL in the midst of tournaments, every runner
    python benchmarks/attacks.py rogues 100    # agents of tests/broken at every game
    python benchmarks/attacks.py time 10000    # moves under time=, with a burner on every core

Each prints one line for every kind and ends with status 1 if something did not hold.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from plyground import make_agent, make_game
from plyground.envs.processors import available_processors
from plyground.evaluation.match import Limits, play_game
from plyground.evaluation.runners.isolation import IsolatedPlayer
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import Plan, Tournament
from plyground.evaluation.verification import verify

TESTS = Path(__file__).resolve().parent.parent / "tests"
PLAN = Plan("connect_four", ("random", "greedy", "montecarlo:simulations=20"), pairs=30, seed=5)
ENGINES = (("--runner", "local"), ("--concurrency", "2"), ("--isolate", "always"))
# Handed back within this time after the limit counts as kept.
LATE_SECONDS = 0.05
TIME_LIMITS = {
    "alphabeta:time=0.1": ("connect_four", "gomoku:size=9", "othello"),
    "mcts:time=0.1": ("connect_four", "hex:size=7"),
    "mcts:time=0.1,threads=2": ("connect_four",),
    "mcts:time=0.1,playout=ordered": ("hex:size=7", "gomoku:size=9"),
    "mcts:time=0.1,network=patterns": ("gomoku",),
    "alphabeta:time=0.1,endgame=20": ("connect_four",),
    "gomoku:time=0.1": ("gomoku", "gomoku:size=20,rule=caro"),
    "gomoku:time=0.1,threads=2": ("gomoku",),
    "solver:time=0.1,memory=16": ("connect_four", "dots_and_boxes:rows=4,cols=4", "gomoku:size=7"),
}


def summaries(games: list[StoredGame]) -> list[tuple]:
    """What the seed decides of games."""
    return [(game.pair, game.players, game.opening, *game.result[:5]) for game in games]


def kills(count: int) -> bool:
    """Kill tournaments at random moments until they are complete; compare the stores."""
    rng, right = random.Random(1), True
    with tempfile.TemporaryDirectory() as folder:
        with Store(Path(folder) / "undisturbed.db") as store:
            tournament = Tournament(PLAN, store)
            tournament.run()
            expectation = summaries(list(tournament.played()))
        interruptions, rounds = 0, Counter[str]()
        for number in itertools.count():
            engine = ENGINES[number % len(ENGINES)]
            path, kind = Path(folder) / f"{number}.db", " ".join(engine)
            while True:
                program = [sys.executable, "-m", "plyground.cli", "tournament", PLAN.game]
                options = ["--pairs", str(PLAN.pairs), "--seed", str(PLAN.seed), "--store", path]
                running = subprocess.Popen(
                    [*program, *PLAN.agents, *map(str, options), *engine],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                patience = rng.uniform(1, 12)
                try:
                    running.wait(patience if interruptions < count else None)
                    break
                except subprocess.TimeoutExpired:
                    running.kill()
                    running.wait()
                    interruptions += 1
            with Store(path) as store:
                tournament_row = store.tournaments()[0]
                same = summaries(list(store.games(tournament_row.number))) == expectation
                sound = verify(tournament_row, store, 0, "never").sound and not store.changes()
            rounds[f"{kind}: {'as expectation' if same and sound else 'WRONG'}"] += 1
            right = right and same and sound
            if interruptions >= count:
                break
    print(f"{interruptions} kills", dict(rounds), flush=True)
    return right


def rogues(count: int) -> bool:
    """Let agents that misbehave play: every game must end with a result, and nobody else fail."""
    sys.path.insert(0, str(TESTS))
    os.chdir(TESTS)
    from broken import agents

    kinds = [
        name
        for name, kind in vars(agents).items()
        if isinstance(kind, type) and issubclass(kind, agents.Broken) and kind is not agents.Broken
    ]
    limits = Limits(move_seconds=2.0, memory_bytes=700 << 20)
    games = ("tic_tac_toe", "connect_four", "hex:size=3", "dots_and_boxes:rows=2,cols=2")
    faults, successes = Counter[str](), 0
    for name, spec in itertools.islice(itertools.product(kinds, games), count):
        game = make_game(spec)
        with contextlib.closing(
            IsolatedPlayer(f"python:broken.agents:{name}", game, limits)
        ) as player:
            began = time.perf_counter()
            try:
                result = play_game(game, [player, make_agent("random")], limits=limits)
            except Exception as error:
                print(f"{name} at {spec}: {type(error).__name__}: {error}", flush=True)
                continue
            seconds = time.perf_counter() - began
            faults[str(result.fault)] += 1
            correct = result.forfeited in (None, 0)
            successes += correct
            if not correct or seconds > 60:
                print(f"{name} at {spec}: {result.reason} after {seconds:.1f} s", flush=True)
    print(f"{successes} of {sum(faults.values())} rogue agents handled", dict(faults), flush=True)
    return successes >= min(count, len(kinds) * len(games))


@contextlib.contextmanager
def burners() -> Iterator[None]:
    """A process on every core that does nothing but work."""
    burn = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(burn) for _ in range(available_processors())]
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait()


def time_limits(count: int) -> bool:
    """Ask for moves under a time limit; how many come later than LATE_SECONDS after it."""
    cases = [(spec, game) for spec, games in TIME_LIMITS.items() for game in games]
    rng, right = random.Random(1), True
    agents = {case: make_agent(case[0], case[1]) for case in cases}
    for (spec, name), agent in agents.items():
        agent.get_ready(make_game(name))
        print(f"ready: {spec} at {name}", flush=True)
    with burners():
        for (spec, name), agent in agents.items():
            game, over = make_game(name), []
            while len(over) < max(count // len(cases), 1):
                position = game.initial_position()
                for _ in range(rng.randrange(game.facts.longest_game // 2)):
                    if not position.is_over:
                        position.play(rng.choice(position.legal_actions()))
                if position.is_over:
                    continue
                agent.reset(len(over))
                began = time.perf_counter()
                agent.act(position)
                over.append(time.perf_counter() - began - 0.1)
            late = sum(each > LATE_SECONDS for each in over)
            right = right and late <= 0.001 * len(over)
            points = np.percentile(over, (50, 99, 99.9)) * 1e3
            print(
                f"{spec} at {name}: {len(over)} moves, {late} late; over the limit by "
                f"{points[0]:.0f} ms (median), {points[1]:.0f} (99 %), {points[2]:.0f} (99.9 %), "
                f"{max(over) * 1e3:.0f} (most)",
                flush=True,
            )
    return right


def main() -> int:
    """Run the attack that the command line names, or say which there are; the exit status."""
    if not sys.argv[1:]:
        print(__doc__)
        return 0
    attack = {"kills": kills, "rogues": rogues, "time": time_limits}[sys.argv[1]]
    return 0 if attack(int(sys.argv[2])) else 1


if __name__ == "__main__":
    sys.exit(main())
