"""Move quality: the loss of agents' moves against perfect play, by the exact solver.

A move is judged by the solver's values of all legal moves: it is optimal if none has a better
value, else it loses the difference. A position in which all legal moves have the same value tests
nothing and is skipped. Moves come from random positions in which the agents decide
(:mod:`.positions`), or from the games of a store (:func:`stored_moves`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ...agents.lookahead import QUIET, situation
from ...agents.solvers.solution import Solution
from ...agents.solvers.solver import DEFAULT_MEMORY_MB, Solver, make_solver
from ...envs.game import Game, Position
from ...envs.loading.texts import counted
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from ..statistics.courses import Courses
from ..store.store import Store, StoreError
from .missed import HASTENED, missed_in

PHASES = ("opening", "middle", "end")  # thirds of the plies that the solver counts
TIME_LIMIT = 10.0  # seconds for one position
WON_DRAWN, WON_LOST, DRAWN_LOST = "won to drawn", "won to lost", "drawn to lost"
BLUNDERS = (WON_DRAWN, WON_LOST, DRAWN_LOST)

Progress = Callable[[int, int], None]


class JudgedMove(NamedTuple):
    """A move that has been judged.

    Attributes:
        agent: the number of the agent that made it.
        cluster: moves with the same number are dependent: they are from one game.
        phase: an index into ``PHASES``.
        loss: the difference to the best value, on the solver's scale; 0 for an optimal move.
        blunder: an index into ``BLUNDERS`` if it changes the result of the game under best play,
            else −1.
        seconds: thinking time.
        action: the move itself.
        situation: the kind of position, one of ``SITUATIONS``.
        missed: what it missed, one of ``MISSED``; None: nothing.
    """

    agent: int
    cluster: int
    phase: int
    loss: int
    blunder: int
    seconds: float
    action: int
    situation: str = QUIET
    missed: str | None = None


class Evidence(NamedTuple):
    """The judged moves of some agents, and the positions left out.

    Attributes:
        labels: the agents.
        moves: the judged moves.
        left_out: the number of skipped positions or moves, by reason.
        faults: for each agent that failed to move, how often, and the first fault.
    """

    labels: list[str]
    moves: list[JudgedMove]
    left_out: dict[str, int]
    faults: dict[str, tuple[int, str]]

    @property
    def fault_lines(self) -> list[str]:
        """A line for each agent that failed to move."""
        return [
            f"{label} failed to move in {counted(count, 'position')}; in the first it {first}"
            for label, (count, first) in self.faults.items()
        ]


class MoveJudge:
    """Knows the value of every legal move of a position, and caches its results.

    Args:
        game: the game.
        memory_mb: size of the solver's table in MiB.
        time_limit: seconds for one position, unless it has a ``node_limit``.

    Raises:
        SpecificationError: the game has no solver, or the board is too large for it.
    """

    def __init__(
        self,
        game: Game,
        memory_mb: int = DEFAULT_MEMORY_MB,
        time_limit: float = TIME_LIMIT,
        node_limit: int | None = None,
    ) -> None:
        self.game: Game = game
        self.memory_mb, self.time_limit, self.node_limit = memory_mb, time_limit, node_limit
        self.solver: Solver = make_solver(game, memory_mb)
        self.plies: int = self.solver.plies_left(game.initial_position())
        self._known: dict[bytes, Mapping[int, int] | None] = {}

    def knows(self, position: Position) -> bool:
        """Whether the position was requested before."""
        return position.record.tobytes() in self._known

    def values(self, position: Position) -> Mapping[int, int] | None:
        """The value of every legal action for the side to move; None if not solved in time."""
        key = position.record.tobytes()
        if key not in self._known:
            solution = self.solve(position, "all")
            self._known[key] = solution.values if solution.exact else None
        return self._known[key]

    def remember(self, position: Position, values: Mapping[int, int] | None) -> None:
        """Store values from another process: see :meth:`values`."""
        self._known[position.record.tobytes()] = values

    def solve(self, position: Position, moves: Literal["best", "all"] = "best") -> Solution:
        """The solver's values within the limit."""
        time = self.time_limit if self.node_limit is None else None
        return self.solver.solve(position, moves=moves, time=time, most_nodes=self.node_limit)

    def verdict(self, position: Position, action: int) -> tuple[int, int]:
        """The loss of a move in a solved position, and its kind of blunder (−1: none)."""
        values = self.values(position)
        assert values is not None
        best = max(values.values())
        before, after = (
            int(np.sign(self.solver.expected_return(position, value)))
            for value in (best, values[action])
        )
        kind = {(1, 0): WON_DRAWN, (1, -1): WON_LOST, (0, -1): DRAWN_LOST}.get((before, after))
        return best - values[action], -1 if kind is None else BLUNDERS.index(kind)

    def hastens(self, position: Position, loss: int) -> bool:
        """Whether a move with this loss, in a lost position, halves the rest of the game."""
        values = self.values(position)
        assert values is not None
        best = max(values.values())
        if not loss or best >= 0:
            return False
        longest, rest = (self.solver.end_of(position, value).plies for value in (best, best - loss))
        return longest is not None and rest is not None and 2 * rest <= longest

    def missed(self, position: Position, action: int) -> str | None:
        """What a move in a solved position missed, one of ``MISSED``; None: nothing."""
        loss, blunder = self.verdict(position, action)
        missed = missed_in(position, action)[0]
        if missed is None and blunder < 0 and self.hastens(position, loss):
            return HASTENED
        return missed


def has_worse_move(values: Mapping[int, int]) -> bool:
    """Whether legal moves differ in value, so that the position tests an agent."""
    return len(set(values.values())) > 1


def phase_of(judge: MoveJudge, ply: int) -> int:
    """The third of the game to which a position after ``ply`` actions belongs."""
    return min(len(PHASES) - 1, len(PHASES) * ply // judge.plies)


def first_ply_within_reach(judge: MoveJudge) -> int:
    """The first ply at which the solver is used by default."""
    return max(0, judge.plies - judge.solver.plies_in_seconds)


class _StoredMove(NamedTuple):
    """A move of a stored game.

    Attributes:
        game: the game's number.
        actions: all actions of the game.
        ply: the index of this action.
        players: the label of each seat.
        seconds: the mean time per move of each seat.
    """

    game: int
    actions: tuple[int, ...]
    ply: int
    players: tuple[str, str]
    seconds: tuple[float, float]


def stored_moves(
    judge: MoveJudge,
    store: Store,
    only: Sequence[str] = (),
    count: int | None = None,
    seed: int = 1,
    first_ply: int | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Judge the moves of agents in the games of a store.

    Games of the same agents with the same course are used once.

    Args:
        judge: provides the values.
        store: the store; its games of other kinds are skipped.
        only: labels of the agents to judge (default: all).
        count: number of moves to judge, drawn at random (default: all).
        seed: decides which.
        first_ply: earlier moves are skipped.
        progress: called with the number of judged moves and their total.

    Raises:
        StoreError: the store cannot be read, or holds no games of this kind.
        SpecificationError: an agent has played none of them.
    """
    first = first_ply_within_reach(judge) if first_ply is None else first_ply
    left_out = {
        "opening moves, not the agents' own": 0,
        f"before ply {first}": 0,
        "repeated games": 0,
        "all moves alike": 0,
        "not solved in time": 0,
    }
    labels = _labels_of(judge.game, store, only)
    candidates = _reservoir_sample(
        _candidates(judge.game, store, labels, first, left_out), count, seed
    )
    moves: list[JudgedMove] = []
    for number, candidate in enumerate(candidates, 1):
        move = _judge_stored(judge, candidate, labels, left_out)
        moves += [] if move is None else [move]
        if progress is not None:
            progress(number, len(candidates))
    return Evidence(
        labels, moves, {reason: number for reason, number in left_out.items() if number}, {}
    )


def _judge_stored(
    judge: MoveJudge, move: _StoredMove, labels: Sequence[str], left_out: dict[str, int]
) -> JudgedMove | None:
    """Judge a stored move; None if it is another agent's or skipped, which is then counted."""
    position = judge.game.position(move.actions[: move.ply])
    mover = position.to_move
    if move.players[mover] not in labels:
        return None
    values = judge.values(position)
    if values is None:
        left_out["not solved in time"] += 1
        return None
    if not has_worse_move(values):
        left_out["all moves alike"] += 1
        return None
    return JudgedMove(
        labels.index(move.players[mover]),
        move.game,
        phase_of(judge, move.ply),
        *judge.verdict(position, move.actions[move.ply]),
        move.seconds[mover],
        move.actions[move.ply],
        situation(position),
        judge.missed(position, move.actions[move.ply]),
    )


def _labels_of(game: Game, store: Store, only: Sequence[str]) -> list[str]:
    """The agents to judge: all of the store's tournaments of this game, or the given ones."""
    tournaments = store.tournaments()
    labels = list(
        dict.fromkeys(
            entry.label
            for tournament in tournaments
            if _is_of_game(game, tournament.settings)
            for entry in tournament.agents
        )
    )
    if not labels:
        games = ", ".join(
            dict.fromkeys(str(tournament.settings.get("game")) for tournament in tournaments)
        )
        raise StoreError(
            f"{store.path} holds no games of {game.spec}{f'; it holds {games}' if games else ''}"
        )
    for label in only:
        if label not in labels:
            raise SpecificationError(
                f"{label!r} has played no {game.spec} in {store.path}; its agents are "
                f"{', '.join(sorted(labels))}"
            )
    return list(only) or labels


def _is_of_game(game: Game, settings: Mapping[str, Any]) -> bool:
    """Whether the settings of a tournament are of this game.

    Settings of a game that is not installed are not.
    """
    try:
        return make_game(settings["game"]) == game
    except (SpecificationError, KeyError):
        return False


def _candidates(
    game: Game, store: Store, labels: Sequence[str], first: int, left_out: dict[str, int]
) -> Iterator[_StoredMove]:
    """The moves of the store's games from which the moves to judge are drawn.

    Opponents' moves are included: only replaying the game shows whose move it is.
    """
    courses, earlier = Courses(game), set[int]()
    number = 0
    for tournament in store.tournaments():
        if not _is_of_game(game, tournament.settings):
            continue
        for game_record in store.games(tournament.number):
            result = game_record.result
            players = (
                tournament.agents[game_record.players[0]].label,
                tournament.agents[game_record.players[1]].label,
            )
            if not set(players) & set(labels):
                continue
            course = hash((players, courses.course(game_record)))
            if course in earlier:
                left_out["repeated games"] += 1
                continue
            earlier.add(course)
            number += 1
            seconds = (
                result.seconds[0] / max(1, result.decisions[0]),
                result.seconds[1] / max(1, result.decisions[1]),
            )
            opening = len(game_record.opening)
            left_out["opening moves, not the agents' own"] += opening
            left_out[f"before ply {first}"] += max(0, min(first, len(result.moves)) - opening)
            for ply in range(max(opening, first), len(result.moves)):
                yield _StoredMove(number, result.moves, ply, players, seconds)


def _reservoir_sample(
    candidates: Iterator[_StoredMove], count: int | None, seed: int
) -> list[_StoredMove]:
    """All candidates, or ``count`` of them drawn at random, in their order.

    The draw is reservoir sampling (Vitter, algorithm R).
    """
    if count is None:
        return list(candidates)
    chance = random.Random(seed)
    reservoir: list[tuple[int, _StoredMove]] = []
    for index, candidate in enumerate(candidates):
        if index < count:
            reservoir.append((index, candidate))
        elif (place := chance.randrange(index + 1)) < count:
            reservoir[place] = (index, candidate)
    return [candidate for _, candidate in sorted(reservoir, key=lambda each: each[0])]
