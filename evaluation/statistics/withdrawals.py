"""Withdrawal of agents whose process crashes repeatedly.

So a tournament does not wait for such an agent again and again.

An agent is withdrawn when its process crashed in each of its latest games, in the order in which
they finished. The store holds these games, so a resumed tournament withdraws the same agents,
unless it is told to play their games anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...agents.faults import CRASHES
from ..store.store import StoredGame


class Withdrawn(NamedTuple):
    """The withdrawn agents, and the games that are not played because of them.

    ``agents`` is the number of games for each agent, ``games`` their total.
    """

    agents: dict[int, int]
    games: int


class Withdrawals:
    """The agents that are withdrawn.

    Args:
        agents: the number of agents.
        after: the number of crashes in a row that withdraws an agent; 0: never.
        latest: a function that returns the latest finished games of an agent, the last one first,
            as many as requested.

    Attributes:
        withdrawn: the numbers of the withdrawn agents.
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
        """Count a finished game."""
        for agent in game.players:
            self._count(agent, game)

    def _count(self, agent: int, game: StoredGame) -> None:
        fault, seat = game.result.fault, game.result.forfeited
        crash = fault in CRASHES and seat is not None and game.players[seat] == agent
        self._in_a_row[agent] = self._in_a_row[agent] + 1 if crash else 0
        if self._after and self._in_a_row[agent] >= self._after:
            self.withdrawn.add(agent)
