"""Withdrawal of agents whose process crashes in one game after another.

A tournament does not wait for such an agent again and again.

An agent is withdrawn when its latest games, in the order in which they were finished, have all cost
its process. The store holds these games, so that a tournament that is resumed withdraws the
same agents, unless it is asked to play their games all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...agents.faults import CRASHES
from ..store.store import StoredGame


class Withdrawn(NamedTuple):
    """The agents that are withdrawn, and the games that are therefore not played.

    ``agents`` gives the number of games for each agent, ``games`` the number of them together.
    """

    agents: dict[int, int]
    games: int


class Withdrawals:
    """The agents that are withdrawn.

    Args:
        agents: how many agents there are.
        after: how many crashes in a row it takes; 0 withdraws none.
        latest: the latest games of an agent that were finished before, the last one first, as many
            as are asked for.

    Attributes:
        withdrawn: the numbers of the agents that are withdrawn.
    """

    def __init__(
        self, agents: int, after: int, latest: Callable[[int, int], list[StoredGame]]
    ) -> None:
        self._after = after
        self.withdrawn: set[int] = set()
        self._in_a_row = [0] * agents
        for agent in range(agents if after else 0):
            for game in reversed(latest(agent, after)):
                self._count(agent, game)

    def add(self, game: StoredGame) -> None:
        """Count a game that was finished."""
        for agent in game.players:
            self._count(agent, game)

    def _count(self, agent: int, game: StoredGame) -> None:
        fault, seat = game.result.fault, game.result.forfeited
        crash = fault in CRASHES and seat is not None and game.players[seat] == agent
        self._in_a_row[agent] = self._in_a_row[agent] + 1 if crash else 0
        if self._after and self._in_a_row[agent] >= self._after:
            self.withdrawn.add(agent)
