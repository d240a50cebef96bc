"""What loses an agent a game: the kinds of faults, and how an agent is asked so that they are seen.

A match raises most faults itself. An agent that speaks for another program, or for a process of its
own, raises those that this commits.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..envs.actions import NoActionError, one_line, whole_action
from ..envs.game import Game, Position
from ..envs.loading.interruption import InterruptWatch
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
# Those that end the process of an isolated agent, which must be started again.
HUNG, EXITED, OUT_OF_MEMORY = "hung", "exited", "out of memory"
CRASHES = (HUNG, EXITED, OUT_OF_MEMORY)
CANCELLED = "cancelled"  # a decision that is no longer wanted: nobody's fault


class Fault(Exception):
    """An agent's fault: its kind, and what happened in words that follow the player's name."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return Fault, (self.kind, str(self))


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


def begin(agent: Agent, game: Game, seed: int) -> None:
    """Get an agent ready for a game and reset it, without a time limit.

    Raises:
        Fault: what it does wrong.
        SpecificationError: it cannot play the game.
    """
    with faults_of(agent.foreign, SpecificationError):
        agent.get_ready(game)
    with faults_of(agent.foreign):
        agent.reset(seed)


def ask(agent: Agent, position: Position, analyse: bool) -> tuple[Any, Decision | None]:
    """An agent's answer, unchecked, and its decision if that is wanted.

    Args:
        agent: the agent.
        position: the position, which the agent may change.
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
    """The tokens that an agent has used since its reset, as far as that is known."""
    with contextlib.suppress(Fault), faults_of(agent.foreign):
        return int(agent.tokens_of_game)
    return 0


def close(agent: Agent) -> None:
    """Close an agent, whatever it raises."""
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
    """The legal action that an answer stands for; Fault if it stands for none."""
    action = existing_action(answer, position.game)
    if not position.is_legal(action):
        raise illegal(position.game, action)
    return action


def exception_fault(error: BaseException) -> Fault:
    """The fault of raising: type, message and place, in one line; or of an answer that is none."""
    if isinstance(error, NoActionError):
        return Fault(NO_ACTION, str(error))
    message = one_line(error, str)
    place = _place(error)
    return Fault(RAISED, f"raised {type(error).__name__}{': ' + message if message else ''}{place}")


def _place(error: BaseException) -> str:
    """The innermost line of a user's code that an error came through; of any, where none did."""
    frames = list(traceback.walk_tb(error.__traceback__))
    if not frames:
        return ""
    own = [each for each in frames if not _is_library(each[0])]
    frame, line = (own or frames)[-1]
    return f" ({Path(frame.f_code.co_filename).name}, line {line})"


def _is_library(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return (
        module == _PACKAGE
        or module in sys.stdlib_module_names
        or "site-packages" in frame.f_code.co_filename
    )
