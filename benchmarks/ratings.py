"""Coverage of ratings, error rates of sequential tests, and the speed of a large report.

    python benchmarks/ratings.py                # all of it, about two minutes
    python benchmarks/ratings.py coverage sprt  # parts: coverage, sprt, report

``coverage`` simulates pools of known strengths and counts how often the 95 % intervals hold the
true ratings. ``sprt`` simulates tests under either hypothesis and counts wrong verdicts. ``report``
makes a store of a million games, played at random strengths without a board, and times ``plyground
report`` on it, as text and as HTML, each in a process of its own, with its greatest memory.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plyground.evaluation.sprt import (
    H0,
    H1,
    Hypotheses,
    log_likelihood_ratio,
)
from plyground.evaluation.statistics.ratings import Meeting, rate, score_of
from plyground.evaluation.store.store import AgentEntry, Store

SIMULATIONS = 1000
REPORT_GAMES = 1_000_000


def pair_probabilities(difference: float, draws: float, bias: float) -> np.ndarray:
    """Probabilities of 0, ½, 1, 1½ and 2 points in a pair.

    The opening favours either seat by a uniformly random amount. ``draws`` is the share of draws
    and ``bias`` the greatest advantage of a seat, both in proportion to what the expected score
    leaves room for.
    """
    score = score_of(difference)
    room = min(score, 1 - score)
    found = np.zeros(5)
    advantages = np.linspace(-bias * room, bias * room, 101)
    for advantage in advantages:
        games = []
        for expected in (score + advantage, score - advantage):
            drawn = 2 * draws * min(expected, 1 - expected)
            games.append([1 - expected - drawn / 2, drawn, expected - drawn / 2])
        found += np.convolve(*games) / len(advantages)
    return found


def coverage() -> None:
    """Pools of several sizes, strengths drawn anew for each simulation."""
    print(f"95 % intervals that hold the true rating, {SIMULATIONS} simulations each")
    print("agents  pairs each  draws  seat bias  spread (Elo)  covered")
    for agents, pairs, draws, bias, spread in [
        (2, 5, 0.0, 0.0, 150),
        (2, 10, 0.3, 0.5, 100),
        (2, 100, 0.3, 0.5, 100),
        (2, 500, 0.8, 0.8, 50),
        (5, 10, 0.3, 0.5, 150),
        (5, 20, 0.0, 0.0, 300),
        (5, 100, 0.5, 0.8, 150),
        (10, 10, 0.2, 0.5, 200),
    ]:
        rng = np.random.default_rng(agents * 1000 + pairs)
        covered = []
        for _ in range(SIMULATIONS):
            elo = rng.normal(0, spread, agents)
            elo -= elo.mean()
            pool = [
                (i, j, pair_probabilities(elo[i] - elo[j], draws, bias))
                for i in range(agents)
                for j in range(i + 1, agents)
            ]
            ratings = rate(
                [""] * agents,
                [Meeting(i, j, tuple(rng.multinomial(pairs, chances))) for i, j, chances in pool],
            )
            covered += [
                abs(ratings.elo[agent] - elo[agent]) <= ratings.margin(agent)
                for agent in range(agents)
            ]
        print(
            f"{agents:6}  {pairs:10}  {draws:5.1f}  {bias:9.1f}  {spread:12}  "
            f"{100 * np.mean(covered):6.1f} %",
            flush=True,
        )


def simulate_sprt(
    rng: np.random.Generator, hypotheses: Hypotheses, chances: np.ndarray
) -> tuple[str, int]:
    """The verdict of one test, and after how many pairs it came."""
    counts = [0, 0, 0, 0, 0]
    played = 0
    while True:
        for outcome in rng.choice(5, 256, p=chances).tolist():
            counts[outcome] += 1
            played += 1
            verdict = hypotheses.verdict(
                log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
            )
            if verdict is not None:
                return verdict, played


def sprt() -> None:
    """Tests of 0 against 50 Elo, alpha = beta = 0.05, with few and many draws."""
    hypotheses = Hypotheses(0, 50)
    print(
        f"wrong verdicts of {SIMULATIONS} sequential tests of 0 against 50 Elo with alpha = beta = "
        f"5 %"
    )
    print("true Elo  draws  seat bias   wrong  pairs (mean)")
    for true, wrong in ((0.0, H1), (50.0, H0)):
        for draws, bias in ((0.0, 0.0), (0.3, 0.5), (0.8, 0.8)):
            rng = np.random.default_rng(7)
            chances = pair_probabilities(true, draws, bias)
            runs = [simulate_sprt(rng, hypotheses, chances) for _ in range(SIMULATIONS)]
            errors = sum(verdict == wrong for verdict, _ in runs) / SIMULATIONS
            print(
                f"{true:8.0f}  {draws:5.1f}  {bias:9.1f}  {100 * errors:4.1f} %  "
                f"{np.mean([pairs for _, pairs in runs]):12.0f}",
                flush=True,
            )


def make_store(path: Path, games: int, agents: int = 10) -> None:
    """A store with one round robin: results by strength, 30 moves a game."""
    chance = random.Random(1)
    strengths = [60.0 * number for number in range(agents)]
    pairs = games // (agents * (agents - 1))
    entries = [AgentEntry(f"agent {number}", "random", {}, "benchmark") for number in range(agents)]
    with Store(path) as store:
        store.enter_tournament("large", {"game": "connect_four", "seed": 1}, entries, pairs)
    connection = sqlite3.connect(path)
    left = games

    def rows():  # type: ignore[no-untyped-def]
        for pair in range(pairs + 1):
            opening = [chance.randrange(7) for _ in range(4)]
            for first in range(agents):
                for second in range(agents):
                    if first != second:
                        score = score_of(strengths[first] - strengths[second] + 30)
                        won = (
                            0.0
                            if chance.random() < 0.1
                            else 1.0
                            if chance.random() < score
                            else -1.0
                        )
                        moves = " ".join(map(str, opening + chance.choices(range(7), k=26)))
                        reason = "board full" if won == 0 else "4 in a row"
                        yield (
                            1,
                            pair,
                            first,
                            second,
                            " ".join(map(str, opening)),
                            moves,
                            1,
                            2,
                            won,
                            -won,
                            reason,
                            None,
                            None,
                            1e-4,
                            1e-4,
                            13,
                            13,
                            0.0,
                        )

    with connection:
        for row in rows():
            if left == 0:
                break
            left -= 1
            connection.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
    connection.close()


def report() -> None:
    """Seconds and memory of the report of a large store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.db"
        make_store(path, REPORT_GAMES)
        print(f"report of {REPORT_GAMES:,} games ({path.stat().st_size / 2**20:.0f} MiB)")
        page = Path(folder) / "report.html"
        for form, options in (("text", []), ("HTML", ["--html", str(page)])):
            began = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-m", "plyground.cli", "report", str(path), *options],
                stdout=subprocess.DEVNULL,
            )
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - began
            if status:
                raise SystemExit(
                    f"the report failed with status {os.waitstatus_to_exitcode(status)}"
                )
            processor, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
            size = f", a page of {page.stat().st_size / 2**20:.1f} MiB" if options else ""
            print(
                f"{form}: {seconds:.1f} s ({processor:.1f} s of processor time), at most "
                f"{memory:.2f} GiB{size}",
                flush=True,
            )


PARTS: dict[str, Callable[[], None]] = {"coverage": coverage, "sprt": sprt, "report": report}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
