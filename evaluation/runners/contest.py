"""What a process needs to know to play games of a tournament, as plain data, and the playing of
them in this process.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...agents import make_agent
from ...agents.registry import resolve_agent
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..match import (
    NO_LIMITS,
    GameResult,
    Limits,
    play_game,
)
from ..store.store import GameKey
from ..withdrawals import WITHDRAW_AFTER
from .agent_worker import Description, describe
from .isolation import (
    AUTO,
    ISOLATION,
    IsolatedPlayer,
    is_isolated,
)

LEAST_MEMORY = 256 << 20


class Conditions(NamedTuple):
    """Under which conditions games are played.

    Attributes:
        isolation: which agents play from a process of their own: ``auto`` (those whose class says
            so), ``always`` or ``never``.
        limits: what each agent may use.
        withdraw_after: an agent that has crashed in this many games in a row is withdrawn; 0
            withdraws nobody.
    """

    isolation: str = AUTO
    limits: Limits = NO_LIMITS
    withdraw_after: int = WITHDRAW_AFTER

    def check(self) -> None:
        """SpecificationError if nothing can be played under these conditions."""
        if self.isolation not in ISOLATION:
            raise SpecificationError(f"isolation is {', '.join(ISOLATION)}, not {self.isolation!r}")
        for what, limit in zip(("a move", "a game"), self.limits):
            if limit is not None and not 0 < limit < math.inf:
                raise SpecificationError(
                    f"the time for {what} is more than 0 seconds, not {limit:g}"
                )
        if self.limits.memory_bytes is not None and self.limits.memory_bytes < LEAST_MEMORY:
            raise SpecificationError(
                f"an agent's process needs {LEAST_MEMORY >> 20}M of memory at least before it has "
                f"done anything"
            )
        if self.withdraw_after < 0:
            raise SpecificationError(
                f"an agent is withdrawn after 0 (never) or more crashes, not {self.withdraw_after}"
            )


USUAL = Conditions()


class Contest(NamedTuple):
    """Who plays what, under which conditions.

    Attributes:
        game: the game.
        agents: the agents' specifications, by their numbers.
        labels: their names.
        conditions: what they may use, and where they play.
        versions: the agents' versions where they are known.
    """

    game: Game
    agents: tuple[str, ...]
    labels: tuple[str, ...]
    conditions: Conditions = USUAL
    versions: tuple[str, ...] = ()

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that define the game and the agents: importing them registers those of the
        user's own.
        """
        classes = [resolve_agent(spec)[0] for spec in self.agents]
        return tuple({found.__module__: None for found in (type(self.game.rules), *classes)})

    def player(self, number: int) -> Any:
        """The agent of that number, made for playing games."""
        spec = self.agents[number]
        if is_isolated(spec, self.conditions.isolation):
            return IsolatedPlayer(spec, self.game, self.conditions.limits, self.modules)
        return make_agent(spec, self.game)

    @contextlib.contextmanager
    def seated(self) -> Iterator[list[Any]]:
        """All agents, made and sure to be there; those with processes of their own end afterwards.

        Raises:
            SpecificationError: one of them cannot be made.
        """
        players = [self.player(number) for number in range(len(self.agents))]
        try:
            for player in players:
                if isinstance(player, IsolatedPlayer):
                    player.describe()
            yield players
        finally:
            for player in players:
                if isinstance(player, IsolatedPlayer):
                    player.close()

    def describe(self) -> list[Description]:
        """What each agent says of itself. Agents are made for this, and let go again.

        Raises:
            SpecificationError: one of them cannot be made.
        """
        known = {
            spec: self._describe(number)
            for spec, number in {spec: number for number, spec in enumerate(self.agents)}.items()
        }
        return [known[spec] for spec in self.agents]

    def _describe(self, number: int) -> Description:
        player = self.player(number)
        if not isinstance(player, IsolatedPlayer):
            return describe(player)
        with contextlib.closing(player):
            return player.describe()


class ScheduledGame(NamedTuple):
    """A game to be played: the pair it belongs to, the agents' numbers by seat, the opening, the
    seed for each seat.
    """

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]

    @property
    def key(self) -> GameKey:
        """What identifies the game within its tournament."""
        return self.pair, *self.players


class Arena:
    """The agents of a contest, alive.

    Which games they have played before makes no difference to a game.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self._players = [contest.player(number) for number in range(len(contest.agents))]

    def get_ready(self) -> None:
        """Let the agents compile and allocate, which is no thinking time.

        An agent that fails in this will forfeit its games.
        """
        for player in self._players:
            with contextlib.suppress(Exception):
                player.get_ready(self.contest.game)

    def versions(self) -> tuple[str | None, ...]:
        """The agents' versions, None where an agent could not be made."""
        return tuple(player.version for player in self._players)

    def play(self, game: ScheduledGame) -> GameResult:
        """Play a game."""
        players = [self._players[number] for number in game.players]
        names = [self.contest.labels[number] for number in game.players]
        return play_game(
            self.contest.game,
            players,
            game.opening,
            game.seeds,
            names,
            limits=self.contest.conditions.limits,
        )

    def close(self) -> None:
        """End the processes of agents that have their own."""
        for player in self._players:
            if isinstance(player, IsolatedPlayer):
                player.close()
