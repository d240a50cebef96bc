"""Isolated agents: each runs in a separate process.

Whatever such an agent does (hang in native code, exit, exhaust the memory) affects only its own
process: a match forfeits the game, and the process is restarted before the next one. This guards
against mistakes, not against malice: the process has all rights of its user.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from ...agents import Agent, Decision, make_agent
from ...agents.faults import EXITED, Fault, legal_action
from ...agents.human import HumanAgent
from ...agents.registry import modules_of, resolve_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ...envs.workers.errors import RunnerError
from ..conditions import ALWAYS, AUTO, USUAL, Conditions
from ..fingerprints import Description, check_identity
from .agent_process import LONGEST_MOVE_SECONDS, AgentProcess


def is_isolated(spec: str, mode: str, in_worker: bool = False) -> bool:
    """Whether an agent runs in a separate process: ``auto`` asks its class.

    A person always stays at this terminal. Foreign code can end its process (``os._exit(0)``)
    silently and with a status of success. So with ``never`` it runs in worker processes, which are
    monitored, and in this one only if no other process could run it.

    Args:
        spec: the agent's specification.
        mode: one of :data:`ISOLATION`.
        in_worker: whether it would otherwise play in a worker's process.
    """
    agent_class, _ = resolve_agent(spec)
    if issubclass(agent_class, HumanAgent):
        return False
    if agent_class.foreign and not in_worker and _runs_elsewhere(agent_class):
        return True
    return mode == ALWAYS or (mode == AUTO and agent_class.isolated)


def _runs_elsewhere(agent_class: type[Agent]) -> bool:
    """Whether another process can create an agent of this class: not one defined in a script."""
    name = agent_class.__module__
    has_file = getattr(sys.modules.get(name), "__file__", None) is not None
    return os.name == "posix" and name != "__main__" and has_file


class IsolatedAgent(Agent):
    """An agent in a separate process, which is started when it is first needed.

    The process ends with this object. A failure of the agent is a Fault in a match; elsewhere
    (analyses, books, judges, training) it is a SpecificationError that names the agent.

    Args:
        spec: the agent's specification.
        game: the game it plays.
        seed: the seed it is reset with.
        conditions: its limits.
        modules: user modules that register the game or the agent; None: the modules of its
            specification.
        expected: the identity that the agent must have whenever it is started, see
            :class:`Description`; None: the identity of its first start.
        in_match: whether a match uses it. Its processes are then stopped while it is not to move,
            so that they use none of the opponent's time.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        seed: int = 0,
        conditions: Conditions = USUAL,
        modules: tuple[str, ...] | None = None,
        expected: str | None = None,
        in_match: bool = False,
    ) -> None:
        agent_class, _ = resolve_agent(spec)
        self.name: str = agent_class.name  # type: ignore[misc]
        self._spec, self._game, self._expected = spec, game, expected
        self._modules = modules_of(spec, game) if modules is None else modules
        self._runs_own_code = not agent_class.foreign
        self._in_match = in_match
        self._description: Description | None = None  # once the agent was created
        self._is_reset = False  # with the seed of this object, in the running process
        self._process = AgentProcess(conditions, pausing=in_match)
        super().__init__(game, seed)

    @property
    def pid(self) -> int | None:
        """The process ID, or None without a process."""
        return self._process.pid

    def start(self) -> Description:
        """Start the process; SpecificationError if the agent's identity has changed."""
        self._is_reset = False
        with self._faults():
            description = self._process.make(self._spec, self._game, self._modules, anew=True)
        check_identity(self._spec, description, self._expected)
        self._expected, self._description = description.identity, description
        self.options = description.options
        return description

    @property
    def description(self) -> Description:
        """The agent's description; SpecificationError if it cannot be created."""
        try:
            return self._description or self.start()
        except Fault as fault:
            raise SpecificationError(f"{self._spec} cannot be made: it {fault}") from None

    def get_ready(self, game: Game) -> None:
        if game != self._game:
            raise SpecificationError(f"{self._spec} was made for {self._game.spec} here")
        if self._process.occupant is None:  # not yet, or not after a crash
            self.start()
        with self._faults():
            self._process.get_ready()

    def reset(self, seed: int = 0) -> None:
        self.seed = seed  # the random generator is in the process
        self._is_reset = self._process.occupant is not None  # else when it is started
        if self._is_reset:
            with self._faults():
                self._process.reset(seed, min(self.time_left, LONGEST_MOVE_SECONDS))

    def act(self, situation: Any) -> int:
        if not self._in_match:
            return super().act(situation)
        with self._faults():
            return self._process.choose(situation, min(self.time_left, LONGEST_MOVE_SECONDS))

    def analyse(self, situation: Any) -> Decision:
        if self._in_match:
            return self.decide(situation)
        return super().analyse(situation)

    def decide(self, position: Position) -> Decision:
        if not self._is_reset:
            self.reset(self.seed)
        seconds = min(self.time_left, LONGEST_MOVE_SECONDS)
        with self._faults():
            decision = self._process.decide(position, seconds, self.on_progress)
            if not self._in_match:
                legal_action(decision.action, position)
            return decision

    @property
    def tokens_of_game(self) -> int:  # type: ignore[override]
        """The tokens used since the reset; 0 if its process, which counts them, has ended."""
        counts = self._description is not None and self._description.uses_tokens
        return self._process.tokens() if counts else 0

    def processor_seconds(self) -> float:
        return self._process.processor_seconds()

    def close(self) -> None:
        self._process.close()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Convert a fault of the process to an error of the caller, except in a match.

        The death of a process with one of plyground's own agents is not the agent's fault: a user
        or the system ended it, or plyground has an error.
        """
        try:
            yield
        except Fault as fault:
            if self._runs_own_code and fault.kind == EXITED:
                raise RunnerError(
                    f"{self._spec} {fault}, which is not the agent's fault; the game is not counted"
                ) from None
            if self._in_match:
                raise
            raise SpecificationError(f"{self._spec} {fault}") from None

    @property
    def deterministic(self) -> bool:
        return self.description.deterministic

    @property
    def version(self) -> str:
        return self.description.version

    @property
    def spec(self) -> str:
        return self.description.spec

    def __str__(self) -> str:
        return self._spec

    def __del__(self) -> None:
        process = self.__dict__.get("_process")
        if process is not None:
            process.close()


def make_safe_agent(spec: str, game: Game, seed: int = 0) -> Agent:
    """Create an agent that cannot end or block this process, whatever it does.

    Agents that a match isolates run in a separate process.

    Raises:
        SpecificationError: the agent cannot be created; later, it fails.
    """
    if is_isolated(spec, AUTO):
        agent = IsolatedAgent(spec, game, seed)
        agent.start()
        return agent
    return make_agent(spec, game, seed)


def make_isolated_opponent(spec: str, game: Game) -> Agent:
    """Create an opponent for training, as :func:`make_safe_agent` does.

    A network stays in this process, where it evaluates a batch of games in one forward pass.

    Raises:
        SpecificationError: as there.
    """
    agent_class, _ = resolve_agent(spec)
    if hasattr(agent_class, "act_batch"):
        return make_agent(spec, game)
    return make_safe_agent(spec, game)
