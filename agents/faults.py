"""Faults that lose an agent a game: their kinds, how they are detected, counted and reported.

A match raises most faults itself. An agent that wraps another program or process raises the faults
of that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..envs.actions import NoActionError, one_line, whole_action
from ..envs.game import Game, Position
from ..envs.loading.interruption import InterruptWatch
from ..envs.loading.own_modules import place_of_error
from ..envs.loading.texts import counted
from ..envs.specification import SpecificationError
from .decision import Score

if TYPE_CHECKING:
    from .agent import Agent
    from .decision import Decision

_PACKAGE = __name__.partition(".")[0]

# Kinds of faults, as the store keeps them.
RAISED, NO_ACTION, ILLEGAL_ACTION, OUT_OF_TIME = (
    "raised",
    "no action",
    "illegal action",
    "out of time",
)
# Faults that end the process of an isolated agent, which must be restarted.
HUNG, EXITED, OUT_OF_MEMORY = "hung", "exited", "out of memory"
CRASHES = (HUNG, EXITED, OUT_OF_MEMORY)
CANCELLED = "cancelled"  # a decision that is no longer needed: not a fault of the agent


class Fault(Exception):
    """An agent's fault: its kind, and what happened in words that follow the player's name."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return Fault, (self.kind, str(self))


def faults_of(foreign: bool, *refusals: type[Exception]) -> contextlib.AbstractContextManager[None]:
    """Turn exceptions of a foreign agent in the body into a Fault; let those of others pass.

    Args:
        foreign: whether the agent is foreign, see :class:`~plyground.agents.Agent`.
        refusals: exception types that are not faults of the agent.
    """
    return _foreign_faults(refusals) if foreign else contextlib.nullcontext()


@contextlib.contextmanager
def _foreign_faults(refusals: tuple[type[Exception], ...]) -> Iterator[None]:
    """Re-raise a Ctrl-C in the body even if the agent catches it."""
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


def begin(agent: Agent, game: Game, seed: int) -> None:
    """Get an agent ready for a game and reset it, without a time limit.

    Raises:
        Fault: the agent's fault.
        SpecificationError: it cannot play the game.
    """
    with faults_of(agent.foreign, SpecificationError):
        agent.get_ready(game)
    with faults_of(agent.foreign):
        agent.reset(seed)


def ask(agent: Agent, position: Position, analyse: bool) -> tuple[Any, Decision | None]:
    """An agent's answer, unchecked, and its decision if requested.

    Args:
        agent: the agent.
        position: the position, which the agent may modify.
        analyse: whether more than an action is wanted.

    Raises:
        Fault: what it does wrong.
    """
    with faults_of(agent.foreign):
        if not analyse:
            return agent.act(position), None
        decision = agent.analyse(position)
        if not isinstance(decision.score, Score | None):
            raise TypeError(
                f"the score of a Decision is a Score, such as Score(0.5), not {decision.score!r}"
            )
        return decision.action, decision


def tokens_of(agent: Agent) -> int:
    """The tokens that an agent has used since its reset, as far as known."""
    with contextlib.suppress(Fault), faults_of(agent.foreign):
        return int(agent.tokens_of_game)
    return 0


def origin_of(agent: Agent) -> str:
    """The location of its code, see :attr:`Agent.origin`; empty if unknown."""
    with contextlib.suppress(Fault), faults_of(agent.foreign):
        return agent.origin
    return ""


def close(agent: Agent) -> None:
    """Close an agent and ignore its exceptions."""
    with contextlib.suppress(Fault), faults_of(agent.foreign):
        agent.close()


def existing_action(answer: Any, game: Game) -> int:
    """An answer as an action of the game, legal or not.

    Raises:
        Fault: :func:`~plyground.envs.actions.whole_action` refuses the answer, or no action of the
            game has that number.
    """
    num_actions = game.facts.num_actions
    with faults_of(type(answer) is not int):
        action = whole_action(answer)
    if not 0 <= action < num_actions:
        raise Fault(
            ILLEGAL_ACTION,
            f"played the action {one_line(action)}, which does not exist; actions go from 0 to "
            f"{num_actions - 1}",
        )
    return action


def illegal(game: Game, action: int) -> Fault:
    """The fault of playing an action that exists but is not legal."""
    return Fault(
        ILLEGAL_ACTION, f"played the illegal action {action} ({game.action_to_text(action)})"
    )


def legal_action(answer: Any, position: Position) -> int:
    """The legal action that an answer denotes; Fault if it denotes none."""
    action = existing_action(answer, position.game)
    if not position.is_legal(action):
        raise illegal(position.game, action)
    return action


def exception_fault(error: BaseException) -> Fault:
    """The fault of an exception: type, message and place, in one line; or of an invalid answer."""
    if isinstance(error, NoActionError):
        return Fault(NO_ACTION, str(error))
    message, place = one_line(error, str), place_of_error(error)
    text = f"raised {type(error).__name__}{': ' + message if message else ''}"
    return Fault(RAISED, f"{text} ({place})" if place else text)


class FaultWarning(UserWarning):
    """An agent has forfeited games, or failed to move: its results do not measure its play."""


def warn_of_faults(faults: Iterable[object]) -> None:
    """Issue one FaultWarning with a line for each tally of faults; none if there are no faults.

    It points at the calling line outside of plyground.
    """
    text, frame, level = "\n".join(map(str, faults)), sys._getframe(), 1
    while frame.f_back is not None and _is_here(frame):
        frame, level = frame.f_back, level + 1
    if text:
        warnings.warn(text, FaultWarning, stacklevel=level)


def _is_here(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE


@dataclasses.dataclass
class AgentFaults:
    """The games that an agent has forfeited. True if there are any.

    Attributes:
        agent: its name.
        games: the number of games it has played.
        kinds: the number of games forfeited, by kind of fault.
        first: what it did in the first of these; None if there is none. An exception is given with
            the file and line of the user's code.
    """

    agent: str
    games: int = 0
    kinds: Counter[str] = dataclasses.field(default_factory=Counter)
    first: str | None = None

    def add(self, reason: str, fault: str | None) -> None:
        """Count a game: its reason, and the kind of fault if the agent has forfeited it."""
        self.games += 1
        if fault is not None:
            self.kinds[fault] += 1
            if self.first is None:
                self.first = reason.partition(" ")[2].removeprefix(f"({self.agent}) ")

    @property
    def count(self) -> int:
        """The number of games it has forfeited."""
        return self.kinds.total()

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        games = counted(self.games, "game")
        return (
            f"{self.agent} forfeited {self.count} of {games} ({kinds}); in the first it "
            f"{self.first}"
        )

    def to_json(self) -> dict[str, Any]:
        return {"forfeits": dict(self.kinds), "first_forfeit": self.first}


def faults_in_all(parts: Iterable[Sequence[AgentFaults]]) -> list[AgentFaults]:
    """The faults of agents in several tournaments together, by their names."""
    whole: dict[str, AgentFaults] = {}
    for each in (each for part in parts for each in part):
        before = whole.get(each.agent, AgentFaults(each.agent))
        whole[each.agent] = AgentFaults(
            each.agent,
            before.games + each.games,
            before.kinds + each.kinds,
            before.first or each.first,
        )
    return [each for each in whole.values() if each]
