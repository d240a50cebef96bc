"""Players: agents as a match sees them, and the faults that lose them a game.

A match knows players only. :class:`LocalPlayer` is an agent of this process, and
:class:`~plyground.evaluation.runners.isolation.IsolatedPlayer` one in a process of its own.
"""

from __future__ import annotations

import contextlib
import math
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..agents.agent import Agent, Decision
from ..agents.bots import as_policy
from ..agents.faults import ILLEGAL_ACTION, NO_ACTION, RAISED, Fault
from ..agents.registry import make_agent, resolve_agent
from ..agents.score import Score
from ..envs.game import Game, Position
from ..envs.loading.interruption import InterruptWatch
from ..envs.specification import SpecificationError, plain_text
from .fingerprints import sources_of_agent


class Description(NamedTuple):
    """An agent's description of itself.

    Attributes:
        spec: the specification that makes it.
        options: all its options.
        version: what its decisions depend on beside the specification.
        deterministic: whether it plays the same in a game that takes the same course.
        sources: the fingerprint of its code, see :mod:`~plyground.evaluation.fingerprints`; empty
            where it was made for no game.
        uses_tokens: whether it asks a language model.
    """

    spec: str
    options: dict[str, Any]
    version: str
    deterministic: bool
    sources: str = ""
    uses_tokens: bool = False

    @property
    def identity(self) -> str:
        """Version and code in words: what must be the same wherever and whenever it is made."""
        return f"{self.version}, code {self.sources}" if self.sources else self.version


def faults_of(foreign: bool, *refusals: type[Exception]) -> contextlib.AbstractContextManager[None]:
    """Whatever a foreign agent raises in the body is its Fault; an error of any other goes through.

    Args:
        foreign: whether the agent is, see :class:`~plyground.agents.Agent`.
        refusals: errors that are none of its faults.
    """
    return _foreign_faults(refusals) if foreign else contextlib.nullcontext()


@contextlib.contextmanager
def _foreign_faults(refusals: tuple[type[Exception], ...]) -> Iterator[None]:
    """A Ctrl-C in the body stays one, whatever the agent makes of it."""
    with InterruptWatch() as interrupt:
        try:
            yield
        except BaseException as error:
            if not interrupt.came:
                if isinstance(error, (Fault, *refusals)):
                    raise
                raise exception_fault(error) from error
        if interrupt.came:
            raise KeyboardInterrupt


class Player(ABC):
    """An agent in a match. All methods raise Fault for what the agent does wrong.

    Only a foreign agent does wrong by raising. An error of any other ends the run.
    """

    @abstractmethod
    def describe(self) -> Description:
        """The agent's description of itself.

        Raises:
            SpecificationError: the agent cannot be made.
        """

    @abstractmethod
    def get_ready(self, game: Game) -> None:
        """Let the agent compile and allocate for the game, which is no thinking time.

        Raises:
            SpecificationError: the agent cannot play the game.
        """

    @abstractmethod
    def reset(self, seed: int, seconds: float) -> None:
        """Reset the agent for a game, within so many seconds if it can be stopped."""

    def prepare(self, game: Game, seed: int) -> None:
        """Get ready for a game and be reset, without a time limit."""
        self.get_ready(game)
        self.reset(seed, math.inf)

    @abstractmethod
    def ask(self, position: Position, analyse: bool, seconds: float) -> tuple[Any, Decision | None]:
        """The agent's answer, unchecked, and its decision if that is wanted and known.

        Args:
            position: a position of the game that the player was prepared for; the agent may change
                it.
            analyse: whether more than an action is wanted.
            seconds: how many it has, before one that can be stopped is stopped.
        """

    def processor_seconds(self) -> float:
        """The processor time that its process has used; that of this process if it has none."""
        return time.process_time()

    def tokens(self) -> int:
        """The tokens that a language model has used since the reset, as far as that is known."""
        return 0

    def close(self) -> None:
        """Release what the player holds: its process, if it has one."""


class LocalPlayer(Player):
    """An agent in this process. It cannot be stopped while it thinks.

    Args:
        agent: the agent.
        is_lent: whether it is its owner who closes it.
    """

    def __init__(self, agent: Agent, is_lent: bool = False) -> None:
        self._agent, self._is_lent = agent, is_lent

    def describe(self) -> Description:
        agent = self._agent
        game = agent.bound_game
        sources = "" if game is None else sources_of_agent(type(agent), game)
        with faults_of(agent.foreign, SpecificationError):
            return Description(
                agent.spec,
                agent.options_in_force,
                agent.version,
                agent.deterministic,
                sources,
                agent.uses_tokens,
            )

    def listen(self, report: Callable[[Decision], None] | None) -> None:
        """Let the agent report the iterations of its searches, or no longer."""
        self._agent.on_progress = report

    def get_ready(self, game: Game) -> None:
        with faults_of(self._agent.foreign, SpecificationError):
            self._agent.get_ready(game)

    def reset(self, seed: int, seconds: float) -> None:
        with faults_of(self._agent.foreign):
            self._agent.reset(seed)

    def ask(self, position: Position, analyse: bool, seconds: float) -> tuple[Any, Decision | None]:
        with faults_of(self._agent.foreign):
            if not analyse:
                return self._agent.act(position), None
            decision = self._agent.analyse(position)
            if not isinstance(decision.score, Score | None):
                raise TypeError(
                    f"the score of a Decision is a Score, such as Score(0.5), not "
                    f"{decision.score!r}"
                )
            return decision.action, decision

    def tokens(self) -> int:
        with contextlib.suppress(Fault), faults_of(self._agent.foreign):
            return int(self._agent.tokens_of_game)
        return 0

    def close(self) -> None:
        if not self._is_lent:
            with contextlib.suppress(Fault), faults_of(self._agent.foreign):
                self._agent.close()

    def __str__(self) -> str:
        return str(self._agent)


def as_player(agent: Any) -> Player:
    """A player of what :func:`as_policy` takes; a player stays as it is."""
    return agent if isinstance(agent, Player) else LocalPlayer(as_policy(agent))


def make_player(spec: str, game: Game) -> LocalPlayer:
    """A player of an agent that is made in this process.

    Raises:
        SpecificationError: it cannot be made.
    """
    try:
        with faults_of(resolve_agent(spec)[0].foreign, SpecificationError):
            player = LocalPlayer(make_agent(spec, game))
            player.describe()
            return player
    except Fault as fault:
        raise SpecificationError(f"{spec} cannot be made: it {fault}") from None


def check_identity(spec: str, now: Description, expected: str | None) -> None:
    """Refuse an agent that is another one than it was, with a SpecificationError.

    Args:
        spec: how it is called.
        now: its description.
        expected: the identity that it had when the games began; None if that is not known.
    """
    if expected is not None and now.identity != expected:
        raise SpecificationError(
            f"{spec} was changed while its games were played: it is now {now.identity}, and was "
            f"{expected}; the games that are counted are those of the agent as it was, and the "
            f"same command begins a new tournament"
        )


def existing_action(answer: Any, game: Game) -> int:
    """An answer as an action of the game, legal or not.

    Raises:
        Fault: the answer is no whole number, or no action of the game has that number.
    """
    num_actions = game.facts.num_actions
    action = answer if type(answer) is int else _whole_number(answer)
    if action is None:
        raise Fault(
            NO_ACTION,
            f"returned {_one_line(answer, repr)}, which is no action; actions are whole numbers "
            f"from 0 to {num_actions - 1}",
        )
    if not 0 <= action < num_actions:
        raise Fault(
            ILLEGAL_ACTION,
            f"played the action {_one_line(action, repr)}, which does not exist; actions go from "
            f"0 to {num_actions - 1}",
        )
    return action


def _whole_number(answer: Any) -> int | None:
    """The number that an object of another class than int is, or None; Fault if that raises."""
    with faults_of(True):
        if isinstance(answer, (int, np.integer)) and not isinstance(answer, (bool, np.bool_)):
            return int(answer)
    return None


def illegal(game: Game, action: int) -> Fault:
    """The fault of playing an action that exists but is not legal."""
    return Fault(
        ILLEGAL_ACTION, f"played the illegal action {action} ({game.action_to_text(action)})"
    )


def legal_action(answer: Any, position: Position) -> int:
    """The legal action that an answer stands for; Fault if it stands for none."""
    action = existing_action(answer, position.game)
    if not position.is_legal(action):
        raise illegal(position.game, action)
    return action


def exception_fault(error: BaseException) -> Fault:
    """The fault of raising: type, message and place, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = (
        f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})" if frames else ""
    )
    message = _one_line(error, str)
    return Fault(RAISED, f"raised {type(error).__name__}{': ' + message if message else ''}{place}")


def _one_line(value: Any, render: Callable[[Any], str], longest: int = 200) -> str:
    """A value as one line of text, whatever ``__str__`` or ``__repr__`` of its class do."""
    with InterruptWatch() as interrupt:
        try:
            return plain_text(render(value), longest)
        except BaseException:
            if interrupt.came:
                raise
            return f"an unprintable {type(value).__name__}"
