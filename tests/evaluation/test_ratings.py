"""Ratings: the model, its second implementations, perfect scores, intervals that cover, pools that
cannot be rated.
"""

from __future__ import annotations

import itertools

import choix
import numpy as np
import pytest
import scipy.optimize
from plyground.evaluation.statistics.ratings import (
    ELO,
    Meeting,
    Ratings,
    RatingsError,
    elo_of,
    rate,
    score_of,
)


def simulated_pairs(
    rng: np.random.Generator, difference: float, pairs: int, draws: float, bias: float
) -> tuple[int, ...]:
    """Pairs between agents of a known difference. The opening favours one seat, so that the two
    games of a pair are not independent.

    ``draws`` and ``bias`` are shares of what the expected score leaves room for.
    """
    score = score_of(difference)
    room = min(score, 1 - score)
    advantage = rng.uniform(-bias * room, bias * room, pairs)
    half_points = np.zeros(pairs, np.int64)
    for expected in (score + advantage, score - advantage):
        drawn = 2 * draws * np.minimum(expected, 1 - expected)
        chance = rng.random(pairs)
        half_points += np.where(
            chance < expected - drawn / 2, 2, np.where(chance < expected + drawn / 2, 1, 0)
        )
    return tuple(np.bincount(half_points, minlength=5).tolist())


def simulated_pool(
    rng: np.random.Generator, elo: np.ndarray, pairs: int, draws: float = 0.3, bias: float = 0.5
) -> list[Meeting]:
    return [
        Meeting(one, other, simulated_pairs(rng, elo[i] - elo[j], pairs, draws, bias))
        for (i, one), (j, other) in itertools.combinations(enumerate(names(len(elo))), 2)
    ]


def names(count: int) -> list[str]:
    return [f"agent {number}" for number in range(count)]


POOL = simulated_pool(np.random.default_rng(5), np.array([-200.0, -50, 0, 90, 160]), 300)


def test_two_agents_are_rated_by_their_score_with_half_a_point_more_for_either_side():
    ratings = rate(["a", "b"], [Meeting("a", "b", (2, 1, 3, 1, 5))], anchor=("b", 0))
    points, games = 0.5 + 3 + 1.5 + 10, 24
    assert ratings.elo.tolist() == pytest.approx([elo_of((points + 0.5) / (games + 1)), 0])


def test_choix_finds_the_same_ratings():
    results = []  # each half-point as one win
    for meeting in POOL:
        half_points = round(2 * meeting.points)
        first, second = map(names(5).index, meeting[:2])
        results += [(first, second)] * half_points
        results += [(second, first)] * (2 * meeting.games - half_points)
    theirs = ELO * choix.opt_pairwise(5, results)
    # theirs have no prior, which is worth less than 1 point in 6,000 games
    assert rate(names(5), POOL).elo == pytest.approx(theirs, abs=1)


def test_a_general_optimiser_finds_the_same_maximum_of_the_penalised_likelihood():
    pool = [
        Meeting("agent 0", "agent 1", (0, 0, 0, 0, 6)),
        Meeting("agent 1", "agent 2", (0, 1, 2, 0, 1)),
        Meeting("agent 0", "agent 2", (0, 0, 1, 0, 0), (0, 0, 1)),
    ]

    def loss(free: np.ndarray) -> float:
        strengths = np.array([0.0, *free])
        information, likelihood = np.zeros((3, 3)), 0.0
        for meeting in pool:
            first, second = map(names(3).index, meeting[:2])
            difference = strengths[first] - strengths[second]
            p = 1 / (1 + np.exp(-difference))
            likelihood += meeting.points * np.log(p) + (meeting.games - meeting.points) * np.log1p(
                -p
            )
            contrast = np.zeros(3)
            contrast[[first, second]] = 1, -1
            information += meeting.games * p * (1 - p) * np.outer(contrast, contrast)
        return -likelihood - np.linalg.slogdet(information[1:, 1:])[1] / 2

    optimum = scipy.optimize.minimize(
        loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12}
    )
    assert rate(names(3), pool, ("agent 0", 0)).elo[1:] == pytest.approx(ELO * optimum.x, abs=1e-3)


def test_intervals_respect_that_the_games_of_a_pair_belong_together():
    # the opening decides: each side wins once
    split = rate(["a", "b"], [Meeting("a", "b", (0, 0, 100, 0, 0))]).margin(0)
    # the same score, but one side wins both
    clear = rate(["a", "b"], [Meeting("a", "b", (50, 0, 0, 0, 50))]).margin(0)
    single = rate(["a", "b"], [Meeting("a", "b", singles=(100, 0, 100))]).margin(0)
    assert split < 0.15 * single
    assert clear == pytest.approx(2**0.5 * single, rel=0.02)


@pytest.mark.parametrize("pairs", [1, 10, 1000, 500_000])
def test_a_perfect_score_gives_a_finite_rating_and_a_wide_interval(pairs):
    ratings = rate(["a", "b"], [Meeting("a", "b", (0, 0, 0, 0, pairs))], ("b", 0))
    assert ratings.elo[0] == pytest.approx(elo_of((2 * pairs + 0.5) / (2 * pairs + 1)))
    assert 300 < ratings.difference(0, 1)[1] < 800
    assert ratings.superiority(0, 1) > (0.75 if pairs == 1 else 0.99)


@pytest.mark.parametrize(
    ("count", "pairs", "draws", "bias", "spread"),
    [(2, 10, 0.3, 0.5, 100), (5, 20, 0.0, 0.0, 200), (8, 5, 0.2, 0.3, 150)],
)
def test_intervals_cover_the_true_ratings_as_often_as_they_say(count, pairs, draws, bias, spread):
    rng = np.random.default_rng(count)
    hits = []
    for _ in range(200):
        elo = rng.normal(0, spread, count)
        elo -= elo.mean()
        ratings = rate(names(count), simulated_pool(rng, elo, pairs, draws, bias))
        hits += [
            abs(ratings.elo[agent] - elo[agent]) <= ratings.margin(agent) for agent in range(count)
        ]
    assert 0.92 <= np.mean(hits) <= 0.98  # benchmarks/ratings.py measures this more precisely


def test_without_an_anchor_the_mean_is_zero_and_an_anchor_moves_everybody_alike():
    free, with_anchor = rate(names(5), POOL), rate(names(5), POOL, ("agent 3", 1500))
    assert free.elo.mean() == pytest.approx(0, abs=1e-6)
    assert with_anchor.elo[3] == 1500
    margins = [[ratings.margin(agent) for agent in range(5)] for ratings in (free, with_anchor)]
    assert margins[0] == pytest.approx(margins[1])
    assert with_anchor.elo - free.elo == pytest.approx(np.full(5, 1500 - free.elo[3]))
    assert with_anchor.difference(0, 1) == pytest.approx(free.difference(0, 1))
    assert with_anchor.superiority(0, 1) == pytest.approx(free.superiority(0, 1))


def test_the_likelihood_of_superiority_is_the_normal_probability_of_the_difference():
    ratings = Ratings(["a", "b"], np.array([100.0, 0]), np.array([[100.0**2, 0], [0, 0]]))
    assert ratings.superiority(0, 1) == pytest.approx(0.841344746)  # one standard deviation
    assert ratings.superiority(0, 1) + ratings.superiority(1, 0) == pytest.approx(1)


def test_the_order_of_agents_and_meetings_does_not_matter():
    mirror_image = [Meeting(m.second, m.first, m.pairs[::-1]) for m in reversed(POOL)]
    assert rate(names(5)[::-1], mirror_image).elo[::-1] == pytest.approx(
        rate(names(5), [*POOL, Meeting("agent 0", "agent 1")]).elo, abs=1e-6
    )


def test_pools_that_no_results_connect_are_refused_by_name():
    with pytest.raises(
        RatingsError,
        match=r"no results connect these groups of agents, .*: agent 0, agent 2; agent 1, agent 3",
    ):
        rate(
            names(4),
            [
                Meeting("agent 0", "agent 2", (0, 1, 0, 0, 0)),
                Meeting("agent 1", "agent 3", (0, 1, 0, 0, 0)),
                Meeting("agent 0", "agent 1"),
            ],
        )


def test_what_cannot_be_rated_is_refused():
    with pytest.raises(RatingsError, match="the anchor 'c' is not one of the agents: a, b"):
        rate(["a", "b"], [Meeting("a", "b", (0, 1, 0, 0, 0))], ("c", 0))
    for other in ("c", "a"):
        with pytest.raises(RatingsError, match=f"two of the agents a, b, not a and {other}"):
            rate(["a", "b"], [Meeting("a", other, (0, 1, 0, 0, 0))])
    with pytest.raises(RatingsError, match="two agents have the same label: a, a"):
        rate(["a", "a"], [])


def test_score_and_elo_are_each_others_inverse():
    assert score_of(400) == pytest.approx(10 / 11)
    assert [elo_of(score_of(elo)) for elo in (-800, 0, 20)] == pytest.approx([-800, 0, 20])
    assert (elo_of(0), elo_of(1)) == (-np.inf, np.inf)
