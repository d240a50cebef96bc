"""Schedules: which agents meet, and the order of the games.

A meeting is two agents; all meetings of a tournament use the same openings, and each opening is a
pair of games, one in each seating. The opening and the seeds of a game depend only on its pair and
its two agents, so a meeting is the same in every format.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .match import agent_seed
from .openings import Openings
from .plan import GAUNTLET, LADDER, ROUND_ROBIN

Meeting = tuple[int, int]  # the numbers of two agents, the lower one first


def _round_robin(count: int) -> list[Meeting]:
    """Every agent against every other."""
    return list(itertools.combinations(range(count), 2))


def gauntlet(count: int) -> list[Meeting]:
    """The first agent against each of the others."""
    return [(0, other) for other in range(1, count)]


def ladder(count: int) -> list[Meeting]:
    """Each agent against the next one in the list."""
    return list(itertools.pairwise(range(count)))


MEETINGS: dict[str, Callable[[int], list[Meeting]]] = {
    ROUND_ROBIN: _round_robin,
    GAUNTLET: gauntlet,
    LADDER: ladder,
}


class ScheduledGame(NamedTuple):
    """A game to be played.

    Attributes:
        pair: the number of the pair it belongs to.
        players: the agents' numbers, by seat.
        opening: the actions that are played first.
        seeds: what each seat is reset with.
    """

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]

    @property
    def key(self) -> tuple[int, int, int]:
        """The key of the game within its tournament."""
        return self.pair, *self.players


class Schedule:
    """The games of a tournament, pair by pair, so that standings are meaningful early.

    After the last opening the first one is used again. Two deterministic agents would then only
    repeat their games; these are skipped.

    Args:
        meetings: the agents that play each other.
        openings: the openings of all meetings.
        pairs: the number of pairs of games of each meeting.
        seed: decides the agents' seeds.
        deterministic: for each agent, whether its play depends on nothing but the course of the
            game.
    """

    def __init__(
        self,
        meetings: list[Meeting],
        openings: Openings,
        pairs: int,
        seed: int,
        deterministic: list[bool],
    ) -> None:
        self.meetings: list[tuple[int, int]] = meetings
        self.pairs: int = pairs
        self._openings, self._seed, self._deterministic = openings, seed, deterministic

    def __iter__(self) -> Iterator[ScheduledGame]:
        for pair in range(self.pairs):
            opening = self._openings[pair]
            for first, second in self.meetings:
                if self._repeats(first, second) and self._openings.find(pair + 1) <= pair:
                    continue
                for players in ((first, second), (second, first)):
                    seeds = (
                        agent_seed(self._seed, pair, players, 0),
                        agent_seed(self._seed, pair, players, 1),
                    )
                    yield ScheduledGame(pair, players, opening, seeds)

    @property
    def total(self) -> int:
        """The number of games."""
        return 2 * len(self.meetings) * self.pairs - self.left_out

    @property
    def left_out(self) -> int:
        """The number of skipped games, which deterministic agents would only repeat."""
        repeating = sum(self._repeats(*meeting) for meeting in self.meetings)
        return 2 * repeating * (self.pairs - self._openings.find(self.pairs)) if repeating else 0

    def _repeats(self, first: int, second: int) -> bool:
        return self._deterministic[first] and self._deterministic[second]
