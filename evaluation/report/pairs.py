"""Statistics of pairs of games: meetings, sequential tests, openings."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..statistics.cross_table import CrossTable
from ..statistics.ratings import Ratings
from ..statistics.sprt import (
    Hypotheses,
    hypotheses_of,
    log_likelihood_ratio,
    normalized_elo,
)
from ..store.store import StoredTournament

MOST_POINTS = 200  # of the chart of a test


class PairResult(NamedTuple):
    """The pairs of two agents.

    Attributes:
        first, second: their labels, the stronger one first.
        pairs: how many pairs brought the first 0, ½, 1, 1½ and 2 points.
        score: points of the first for each game of a pair; None without pairs.
        elo: the difference of the ratings, and half the width of its 95 % interval.
        normalized: the same in normalised Elo; None if all pairs have the same result.
        superiority: the likelihood that the first is the stronger one.
    """

    first: str
    second: str
    pairs: tuple[int, ...]
    score: float | None
    elo: tuple[float, float] | None
    normalized: tuple[float, float] | None
    superiority: float | None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "agent": self.first,
            "opponent": self.second,
            "pentanomial": list(self.pairs),
            "score": self.score,
            "elo": self.elo and self.elo[0],
            "margin": self.elo and self.elo[1],
            "normalized_elo": self.normalized and self.normalized[0],
            "normalized_margin": self.normalized and self.normalized[1],
            "superiority": self.superiority,
        }


def pair_results(table: CrossTable, ratings: Ratings | None) -> list[PairResult]:
    """All meetings with complete pairs, the strongest agents first."""
    order = [row.number for row in table.standings()] if ratings is None else ratings.order()
    place = {table.rows[number].label: place for place, number in enumerate(order)}
    results = []
    for meeting in table.meetings():
        if not any(meeting.pairs):
            continue
        first, second, pairs = meeting.first, meeting.second, meeting.pairs
        if place[first] > place[second]:
            first, second, pairs = second, first, pairs[::-1]
        count = sum(pairs)
        score = sum(points * number for points, number in enumerate(pairs)) / (4 * count)
        numbers = order[place[first]], order[place[second]]
        results.append(
            PairResult(
                first,
                second,
                pairs,
                score,
                None if ratings is None else ratings.difference(*numbers),
                normalized_elo(pairs),
                None if ratings is None else ratings.superiority(*numbers),
            )
        )
    return sorted(results, key=lambda result: (place[result.first], place[result.second]))


class SequentialTest(NamedTuple):
    """A sequential test, computed from its games.

    Attributes:
        hypotheses: the hypotheses; agent A is the first of the tournament.
        course: numbers of pairs, and the log-likelihood ratio after each.
    """

    hypotheses: Hypotheses
    course: list[tuple[int, float]]

    @property
    def verdict(self) -> str | None:
        """``H0``, ``H1``, or None if the test is not decided."""
        return self.hypotheses.verdict(self.course[-1][1]) if self.course else None

    def to_json(self) -> dict[str, Any]:
        """The test as plain data."""
        lower, upper = self.hypotheses.bounds
        return {
            **vars(self.hypotheses),
            "lower_bound": lower,
            "upper_bound": upper,
            "verdict": self.verdict,
            "llr": self.course[-1][1] if self.course else None,
            "course": [list(point) for point in self.course],
        }


class PairsWatch:
    """Computes the course of a test while the games of a tournament are counted."""

    def __init__(self, tournament: StoredTournament, table: CrossTable) -> None:
        self._hypotheses = hypotheses_of(tournament.settings)
        if len(table.rows) != 2:
            self._hypotheses = None
        self._table = table
        self._states: list[tuple[int, ...]] = []

    def look(self) -> None:
        """Record the pairs after one more game."""
        meetings = self._table.meetings() if self._hypotheses is not None else []
        if meetings and (not self._states or meetings[0].pairs != self._states[-1]):
            self._states.append(meetings[0].pairs)

    def result(self) -> SequentialTest | None:
        """The test; None if there was none."""
        hypotheses = self._hypotheses
        if hypotheses is None:
            return None
        step = max(1, len(self._states) // MOST_POINTS)
        states = [*self._states[:-1:step], *self._states[-1:]]
        course = [
            (sum(pairs), log_likelihood_ratio(pairs, hypotheses.elo0, hypotheses.elo1))
            for pairs in states
            if any(pairs)
        ]
        return SequentialTest(hypotheses, course)


class OpeningResult(NamedTuple):
    """The games that start from one position.

    Attributes:
        actions: the opening of the first of these games.
        games: number of games.
        points: points of the player who moved first.
    """

    actions: tuple[int, ...]
    games: int
    points: float

    def with_game(self, result: float) -> OpeningResult:
        """Add a game by the return of the player who moved first."""
        points = 1 if result > 0 else 0 if result < 0 else 0.5
        return self._replace(games=self.games + 1, points=self.points + points)

    @property
    def score(self) -> float:
        """The score of the player who moved first."""
        return self.points / self.games
