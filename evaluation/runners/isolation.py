"""Isolated agents: each plays from a process of its own.

Whatever such an agent does (hang in native code, exit, use up the memory) loses it a game and
nothing else. Its process is started again after every such fault, before its next game. While it is
not to move its processes are stopped, so that they take no time of the opponent's. This guards
against mistakes, not against malice: the process has all rights of its user.
"""

from __future__ import annotations

from typing import Any

from ...agents import Decision
from ...agents.human import HumanAgent
from ...agents.registry import resolve_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ..match import NO_LIMITS, Limits
from ..players import Description, Fault, Player, check_identity
from .agent_process import LONGEST_MOVE_SECONDS, AgentProcess

AUTO, ALWAYS, NEVER = ISOLATION = ("auto", "always", "never")


def is_isolated(spec: str, mode: str) -> bool:
    """Whether an agent plays from a process of its own: ``auto`` asks its class.

    A person always stays at this terminal.
    """
    agent_class, _ = resolve_agent(spec)
    if issubclass(agent_class, HumanAgent) or mode == NEVER:
        return False
    return mode == ALWAYS or agent_class.isolated


class IsolatedPlayer(Player):
    """An agent in a process of its own, which is started when it is first needed.

    Args:
        spec: the agent's specification.
        game: the game it plays.
        limits: what it may use.
        modules: modules of the user's own that register the game or the agent.
        expected: the identity that the agent must have whenever it is started, see
            :class:`Description`; None: that of its first start.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        limits: Limits = NO_LIMITS,
        modules: tuple[str, ...] = (),
        expected: str | None = None,
    ) -> None:
        self._spec, self._game, self._modules, self._expected = spec, game, modules, expected
        self._description: Description | None = None  # once the agent has been made
        self._process = AgentProcess(limits, pausing=True)

    @property
    def pid(self) -> int | None:
        """The number of the process, or None if there is none."""
        return self._process.pid

    def describe(self) -> Description:
        """The agent's description of itself; the process is started if that is not known yet.

        Raises:
            SpecificationError: the agent cannot be made.
        """
        if self._description is None:
            try:
                self._description = self._start()
            except Fault as fault:
                raise SpecificationError(f"{self._spec} cannot be made: it {fault}") from None
        return self._description

    def get_ready(self, game: Game) -> None:
        if game != self._game:
            raise ValueError(f"this player was made for {self._game.spec}, not for {game.spec}")
        if self._process.seated is None:
            self._description = self._start()
        self._process.get_ready()

    def reset(self, seed: int, allowed: float) -> None:
        self._process.reset(seed, min(allowed, LONGEST_MOVE_SECONDS))

    def processor_seconds(self) -> float:
        return self._process.processor_seconds()

    def tokens(self) -> int:
        if self._description is None or not self._description.uses_tokens:
            return 0
        try:
            return self._process.tokens()
        except Fault:  # its process has ended, and nobody else has counted
            return 0

    def ask(self, position: Position, analyse: bool, allowed: float) -> tuple[Any, Decision | None]:
        allowed = min(allowed, LONGEST_MOVE_SECONDS)
        if analyse:
            decision = self._process.decide(position, allowed)
            return decision.action, decision
        return self._process.choose(position, allowed), None

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _start(self) -> Description:
        """Start the process; SpecificationError if it makes another agent than it was."""
        description = self._process.seat(self._spec, self._game, self._modules, anew=True)
        check_identity(self._spec, description, self._expected)
        self._expected = description.identity
        return description

    def __str__(self) -> str:
        return self._spec
