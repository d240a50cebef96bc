"""Elo ratings of a whole pool, computed from counts of results.

Model (Bradley-Terry): agent i scores p = 1 / (1 + 10^((r_j - r_i) / 400)) points a game against
agent j, a win being one point and a draw half a point. Ratings are the maximum of the likelihood
over all results at once, so their order does not matter. Only differences are determined; an anchor
fixes one agent's rating, and without one the mean is 0.

Perfect scores: Jeffreys' prior (Firth's correction) is a part of the likelihood. It weighs as much
as one drawn game for each agent but one, spread over the meetings where the result says most about
the ratings, keeps all ratings finite, and takes away the bias of small samples. For two agents it
is exactly half a point more for either side.

Intervals: the unit of evidence is the pair (one opening, both seatings), within which results
depend on each other. The covariance is the sandwich of the information matrix and the observed
variance of the pairs' scores, each pair being one observation; the prior's games enter the variance
as half won and half lost, so that a perfect score has a wide interval and not an empty one.

Sources: R. Bradley and M. Terry, "Rank Analysis of Incomplete Block Designs" (1952); D. Firth,
"Bias Reduction of Maximum Likelihood Estimates" (1993); K.-Y. Liang and S. Zeger, "Longitudinal
Data Analysis Using Generalized Linear Models" (1986) for the sandwich with clusters; R. Bell and D.
McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples" (2002)
for few clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...agents.faults import AgentFaults
from ...envs.pictures.tables import html_table
from .intervals import QUANTILE

ELO = 400 / math.log(10)  # Elo points per unit of log-odds
PAIR_POINTS = np.array([0, 0.5, 1, 1.5, 2])
SINGLE_POINTS = np.array([0, 0.5, 1])
TOLERANCE = 1e-9  # in log-odds
MAX_STEPS = 10_000

Floats = npt.NDArray[np.float64]


class RatingsError(ValueError):
    """The results do not determine ratings; the message says why."""


class Meeting(NamedTuple):
    """The results of two agents against each other.

    Attributes:
        first: an agent's label.
        second: the other agent's label.
        pairs: how many pairs brought the first agent 0, ½, 1, 1½ and 2 points.
        singles: how many games without their other half brought it 0, ½ and 1 point.
    """

    first: str
    second: str
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    singles: tuple[int, int, int] = (0, 0, 0)

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs) + sum(self.singles)

    @property
    def points(self) -> float:
        """The points of the first agent."""
        return float(PAIR_POINTS @ self.pairs + SINGLE_POINTS @ self.singles)


class Ratings:
    """Ratings of a pool.

    Attributes:
        labels: the agents' names.
        elo: their ratings, float64[k].
        covariance: covariance of the ratings relative to the mean of the pool, in Elo points
            squared, float64[k, k].
        anchor: the number of the agent whose rating is fixed, or None.
        opening: the source of the openings; empty if not known.
        faults: faults of the agents that forfeited games, which are rated as lost.
    """

    opening: str = ""

    def __init__(
        self,
        labels: Sequence[str],
        elo: Floats,
        covariance: Floats,
        anchor: int | None = None,
        faults: Sequence[AgentFaults] = (),
    ) -> None:
        self.labels: list[str] = list(labels)
        self.elo: np.ndarray = elo
        self.covariance: np.ndarray = covariance
        self.anchor = anchor
        self.faults: tuple[AgentFaults, ...] = tuple(faults)

    def margin(self, agent: int) -> float:
        """Half the width of the 95 % interval of an agent's rating relative to the pool's mean.

        An anchor shifts all ratings but no interval: relative to a weak anchor all intervals would
        be as wide as its own, and overlap although the order is certain.
        """
        return QUANTILE * math.sqrt(max(0.0, float(self.covariance[agent, agent])))

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """The difference of two ratings, and half the width of its 95 % interval."""
        covariance = self.covariance
        variance = (
            covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
        )
        return float(self.elo[first] - self.elo[second]), QUANTILE * math.sqrt(
            max(0.0, float(variance))
        )

    def superiority(self, first: int, second: int) -> float:
        """The probability, from 0 to 1, that the first agent is the stronger one."""
        elo, margin = self.difference(first, second)
        return 0.5 if margin == 0 else 0.5 * math.erfc(-elo / (margin / QUANTILE) / math.sqrt(2))

    def order(self) -> list[int]:
        """The agents' numbers, the strongest first."""
        return sorted(range(len(self.labels)), key=lambda agent: (-self.elo[agent], agent))

    def __str__(self) -> str:
        """A line for each agent, the strongest first: its name, its rating, the interval.

        Below are a line for each agent that forfeited games, and the source of the openings.
        """
        width = max(map(len, self.labels))
        lines = [
            f"{self.labels[i]:{width}} {self.elo[i]:+6.0f} ± {self.margin(i):.0f} Elo"
            for i in self.order()
        ]
        openings = [f"openings {self.opening}"] if self.opening else []
        return "\n".join([*lines, *map(str, self.faults), *openings])

    def _repr_html_(self) -> str:
        """Notebooks show the ratings as a table."""
        rows = [
            (place, self.labels[i], f"{self.elo[i]:+.0f}", f"± {self.margin(i):.0f}")
            for place, i in enumerate(self.order(), 1)
        ]
        return html_table(rows, ["#", "agent", "Elo", "95 %"], notes=self.faults)

    def to_json(self) -> dict[str, Any]:
        agents = [
            {"agent": self.labels[i], "elo": float(self.elo[i]), "margin": self.margin(i)}
            for i in self.order()
        ]
        superior = [
            {
                "agent": self.labels[i],
                "opponent": self.labels[j],
                "likelihood": self.superiority(i, j),
            }
            for i in self.order()
            for j in self.order()
            if i != j
        ]
        about = {"opening": self.opening} if self.opening else {}
        faults = [{"agent": each.agent, **each.to_json()} for each in self.faults]
        return {"agents": agents, "superiority": superior, "faults": faults, **about}


def rate(
    labels: Sequence[str],
    meetings: Sequence[Meeting],
    anchor: tuple[str, float] | None = None,
    faults: Sequence[AgentFaults] = (),
) -> Ratings:
    """Rate a pool of k agents.

    Args:
        labels: the agents' labels, all different.
        meetings: the results; agents that meet may be listed several times, in either order.
        anchor: an agent's label and the rating it is given; without it the mean rating is 0.
        faults: of the agents, which the ratings keep.

    Raises:
        RatingsError: there are no agents, two have the same label, the anchor is none of them, a
            meeting names an agent that does not exist, or the pool falls into parts that never met.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    if len(numbers) < len(labels):
        raise RatingsError(f"two agents have the same label: {', '.join(labels)}")
    if anchor is not None and anchor[0] not in numbers:
        raise RatingsError(
            f"the anchor {anchor[0]!r} is not one of the agents: {', '.join(labels)}"
        )
    for meeting in meetings:
        if len({meeting.first, meeting.second} & numbers.keys()) < 2:
            raise RatingsError(
                f"a meeting is between two of the agents {', '.join(labels)}, not "
                f"{meeting.first} and {meeting.second}"
            )
    results = [meeting for meeting in meetings if meeting.games]
    if not labels:
        raise RatingsError("there are no agents")
    _check_connected(labels, results)
    first = np.array([numbers[meeting.first] for meeting in results], np.int64)
    second = np.array([numbers[meeting.second] for meeting in results], np.int64)
    strengths, bread, prior = _fit(
        len(labels),
        first,
        second,
        np.array([m.games for m in results], float),
        np.array([m.points for m in results]),
    )
    covariance = ELO**2 * _sandwich(strengths, bread, prior, first, second, results)
    elo = ELO * strengths
    if anchor is None:
        return Ratings(labels, elo, covariance, faults=faults)
    place = numbers[anchor[0]]
    return Ratings(labels, elo - elo[place] + anchor[1], covariance, place, faults)


def elo_of(score: float) -> float:
    """The Elo difference at which the expected score is ``score``; infinite at 0 and 1."""
    return (
        -math.inf if score <= 0 else math.inf if score >= 1 else ELO * math.log(score / (1 - score))
    )


def score_of(elo: float) -> float:
    """The expected score at an Elo difference, from 0 to 1."""
    return 0.5 * (1 + math.tanh(elo / ELO / 2))


def _check_connected(labels: Sequence[str], meetings: Sequence[Meeting]) -> None:
    """RatingsError where some agents have not met the others, not even by way of third ones."""
    group = {label: number for number, label in enumerate(labels)}
    for meeting in meetings:
        old, new = group[meeting.second], group[meeting.first]
        group = {label: new if number == old else number for label, number in group.items()}
    parts = [
        ", ".join(label for label in labels if group[label] == number)
        for number in sorted(set(group.values()))
    ]
    if len(parts) > 1:
        raise RatingsError(
            f"no results connect these groups of agents, so that no ratings compare them: "
            f"{'; '.join(parts)}"
        )


def _information(
    count: int, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], weights: Floats
) -> Floats:
    """The inverse Laplacian of the meetings, on the ratings of mean 0.

    Each meeting has a weight; float64[count, count].
    """
    laplacian = np.full((count, count), 1 / count)
    for i, j, sign in (
        (first, first, 1),
        (second, second, 1),
        (first, second, -1),
        (second, first, -1),
    ):
        np.add.at(laplacian, (i, j), sign * weights)
    return np.linalg.inv(laplacian) - 1 / count


def _spread(inverse: Floats, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """The variance of the difference of the two agents of each meeting under a covariance."""
    spread: Floats = inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]
    return spread


def _fit(
    count: int,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    games: Floats,
    points: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Ratings in log-odds, the inverse information, and the prior's games of each meeting.

    The ratings have mean 0.

    Newton's steps on the score function with Firth's correction: a meeting whose results carry the
    share h of the information on one rating is treated as having h more games, drawn. The sum of h
    over the meetings is the number of agents but one.
    """
    strengths = np.zeros(count)
    for _ in range(MAX_STEPS):
        expected = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        slope = expected * (1 - expected)
        prior = (
            games
            * slope
            * _spread(_information(count, first, second, games * slope), first, second)
        )
        surplus = points - games * expected + prior * (0.5 - expected)
        gradient = np.bincount(first, surplus, count) - np.bincount(second, surplus, count)
        inverse = _information(count, first, second, (games + prior) * slope)
        step = inverse @ gradient
        largest = float(np.abs(step).max(initial=0.0))
        # a step of more than one unit leaves the range in which the slope is meaningful
        strengths = strengths + step / max(1.0, largest)
        if largest < TOLERANCE:
            return strengths - strengths.mean(), inverse, prior
    raise RatingsError("the ratings did not converge; please report these results")


def _sandwich(
    strengths: Floats,
    inverse: Floats,
    prior: Floats,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    meetings: Sequence[Meeting],
) -> Floats:
    """The covariance of ratings in log-odds, each pair of games being one observation."""
    count = len(strengths)
    expected = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    spread = _spread(inverse, first, second)
    meat = np.zeros((count, count))
    for k, (i, j, meeting) in enumerate(zip(first, second, meetings)):
        p, q = expected[k], 1 - expected[k]
        # An observation pulls the ratings towards itself, which shrinks its own residual by its
        # share of the information.
        total = sum(
            float(np.square(values - games * p) @ counts) / (1 - games * p * q * spread[k])
            for games, values, counts in (
                (2, PAIR_POINTS, meeting.pairs),
                (1, SINGLE_POINTS, meeting.singles),
            )
            if any(counts)
        )
        total += prior[k] * (p * p + q * q) / 2  # half won, half lost
        meat[[i, j], [i, j]] += total
        meat[[i, j], [j, i]] -= total
    covariance: Floats = inverse @ meat @ inverse
    return covariance
