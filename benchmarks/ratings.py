"""Coverage of ratings and error rates of sequential tests.

    python benchmarks/ratings.py                # all of it, about two minutes
    python benchmarks/ratings.py coverage sprt  # parts: coverage, sprt

``coverage`` simulates pools of known strengths and counts how often the 95 % intervals contain the
true ratings. ``sprt`` simulates tests under both hypotheses and counts wrong verdicts.
"""

from __future__ import annotations

from typing import Literal

import cyclopts
import numpy as np
from plyground.evaluation.statistics.ratings import Meeting, rate, score_of
from plyground.evaluation.statistics.sprt import H0, H1, Hypotheses, log_likelihood_ratio

SIMULATIONS = 1000


def pair_probabilities(difference: float, draws: float, bias: float) -> np.ndarray:
    """Probabilities of 0, ½, 1, 1½ and 2 points in a pair.

    The opening favours either seat by a uniformly random amount. ``draws`` is the share of draws
    and ``bias`` the greatest advantage of a seat, both relative to their largest possible value for
    the expected score.
    """
    score = score_of(difference)
    room = min(score, 1 - score)
    chances = np.zeros(5)
    advantages = np.linspace(-bias * room, bias * room, 101)
    for advantage in advantages:
        games = []
        for expected in (score + advantage, score - advantage):
            draw = 2 * draws * min(expected, 1 - expected)
            games.append([1 - expected - draw / 2, draw, expected - draw / 2])
        chances += np.convolve(*games) / len(advantages)
    return chances


def coverage() -> None:
    """Pools of several sizes, with new random strengths in each simulation."""
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
        hits = []
        for _ in range(SIMULATIONS):
            elo = rng.normal(0, spread, agents)
            elo -= elo.mean()
            pool = [
                (i, j, pair_probabilities(elo[i] - elo[j], draws, bias))
                for i in range(agents)
                for j in range(i + 1, agents)
            ]
            ratings = rate(
                [str(agent) for agent in range(agents)],
                [
                    Meeting(str(i), str(j), tuple(rng.multinomial(pairs, chances)))
                    for i, j, chances in pool
                ],
            )
            hits += [
                abs(ratings.elo[agent] - elo[agent]) <= ratings.margin(agent)
                for agent in range(agents)
            ]
        print(
            f"{agents:6}  {pairs:10}  {draws:5.1f}  {bias:9.1f}  {spread:12}  "
            f"{100 * np.mean(hits):6.1f} %",
            flush=True,
        )


def simulate_sprt(
    rng: np.random.Generator, hypotheses: Hypotheses, chances: np.ndarray
) -> tuple[str, int]:
    """The verdict of one test, and its number of pairs."""
    counts = [0, 0, 0, 0, 0]
    pairs = 0
    while True:
        for outcome in rng.choice(5, 256, p=chances).tolist():
            counts[outcome] += 1
            pairs += 1
            verdict = hypotheses.verdict(
                log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
            )
            if verdict is not None:
                return verdict, pairs


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


def main(*parts: Literal["coverage", "sprt"]) -> None:
    """Print the named parts, or both."""
    for part in parts or ("coverage", "sprt"):
        {"coverage": coverage, "sprt": sprt}[part]()


if __name__ == "__main__":
    cyclopts.run(main)
