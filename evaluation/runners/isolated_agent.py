"""An agent that thinks in a process of its own, for analyses, books, judges and training.

What a user's own agent does wrong there, it raises as a SpecificationError that names the agent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...agents import Agent, Decision, make_agent
from ...agents.registry import resolve_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ..players import Description, Fault, legal_action
from .agent_process import LONGEST_MOVE_SECONDS, AgentProcess
from .isolation import AUTO, is_isolated


def make_safe_agent(spec: str, game: Game, seed: int = 0) -> Agent:
    """Make an agent that can end neither this process nor its work, whatever it does.

    Those that a match isolates think in a process of their own.

    Raises:
        SpecificationError: the agent cannot be made; later, it fails.
    """
    if is_isolated(spec, AUTO):
        return IsolatedAgent(spec, game, seed)
    return make_agent(spec, game, seed)


def make_isolated_opponent(spec: str, game: Game) -> Agent:
    """Make an opponent of training, as :func:`make_safe_agent` does.

    A network stays in this process, where it answers all games of a batch in one forward pass.

    Raises:
        SpecificationError: as there.
    """
    agent_class, _ = resolve_agent(spec)
    if hasattr(agent_class, "act_batch"):
        return make_agent(spec, game)
    return make_safe_agent(spec, game)


class IsolatedAgent(Agent):
    """An agent in a process of its own, which ends with this object.

    Args:
        spec: the agent's specification.
        game: the game it is made for.
        seed: what it is reset with.
    """

    def __init__(self, spec: str, game: Game, seed: int = 0) -> None:
        agent_class, _ = resolve_agent(spec)
        self.name = agent_class.name  # type: ignore[misc]
        self._spec, self._game = spec, game
        self._process = AgentProcess()
        self._modules = type(game.rules).__module__, agent_class.__module__
        self._description: Description | None = None
        with self._blamed():
            self._description = self._process.seat(spec, game, self._modules)
        super().__init__(game, seed)
        self.options: dict[str, Any] = self._description.options

    @property
    def pid(self) -> int | None:
        """The number of its process, or None if there is none."""
        return self._process.pid

    def check_game(self, game: Game) -> None:
        if game != self._game:
            raise SpecificationError(f"{self._spec} was made for {self._game.spec} here")

    def prepare(self, game: Game) -> None:
        with self._blamed():
            self._process.get_ready()

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        with self._blamed():
            self._seat_again()
            self._process.reset(seed, LONGEST_MOVE_SECONDS)

    def decide(self, position: Position) -> Decision:
        with self._blamed():
            if self._seat_again():
                self._process.reset(self.seed, LONGEST_MOVE_SECONDS)
            report = self.on_progress
            decision = self._process.decide(position, LONGEST_MOVE_SECONDS, report)
            legal_action(decision.action, position)
            return decision

    def _seat_again(self) -> bool:
        """Start a process anew where there is none, after a crash or :meth:`close`."""
        if self._process.seated is not None:
            return False
        self._process.seat(self._spec, self._game, self._modules, anew=True)
        self._process.get_ready()
        return True

    def close(self) -> None:
        self._process.close()

    @contextlib.contextmanager
    def _blamed(self) -> Iterator[None]:
        """Turn a fault into an error of the caller's that names the agent."""
        try:
            yield
        except Fault as fault:
            raise SpecificationError(f"{self._spec} {fault}") from None

    @property
    def deterministic(self) -> bool:
        assert self._description is not None
        return self._description.deterministic

    @property
    def version(self) -> str:
        assert self._description is not None
        return self._description.version

    @property
    def spec(self) -> str:
        return self._spec if self._description is None else self._description.spec

    def __del__(self) -> None:
        process = self.__dict__.get("_process")
        if process is not None:
            process.close()
