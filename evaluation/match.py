"""A match game: two agents, an opening, two seats, a seed for each.

Whatever an agent does wrong costs it this game and nothing else.
"""

from __future__ import annotations

import math
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.agent import Agent, Decision
from ..envs.game import PLAYERS, Game, Position
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from ..envs.stepping import ILLEGAL, OVER, advance

# Kinds of faults that lose a game, as the store keeps them.
RAISED, NO_ACTION, ILLEGAL_ACTION, OUT_OF_TIME = (
    "raised",
    "no action",
    "illegal action",
    "out of time",
)
# Those that cost the process of an isolated agent: it does not come back from them by itself.
HUNG, EXITED, OUT_OF_MEMORY = "hung", "exited", "out of memory"
CRASHES = (HUNG, EXITED, OUT_OF_MEMORY)


class Limits(NamedTuple):
    """What an agent may use; None is no limit.

    Attributes:
        move_seconds: thinking time for a move.
        game_seconds: thinking time for all moves of a game.
        memory_bytes: resident memory of an isolated agent's process and those it has started.
    """

    move_seconds: float | None = None
    game_seconds: float | None = None
    memory_bytes: int | None = None

    def seconds_left(self, spent: float) -> float:
        """How long the next move may take if the moves before took ``spent`` seconds."""
        move = math.inf if self.move_seconds is None else self.move_seconds
        return move if self.game_seconds is None else min(move, max(self.game_seconds - spent, 0.0))

    def overstepped(self, spent: float, before: float) -> str:
        """What to say of a move that took ``spent`` seconds after ``before`` seconds for the moves
        of the game before it.
        """
        if self.move_seconds is not None and spent > self.move_seconds:
            return f"took {spent:.3g} s for a move; {self.move_seconds:g} s are allowed"
        return (
            f"took {before + spent:.3g} s for its moves; {self.game_seconds:g} s a game are allowed"
        )

    def __str__(self) -> str:
        memory = None if self.memory_bytes is None else self.memory_bytes / 2**20
        known = (
            (self.move_seconds, "s a move"),
            (self.game_seconds, "s a game"),
            (memory, "MiB of memory"),
        )
        return (
            ", ".join(f"{limit:g} {unit}" for limit, unit in known if limit is not None) or "none"
        )


NO_LIMITS = Limits()


class GameResult(NamedTuple):
    """One finished game.

    Attributes:
        moves: all actions played, those of the opening first.
        returns: what each seat has won, zero-sum; a forfeit counts as the greatest loss the game
            knows.
        reason: why the game ended: the game's own words, or what the forfeiting player did.
        fault: the kind of fault that ended it (``RAISED``, ``NO_ACTION``, … above), or None.
        forfeited: the seat that committed the fault, or None.
        seconds: thinking time of each seat.
        decisions: how many moves each seat was asked for.
    """

    moves: tuple[int, ...]
    returns: tuple[float, float]
    reason: str
    fault: str | None
    forfeited: int | None
    seconds: tuple[float, float]
    decisions: tuple[int, int]

    @property
    def winner(self) -> int | None:
        """The seat that won, or None for a draw."""
        first = self.returns[0]
        return None if first == 0 else 0 if first > 0 else 1

    def __str__(self) -> str:
        return f"{'draw' if self.winner is None else PLAYERS[self.winner] + ' wins'}: {self.reason}"


class Fault(Exception):
    """An agent's fault: its kind, and what happened in words that follow the player's name."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind


class Player(ABC):
    """What sits at the board. :class:`LocalPlayer` is an agent of this process; see also
    :mod:`~plyground.evaluation.runners.isolation`.

    All methods raise Fault for what the agent does wrong.
    """

    @abstractmethod
    def prepare(self, game: Game, seed: int) -> None:
        """Let the agent compile and allocate for the game, which is no thinking time, and reset it."""

    @abstractmethod
    def ask(self, position: Position, analyse: bool, allowed: float) -> tuple[Any, Decision | None]:
        """The agent's answer, unchecked, and what it knows about it if that is wanted.

        Args:
            position: a position of the game that the player was prepared for; the agent may do with
                it as it likes.
            analyse: whether more than an action is wanted.
            allowed: seconds after which an agent that can be stopped is stopped.
        """


class LocalPlayer(Player):
    """An agent in this process: an Agent, or anything with ``act(position)``.

    It cannot be stopped while it thinks.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def prepare(self, game: Game, seed: int) -> None:
        try:
            if isinstance(self._agent, Agent):
                self._agent.get_ready(game)
            if hasattr(self._agent, "reset"):
                self._agent.reset(seed)
        except SpecificationError:
            raise
        except (Exception, SystemExit) as error:
            raise raised(error) from error

    def ask(self, position: Position, analyse: bool, allowed: float) -> tuple[Any, Decision | None]:
        try:
            if analyse and isinstance(self._agent, Agent):
                decision = self._agent.analyse(position)
                return decision.action, decision
            return self._agent.act(position), None
        except (Exception, SystemExit) as error:
            raise raised(error) from error

    def __str__(self) -> str:
        return str(self._agent)


def play_game(
    game: Game | str,
    agents: Sequence[Any],
    opening: Sequence[int] = (),
    seeds: tuple[int, int] = (0, 0),
    names: Sequence[str] | None = None,
    on_move: Callable[[Position, int, int, Decision | None], None] | None = None,
    limits: Limits = NO_LIMITS,
) -> GameResult:
    """Play one game.

    An agent that raises (or calls ``exit()``), returns no action, plays illegally or takes too long
    forfeits the game. KeyboardInterrupt is not held up.

    Args:
        game: the game or its specification.
        agents: the agents in seats 0 and 1: :class:`~plyground.agents.Agent` objects, or anything
            with ``act(position)``; an agent with ``reset(seed)`` is reset first. Each is given
            copies of the position, so it cannot disturb the game. A :class:`Player` is taken as it
            is.
        opening: actions played before the agents take over.
        seeds: what each seat is reset with.
        names: what the agents are called in the reason for a forfeit (default: their
            specifications).
        on_move: called after each move of an agent with the position, the seat, the action and what
            the agent knows (None if it is no Agent). Asking for that costs some microseconds a
            move.
        limits: what each agent may use. An agent of this process is judged after its move, since it
            cannot be stopped.

    Raises:
        IllegalActionError: the opening cannot be played.
        SpecificationError: an agent cannot play this game.
    """
    game = make_game(game)
    position = game.position(opening)
    players = [agent if isinstance(agent, Player) else LocalPlayer(agent) for agent in agents]
    moves = list(opening)
    seconds, decisions = [0.0, 0.0], [0, 0]
    rules, record, num_actions = game.rules, position.record, game.facts.num_actions
    mover = OVER if position.is_over else position.to_move
    seat, analyse, allowed, timed = 0, on_move is not None, math.inf, limits != NO_LIMITS
    try:
        for seat in (0, 1):
            _prepare(players[seat], game, seeds[seat])
        while mover != OVER:
            seat = mover
            if timed:
                allowed = limits.seconds_left(seconds[seat])
            began = time.perf_counter()
            try:
                action, decision = players[seat].ask(position.copy(), analyse, allowed)
            finally:
                spent = time.perf_counter() - began
                seconds[seat] += spent
                decisions[seat] += 1
            if spent > allowed:
                raise Fault(OUT_OF_TIME, limits.overstepped(spent, seconds[seat] - spent))
            if type(action) is not int:
                action = whole_number(action, num_actions)
            mover = advance(rules, record, action) if 0 <= action < num_actions else ILLEGAL
            if mover == ILLEGAL:
                raise illegal(game, action)
            moves.append(action)
            if on_move is not None:
                on_move(position, seat, action, decision)
    except Fault as fault:
        name = names[seat] if names is not None else str(agents[seat])
        reason = f"{PLAYERS[seat]} ({name}) {fault}"
        best, worst = game.facts.max_return, game.facts.min_return
        return GameResult(
            tuple(moves),
            (worst, best) if seat == 0 else (best, worst),
            reason,
            fault.kind,
            seat,
            _pair(seconds),
            _pair(decisions),
        )
    outcome = position.outcome
    assert outcome is not None
    return GameResult(
        tuple(moves), position.returns, outcome.reason, None, None, _pair(seconds), _pair(decisions)
    )


def _prepare(player: Player, game: Game, seed: int) -> None:
    try:
        player.prepare(game, seed)
    except Fault as fault:
        raise Fault(fault.kind, f"{fault} before the first move") from fault


def raised(error: BaseException) -> Fault:
    """The fault of raising: type, message and where, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = (
        f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})" if frames else ""
    )
    message = _one_line(error, str)
    return Fault(RAISED, f"raised {type(error).__name__}{': ' + message if message else ''}{place}")


def whole_number(answer: Any, num_actions: int) -> int:
    """An answer that is not an int, as one: numpy's whole numbers are fine, everything else is the
    fault of being no action.
    """
    if isinstance(answer, (int, np.integer)) and not isinstance(answer, (bool, np.bool_)):
        return int(answer)
    raise Fault(
        NO_ACTION,
        f"returned {_one_line(answer, repr)}, which is no action; actions are whole numbers from "
        f"0 to {num_actions - 1}",
    )


def illegal(game: Game, action: int) -> Fault:
    """The fault of playing an action that is not legal, or does not exist."""
    if 0 <= action < game.facts.num_actions:
        return Fault(
            ILLEGAL_ACTION, f"played the illegal action {action} ({game.action_to_text(action)})"
        )
    return Fault(
        ILLEGAL_ACTION,
        f"played the action {_one_line(action, repr)}, which does not exist; actions go from 0 to "
        f"{game.facts.num_actions - 1}",
    )


def _one_line(value: Any, render: Callable[[Any], str], longest: int = 200) -> str:
    """A value as one line of text, whatever a user's class does in its ``__str__`` or ``__repr__``."""
    try:
        text = " ".join(render(value).split())
    except Exception:
        return f"an unprintable {type(value).__name__}"
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _pair(values: list[Any]) -> tuple[Any, Any]:
    return values[0], values[1]
