"""Isolated agents: each thinks in a process of its own.

Whatever such an agent does (hang in native code, exit, use up the memory) costs its process and
nothing else: a match forfeits the game, and the process is started again before the next. This
guards against mistakes, not against malice: the process has all rights of its user.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ...agents import Agent, Decision, make_agent
from ...agents.faults import EXITED, Fault
from ...agents.human import HumanAgent
from ...agents.registry import modules_of, resolve_agent
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ...envs.workers.errors import RunnerError
from ..match import NO_LIMITS, Limits
from ..players import Description, Player, check_identity, legal_action
from .agent_process import LONGEST_MOVE_SECONDS, AgentProcess

AUTO, ALWAYS, NEVER = ISOLATION = ("auto", "always", "never")


def is_isolated(spec: str, mode: str, in_worker: bool = False) -> bool:
    """Whether an agent plays from a process of its own: ``auto`` asks its class.

    A person always stays at this terminal. Code of others may end the process that it runs in
    (``os._exit(0)``), without a word and with a status of success. So ``never`` lets it into the
    processes of workers, which are watched, and into this one only where no other could run it.

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
    """Whether another process can make an agent of this class: not what a script defines."""
    name = agent_class.__module__
    has_file = getattr(sys.modules.get(name), "__file__", None) is not None
    return os.name == "posix" and name != "__main__" and has_file


class IsolatedPlayer(Player):
    """An agent in a process of its own, which is started when it is first needed.

    Args:
        spec: the agent's specification.
        game: the game it plays.
        limits: what it may use.
        modules: modules of the user's own that register the game or the agent.
        expected: the identity that the agent must have whenever it is started, see
            :class:`Description`; None: that of its first start.
        pausing: whether its processes are stopped while it is not to move, so that they take no
            time of the opponent's.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        limits: Limits = NO_LIMITS,
        modules: tuple[str, ...] = (),
        expected: str | None = None,
        pausing: bool = True,
    ) -> None:
        self._spec, self._game, self._modules, self._expected = spec, game, modules, expected
        self._description: Description | None = None  # once the agent has been made
        self._process = AgentProcess(limits, pausing)
        self._foreign = resolve_agent(spec)[0].foreign
        self._report: Callable[[Decision], None] | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process, or None if there is none."""
        return self._process.pid

    @property
    def is_ready(self) -> bool:
        """Whether a process holds the agent; it does not after a crash or :meth:`close`."""
        return self._process.occupant is not None

    def start(self) -> Description:
        """Start the process; SpecificationError if it makes another agent than it was."""
        with self._no_death_of_our_own():
            description = self._process.seat(self._spec, self._game, self._modules, anew=True)
        check_identity(self._spec, description, self._expected)
        self._expected, self._description = description.identity, description
        return description

    def describe(self) -> Description:
        try:
            return self._description or self.start()
        except Fault as fault:
            raise SpecificationError(f"{self._spec} cannot be made: it {fault}") from None

    def listen(self, report: Callable[[Decision], None] | None) -> None:
        """Let the agent report the iterations of its searches, or no longer."""
        self._report = report

    def get_ready(self, game: Game) -> None:
        if game != self._game:
            raise ValueError(f"this player was made for {self._game.spec}, not for {game.spec}")
        if not self.is_ready:
            self.start()
        with self._no_death_of_our_own():
            self._process.get_ready()

    def reset(self, seed: int, seconds: float) -> None:
        with self._no_death_of_our_own():
            self._process.reset(seed, min(seconds, LONGEST_MOVE_SECONDS))

    def processor_seconds(self) -> float:
        return self._process.processor_seconds()

    def tokens(self) -> int:
        if self._description is None or not self._description.uses_tokens:
            return 0
        try:
            return self._process.tokens()
        except Fault:  # its process has ended, and nobody else has counted
            return 0

    def ask(self, position: Position, analyse: bool, seconds: float) -> tuple[Any, Decision | None]:
        seconds = min(seconds, LONGEST_MOVE_SECONDS)
        with self._no_death_of_our_own():
            if analyse:
                decision = self._process.decide(position, seconds, self._report)
                return decision.action, decision
            return self._process.choose(position, seconds), None

    @contextlib.contextmanager
    def _no_death_of_our_own(self) -> Iterator[None]:
        """The death of a process with an agent of plyground's own is nobody's fault: RunnerError.

        Somebody or the system has ended it, or an error in plyground.
        """
        try:
            yield
        except Fault as fault:
            if self._foreign or fault.kind != EXITED:
                raise
            raise RunnerError(
                f"{self._spec} {fault}, which no agent of plyground does by itself; the game it "
                f"played is not counted"
            ) from None

    def close(self) -> None:
        self._process.close()

    def __str__(self) -> str:
        return self._spec


class IsolatedAgent(Agent):
    """An isolated agent for analyses, books, judges and training.

    Its process ends with this object. What a user's own agent does wrong, this one raises as a
    SpecificationError that names it.

    Args:
        spec: the agent's specification.
        game: the game it is made for.
        seed: what it is reset with.
    """

    def __init__(self, spec: str, game: Game, seed: int = 0) -> None:
        agent_class, _ = resolve_agent(spec)
        self.name: str = agent_class.name  # type: ignore[misc]
        self.foreign: bool = agent_class.foreign  # type: ignore[misc]
        self._spec, self._game = spec, game
        self._player = IsolatedPlayer(spec, game, modules=modules_of(spec, game), pausing=False)
        with self._faults_as_errors():
            self._description = self._player.start()
        super().__init__(game, seed)
        self.options: dict[str, Any] = self._description.options

    @property
    def pid(self) -> int | None:
        """The number of its process, or None if there is none."""
        return self._player.pid

    def check_game(self, game: Game) -> None:
        if game != self._game:
            raise SpecificationError(f"{self._spec} was made for {self._game.spec} here")

    def prepare(self, game: Game) -> None:
        with self._faults_as_errors():
            self._player.get_ready(game)

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        with self._faults_as_errors():
            if not self._player.is_ready:
                self._player.get_ready(self._game)
            self._player.reset(seed, math.inf)

    def decide(self, position: Position) -> Decision:
        if not self._player.is_ready:
            self.reset(self.seed)
        with self._faults_as_errors():
            self._player.listen(self.on_progress)
            _, decision = self._player.ask(position, analyse=True, seconds=math.inf)
            assert decision is not None
            legal_action(decision.action, position)
            return decision

    def close(self) -> None:
        self._player.close()

    @contextlib.contextmanager
    def _faults_as_errors(self) -> Iterator[None]:
        """Turn a fault into an error of the caller's that names the agent."""
        try:
            yield
        except Fault as fault:
            raise SpecificationError(f"{self._spec} {fault}") from None

    @property
    def deterministic(self) -> bool:
        return self._description.deterministic

    @property
    def version(self) -> str:
        return self._description.version

    @property
    def spec(self) -> str:
        return self._description.spec

    def __del__(self) -> None:
        player = self.__dict__.get("_player")
        if player is not None:
            player.close()


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
