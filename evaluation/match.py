"""A match game: two agents, an opening, two seats, a seed for each. Whatever an agent does wrong costs it this game and nothing else."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.agent import Agent, Decision
from ..envs.game import PLAYERS, Game, Position
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from ..envs.stepping import ILLEGAL, OVER, advance

# Kinds of faults that lose a game, as the store keeps them.
RAISED, NO_ACTION, ILLEGAL_ACTION = "raised", "no action", "illegal action"


class GameResult(NamedTuple):
    """One finished game.

    Attributes:
        moves: all actions played, those of the opening first.
        returns: what each seat has won, zero-sum; a forfeit counts as the greatest loss the game knows.
        reason: why the game ended: the game's own words, or what the forfeiting player did.
        fault: the kind of fault that ended it (``RAISED``, ``NO_ACTION``, ``ILLEGAL_ACTION``), or None.
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


class _Fault(Exception):
    """An agent's fault: its kind, and what happened in words that follow the player's name."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind


def play_game(
    game: Game | str,
    agents: Sequence[Any],
    opening: Sequence[int] = (),
    seeds: tuple[int, int] = (0, 0),
    names: Sequence[str] | None = None,
    on_move: Callable[[Position, int, int, Decision | None], None] | None = None,
) -> GameResult:
    """Play one game.

    An agent that raises (or calls ``exit()``), returns no action or plays illegally forfeits the game; KeyboardInterrupt is not held up.

    Args:
        game: the game or its specification.
        agents: the agents in seats 0 and 1: :class:`~plyground.agents.Agent` objects, or anything with ``act(position)``; an
            agent with ``reset(seed)`` is reset first. Each is given copies of the position, so it cannot disturb the game.
        opening: actions played before the agents take over.
        seeds: what each seat is reset with.
        names: what the agents are called in the reason for a forfeit (default: their specifications).
        on_move: called after each move of an agent with the position, the seat, the action and what the agent knows (None
            if it is no Agent). Asking for that costs some microseconds a move.

    Raises:
        IllegalActionError: the opening cannot be played.
        SpecificationError: an agent cannot play this game.
    """
    game = make_game(game)
    position = game.position(opening)
    moves = list(opening)
    seconds, decisions = [0.0, 0.0], [0, 0]
    rules, record, num_actions = game.rules, position.record, game.facts.num_actions
    mover = OVER if position.is_over else position.to_move
    seat = 0
    try:
        for seat in (0, 1):
            _prepare(agents[seat], game, seeds[seat])
        while mover != OVER:
            seat = mover
            began = time.perf_counter()
            try:
                action, decision = _ask(agents[seat], position.copy(), on_move is not None)
            finally:
                seconds[seat] += time.perf_counter() - began
                decisions[seat] += 1
            if type(action) is not int:
                action = _whole_number(action, num_actions)
            mover = advance(rules, record, action) if 0 <= action < num_actions else ILLEGAL
            if mover == ILLEGAL:
                raise _illegal(game, action)
            moves.append(action)
            if on_move is not None:
                on_move(position, seat, action, decision)
    except _Fault as fault:
        name = names[seat] if names is not None else str(agents[seat])
        reason = f"{PLAYERS[seat]} ({name}) {fault}"
        best, worst = game.facts.max_return, game.facts.min_return
        return GameResult(tuple(moves), (worst, best) if seat == 0 else (best, worst), reason, fault.kind, seat, _pair(seconds), _pair(decisions))
    outcome = position.outcome
    assert outcome is not None
    return GameResult(tuple(moves), position.returns, outcome.reason, None, None, _pair(seconds), _pair(decisions))


def _prepare(agent: Any, game: Game, seed: int) -> None:
    """Let an agent compile and allocate for the game, which is no thinking time, and reset it."""
    try:
        if isinstance(agent, Agent):
            agent.get_ready(game)
        if hasattr(agent, "reset"):
            agent.reset(seed)
    except SpecificationError:
        raise
    except (Exception, SystemExit) as error:
        raise _raised(error, "before the first move") from error


def _ask(agent: Any, position: Position, analyse: bool) -> tuple[Any, Decision | None]:
    """The agent's answer, unchecked, and what it knows about it if that is wanted."""
    try:
        if analyse and isinstance(agent, Agent):
            decision = agent.analyse(position)
            return decision.action, decision
        return agent.act(position), None
    except (Exception, SystemExit) as error:
        raise _raised(error) from error


def _raised(error: BaseException, when: str = "") -> _Fault:
    """The fault of raising: type, message and where, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})" if frames else ""
    message = _one_line(error, str)
    return _Fault(RAISED, f"raised {type(error).__name__}{': ' + message if message else ''}{place}{' ' + when if when else ''}")


def _whole_number(answer: Any, num_actions: int) -> int:
    """An answer that is not an int, as one: numpy's whole numbers are fine, everything else is no action."""
    if isinstance(answer, (int, np.integer)) and not isinstance(answer, (bool, np.bool_)):
        return int(answer)
    raise _Fault(NO_ACTION, f"returned {_one_line(answer, repr)}, which is no action; actions are whole numbers from 0 to {num_actions - 1}")


def _illegal(game: Game, action: int) -> _Fault:
    if 0 <= action < game.facts.num_actions:
        return _Fault(ILLEGAL_ACTION, f"played the illegal action {action} ({game.action_to_text(action)})")
    return _Fault(
        ILLEGAL_ACTION, f"played the action {_one_line(action, repr)}, which does not exist; actions go from 0 to {game.facts.num_actions - 1}"
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
