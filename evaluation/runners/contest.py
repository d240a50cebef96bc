"""A contest: what a process needs to know to play games of a tournament, as plain data."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

from ...agents.agent import Agent
from ...agents.faults import Fault, begin, close, faults_of
from ...agents.human import HumanAgent
from ...agents.registry import make_agent, modules_of, resolve_agent
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..fingerprints import Description, check_identity, describe
from ..match import NO_LIMITS, TO_THE_END, Adjudication, GameResult, Limits, play_game
from ..statistics.withdrawals import WITHDRAW_AFTER
from ..store.store import GameKey
from .isolation import ALWAYS, AUTO, ISOLATION, NEVER, IsolatedAgent, is_isolated

LEAST_MEMORY = 256 << 20


class Conditions(NamedTuple):
    """The conditions under which games are played.

    Attributes:
        isolation: which agents play from a process of their own: ``auto`` (those whose class says
            so), ``always`` or ``never``.
        limits: what each agent may use.
        withdraw_after: an agent that has crashed in this many games in a row is withdrawn; 0
            withdraws none.
        adjudication: when games end before their rules end them.
    """

    isolation: str = AUTO
    limits: Limits = NO_LIMITS
    withdraw_after: int = WITHDRAW_AFTER
    adjudication: Adjudication = TO_THE_END

    def check(self) -> None:
        """SpecificationError if nothing can be played under these conditions."""
        if self.isolation not in ISOLATION:
            raise SpecificationError(
                f"there is no isolation {self.isolation!r} (there are: {', '.join(ISOLATION)})"
            )
        times = (self.limits.move_seconds, self.limits.game_seconds)
        for what, limit in zip(("a move", "a game"), times):
            if limit is not None and not 0 < limit < math.inf:
                raise SpecificationError(
                    f"the time for {what} must be more than 0 seconds, not {limit:g}"
                )
        if self.limits.memory_bytes is not None and self.limits.memory_bytes < LEAST_MEMORY:
            raise SpecificationError(
                f"an agent's process needs {LEAST_MEMORY >> 20}M of memory at least before it has "
                f"done anything"
            )
        self.adjudication.check()
        if self.withdraw_after < 0:
            raise SpecificationError(
                f"an agent is withdrawn after 0 (never) or more crashes, not {self.withdraw_after}"
            )


USUAL = Conditions()


class Contest(NamedTuple):
    """The agents that play each other, their game and the conditions.

    Attributes:
        game: the game.
        agents: the agents' specifications, by their numbers; or agents of this process.
        labels: their names.
        conditions: what they may use, and where they play.
        versions: the agents' identities (see :class:`Description`) where they are known.
        in_worker: whether the games are played in a worker, which may end without harm.
    """

    game: Game
    agents: tuple[str | Agent, ...]
    labels: tuple[str, ...]
    conditions: Conditions = USUAL
    versions: tuple[str, ...] = ()
    in_worker: bool = False

    @property
    def isolation(self) -> str:
        """Which of the agents, people left out, play from processes of their own here.

        ``always`` all of them, ``never`` none, ``auto`` some.
        """
        numbers = [number for number in range(len(self.agents)) if not self.is_human(number)]
        isolated = {self._is_isolated(number) for number in numbers}
        return AUTO if len(isolated) > 1 else ALWAYS if True in isolated else NEVER

    def _is_isolated(self, number: int) -> bool:
        agent = self.agents[number]
        mode = self.conditions.isolation
        return isinstance(agent, str) and is_isolated(agent, mode, self.in_worker)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that define the game and the agents; importing them registers both."""
        specs = [agent for agent in self.agents if isinstance(agent, str)]
        modules = (module for spec in specs for module in modules_of(spec, self.game))
        return tuple(dict.fromkeys(modules))

    def agent(self, number: int) -> Agent:
        """The agent of that number.

        Raises:
            SpecificationError: it cannot be made, or is another one than it was. That of an
                isolated agent is not known before it is described.
        """
        spec = self.agents[number]
        expected = self.versions[number] if self.versions else None
        if isinstance(spec, Agent):
            return spec
        if self._is_isolated(number):
            limits = self.conditions.limits
            return IsolatedAgent(spec, self.game, 0, limits, self.modules, expected, in_match=True)
        try:
            with faults_of(resolve_agent(spec)[0].foreign, SpecificationError):
                agent = make_agent(spec, self.game)
                description = describe(agent)
        except Fault as fault:
            raise SpecificationError(f"{spec} cannot be made: it {fault}") from None
        check_identity(spec, description, expected)
        return agent

    def is_human(self, number: int) -> bool:
        """Whether the agent of that number is a person at the terminal."""
        agent = self.agents[number]
        agent_class = type(agent) if isinstance(agent, Agent) else resolve_agent(agent)[0]
        return issubclass(agent_class, HumanAgent)

    def describe(self) -> list[Description]:
        """The agents' descriptions of themselves. The agents are made for this and released again.

        Raises:
            SpecificationError: one of them cannot be made.
        """
        descriptions: dict[str | Agent, Description] = {}
        for number, spec in enumerate(self.agents):
            if spec not in descriptions:
                agent = self.agent(number)
                try:
                    descriptions[spec] = describe(agent)
                finally:
                    _release(agent, spec)
        return [descriptions[spec] for spec in self.agents]


def _release(agent: Agent, spec: str | Agent) -> None:
    """Close an agent that was made for a contest; one that was lent is its owner's."""
    if agent is not spec:
        close(agent)


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
    def key(self) -> GameKey:
        """The key of the game within its tournament."""
        return self.pair, *self.players


class Arena:
    """The agents of a contest, and their games in this process.

    A game does not depend on the games that its agents have played before.

    Attributes:
        contest: the contest.
        isolation: which agents play from processes of their own, see :attr:`Contest.isolation`.
        agents: the agents, by their numbers.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest, self.isolation = contest, contest.isolation
        self.agents = [contest.agent(number) for number in range(len(contest.agents))]

    def __enter__(self) -> Self:
        """Make sure that each agent exists; SpecificationError if one cannot be made."""
        try:
            for agent in self.agents:
                describe(agent)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def get_ready(self) -> tuple[str | None, ...]:
        """Let the agents compile and allocate, which is no thinking time; returns their versions.

        An agent that fails in this will forfeit its games; None stands for its version.
        """
        return tuple(map(self._get_ready, self.agents))

    def _get_ready(self, agent: Agent) -> str | None:
        try:
            begin(agent, self.contest.game, seed=0)
            return describe(agent).identity
        except Fault:  # the games will tell
            return None

    def play(self, game: ScheduledGame) -> GameResult:
        """Play a game."""
        return play_game(
            self.contest.game,
            [self.agents[number] for number in game.players],
            game.opening,
            game.seeds,
            [self.contest.labels[number] for number in game.players],
            limits=self.contest.conditions.limits,
            adjudication=self.contest.conditions.adjudication,
        )

    def close(self) -> None:
        """Close the agents, which ends the processes of isolated ones."""
        for agent, spec in zip(self.agents, self.contest.agents):
            _release(agent, spec)
