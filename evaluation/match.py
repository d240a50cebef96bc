"""A match game: two agents, an opening, two seats, a seed for each.

An agent that fails loses this game; other games are not affected.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..agents.agent import Agent
from ..agents.bots import as_policy, players_of
from ..agents.decision import Decision
from ..agents.faults import (
    OUT_OF_TIME,
    RAISED,
    Fault,
    ask,
    existing_action,
    faults_of,
    illegal,
    origin_of,
    tokens_of,
    warn_of_faults,
)
from ..envs.game import Game, IllegalActionError, Position
from ..envs.loading.texts import counted
from ..envs.outcome import PLAYERS, Outcome
from ..envs.pictures.tables import html_table
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from ..envs.stepping import OVER
from .conditions import CPU, USUAL, Conditions, texts_that_differ

# Called after each move of an agent with the position, the seat, the action and the decision.
OnMove = Callable[[Position, int, int, Decision | None], None]
Verdict = tuple[tuple[float, float], str]  # the returns, and the reason

SINGLE_GAMES = "single games"  # the schedule of games outside schedules
REPORTED_BY = "reported by"  # a setting: the games were not observed here
RESIGNATION = "resignation"  # the reason if a person resigns
AGREEMENT = "agreed"  # the reason of an unfinished game that an imported file states as drawn
ABANDONMENT = "abandoned"  # the kind of fault of a player who leaves


class _ResultFields(NamedTuple):
    moves: tuple[int, ...]
    returns: tuple[float, float]
    reason: str
    fault: str | None
    forfeited: int | None
    seconds: tuple[float, float]
    decisions: tuple[int, int]
    tokens: tuple[int, int] = (0, 0)


class GameResult(_ResultFields):
    """One finished game.

    Fields:
        moves: all actions played, including the opening.
        returns: the return of each seat, zero-sum; a forfeit counts as the greatest loss that is
            possible in the game.
        reason: why the game ended: the game's own text, or what the forfeiting player did.
        fault: the kind of fault that ended it (``RAISED``, ``NO_ACTION``, … in
            :mod:`~plyground.agents.faults`), or None.
        forfeited: the seat that committed the fault, or None.
        seconds: thinking time of each seat.
        decisions: the number of moves each seat was asked for.
        tokens: language-model tokens read and written for each seat, by the model's count.

    Attributes:
        game: the game that was played if :func:`play_game` returned the result; else None.
    """

    game: Game | None = None

    @property
    def winner(self) -> int | None:
        """The seat that won, or None for a draw."""
        first = self.returns[0]
        return None if first == 0 else 0 if first > 0 else 1

    def _repr_html_(self) -> str:
        """Notebooks show the last position, the moves and the thinking time."""
        moves, picture = ", ".join(map(str, self.moves)), ""
        if self.game is not None:
            moves = ", ".join(map(self.game.action_to_text, self.moves))
            last = self.moves[-1] if self.moves else None
            picture = self.game.position(self.moves).to_svg(last)
        rows = [("moves", moves), ("seconds", f"{self.seconds[0]:.2f} and {self.seconds[1]:.2f}")]
        return html_table(rows, caption=str(self), picture=picture)

    def __str__(self) -> str:
        outcome = Outcome(self.winner, self.reason)
        if self.game is not None:
            outcome = outcome._replace(reason=self.game.declaration.named(self.reason))
            outcome.players = self.game.declaration.player_names(marked=True)
        return str(outcome)


def agent_seed(seed: int, pair: int, players: tuple[int, int], seat: int) -> int:
    """The seed of one seat in one game, from 0 to 2^63 − 1.

    It is a hash of everything that distinguishes the game and the seat from others.
    """
    text = f"{seed} {pair} {players[0]} {players[1]} {seat}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def greatest_loss(game: Game, seat: int) -> tuple[float, float]:
    """The returns for the greatest possible loss of a seat."""
    best, worst = game.facts.max_return, game.facts.min_return
    return (worst, best) if seat == 0 else (best, worst)


class Referee:
    """Follows a game and decides when its conditions end it."""

    def __init__(self, conditions: Conditions) -> None:
        self._draw_after, self._agreed_after = conditions.draw_after, conditions.agreed_after
        self._results = [0.0, 0.0]  # the forced result of each agent's last decision; 0: none
        self._times = [0, 0]  # in how many consecutive decisions

    def add(self, seat: int, decision: Decision | None) -> None:
        """Record the decision of a seat."""
        result = _forced_result(seat, decision)
        self._times[seat] = self._times[seat] + 1 if result == self._results[seat] else 1
        self._results[seat] = result

    def verdict(self, plies: int) -> Verdict | None:
        """The verdict after this number of plies; None if the game goes on."""
        draw_after, agreed_after = self._draw_after, self._agreed_after
        first, second = self._results
        if agreed_after is not None and first == second != 0 and min(self._times) >= agreed_after:
            return (first, -first), agreed_reason(first)
        if draw_after is not None and plies >= draw_after:
            return (0.0, 0.0), drawn_reason(draw_after)
        return None


def _forced_result(seat: int, decision: Decision | None) -> float:
    """The forced return of player 0 by a seat's decision; 0 if it states none."""
    score = None if decision is None else decision.score
    if score is None or score.unit != "return" or score.is_bound:
        return 0.0
    if not score.is_exact and score.mate_in is None:
        return 0.0
    return score.value if seat == 0 else -score.value


def drawn_reason(plies: int) -> str:
    """The reason of a game drawn by its length."""
    return f"drawn after {counted(plies, 'ply', 'plies')}"


def agreed_reason(first: float) -> str:
    """The reason of a game whose result both agents saw; ``first`` is the return of player 0."""
    return f"decided: both agents see that {PLAYERS[0 if first > 0 else 1]} wins"


class _GameUnderWay:
    """The state of a game in progress.

    Attributes:
        seat: the seat that was asked last.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        opening: Sequence[int],
        conditions: Conditions,
        on_move: OnMove | None,
    ) -> None:
        self._game, self._agents, self._on_move = game, agents, on_move
        self._conditions, self._is_timed = conditions, conditions.is_timed
        self._analyse = on_move is not None or conditions.agreed_after is not None
        self._referee = Referee(conditions) if conditions.is_adjudicated else None
        self._position = game.position(opening)
        self._moves = list(opening)
        self._seconds, self._decisions = [0.0, 0.0], [0, 0]
        self.seat = 0

    def begin(self, seeds: tuple[int, int]) -> None:
        """Reset both agents; Fault if one fails. The reset counts as thinking time."""
        for self.seat in (0, 1):
            agent, limit = self._agents[self.seat], self._conditions.seconds_of_reset
            try:
                with faults_of(agent.foreign, SpecificationError):
                    agent.get_ready(self._game)
                agent.time_left = limit
                began = self._now()
                try:
                    with faults_of(agent.foreign):
                        agent.reset(seeds[self.seat])
                finally:
                    seconds = self._charge(began)
                if seconds > limit:
                    took, most = texts_that_differ(seconds, limit)
                    raise Fault(OUT_OF_TIME, f"took {took} s for its reset; {most} s are allowed")
            except Fault as fault:
                raise Fault(fault.kind, f"{fault} before the first move") from fault

    def _now(self) -> float:
        """The clock of the agent whose turn it is, in seconds."""
        if self._conditions.clock == CPU:
            return self._agents[self.seat].processor_seconds()
        return time.perf_counter()

    def _charge(self, began: float) -> float:
        """Add the time since ``began`` to that of the agent whose turn it is; returns it."""
        seconds = max(self._now() - began, 0.0)
        self._seconds[self.seat] += seconds
        return seconds

    def play(self) -> GameResult:
        """Play to the end or to the referee's verdict; Fault if an agent fails."""
        position = self._position
        mover = OVER if position.is_over else position.to_move
        while mover != OVER:
            if self._referee is not None:
                verdict = self._referee.verdict(len(self._moves))
                if verdict is not None:
                    return self._result(*verdict)
            self.seat = mover
            answer, decision = self._ask()
            action = existing_action(answer, self._game)
            try:
                position.play(action)
            except IllegalActionError:
                raise illegal(self._game, action) from None
            mover = OVER if position.is_over else position.to_move
            self._moves.append(action)
            if self._referee is not None:
                self._referee.add(self.seat, decision)
            if self._on_move is not None:
                self._on_move(position, self.seat, action, decision)
        assert position.outcome is not None
        return self._result(position.returns, position.outcome.reason)

    def _ask(self) -> tuple[Any, Decision | None]:
        """The decision of the agent to move; Fault if it is too late."""
        seat, conditions = self.seat, self._conditions
        agent, before = self._agents[seat], self._seconds[seat]
        limit = agent.time_left = conditions.seconds_left(before) if self._is_timed else math.inf
        began = self._now()
        try:
            answer = ask(agent, self._position.copy(), self._analyse)
        finally:
            seconds = self._charge(began)
            self._decisions[seat] += 1
        if seconds > limit:
            raise Fault(OUT_OF_TIME, conditions.excess_text(seconds, before))
        return answer

    def forfeit(self, fault: Fault, names: Sequence[str] | None) -> GameResult:
        """The result of a game that ended by a fault of the seat asked last."""
        agent = self._agents[self.seat]
        name = str(agent) if names is None else names[self.seat]
        origin = "" if fault.kind == RAISED else origin_of(agent)
        return self._result(
            greatest_loss(self._game, self.seat),
            f"{PLAYERS[self.seat]} ({name}) {fault}{f' ({origin})' if origin else ''}",
            fault.kind,
            self.seat,
        )

    def _result(
        self,
        returns: tuple[float, float],
        reason: str,
        fault: str | None = None,
        forfeited: int | None = None,
    ) -> GameResult:
        (first, second), (asked_first, asked_second) = self._seconds, self._decisions
        result = GameResult(
            tuple(self._moves),
            returns,
            reason,
            fault,
            forfeited,
            (first, second),
            (asked_first, asked_second),
            (tokens_of(self._agents[0]), tokens_of(self._agents[1])),
        )
        result.game = self._game
        return result


def play_game(
    game: Game | str,
    agents: Sequence[Any],
    opening: Sequence[int] = (),
    seeds: tuple[int, int] = (0, 0),
    names: Sequence[str] | None = None,
    on_move: OnMove | None = None,
    conditions: Conditions = USUAL,
) -> GameResult:
    """Play one game.

    An agent that raises (or calls ``exit()``), returns no action, plays illegally or takes too long
    forfeits the game, which is a :class:`~plyground.agents.FaultWarning` and the reason
    of the result. KeyboardInterrupt is re-raised.

    Args:
        game: the game or its specification.
        agents: the agents in seats 0 and 1: what :func:`~plyground.agents.bots.as_policy` takes.
            Each is reset first and receives copies of the position, so it cannot alter the game.
        opening: actions played before the agents' first moves.
        seeds: the seed each seat is reset with.
        names: the agents' names in the reason for a forfeit (default: their specifications).
        on_move: called after each move of an agent with the position, the seat, the action and the
            agent's decision. This costs a few microseconds per move.
        conditions: limits of the agents, and when the game ends early. Limits of an agent in this
            process are checked after its move, since it cannot be stopped.

    Raises:
        IllegalActionError: the opening cannot be played.
        SpecificationError: an agent cannot play this game, or there are not two agents.
    """
    result = play_match_game(game, agents, opening, seeds, names, on_move, conditions)
    if result.fault is not None:
        warn_of_faults([result.reason])
    return result


def play_match_game(
    game: Game | str,
    agents: Sequence[Any],
    opening: Sequence[int] = (),
    seeds: tuple[int, int] = (0, 0),
    names: Sequence[str] | None = None,
    on_move: OnMove | None = None,
    conditions: Conditions = USUAL,
) -> GameResult:
    """As :func:`play_game`, without warnings, for callers who show the reason of a forfeit."""
    players = players_of(agents)
    if len(players) != 2:
        raise SpecificationError(f"a game is between two agents, not {len(players)}")
    under_way = _GameUnderWay(
        game if isinstance(game, Game) else make_game(game),
        [agent if isinstance(agent, Agent) else as_policy(agent) for agent in players],
        opening,
        conditions,
        on_move,
    )
    try:
        under_way.begin(seeds)
        return under_way.play()
    except Fault as fault:
        return under_way.forfeit(fault, names)
