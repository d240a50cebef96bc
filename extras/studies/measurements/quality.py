"""Quality: agents' moves in positions of a game or made by hand, against perfect play."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....agents import make_agent
from ....agents.lookahead import (
    HOLDS,
    LETS_WIN,
    PARRY,
    QUIET,
    TAKE,
    WIN,
    WINS,
    grades,
)
from ....envs.game import Position
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ....evaluation.move_quality.judge import PHASES, JudgedMove, MoveJudge
from ....evaluation.move_quality.positions import ask_agents, sample_positions
from ....evaluation.statistics.intervals import mean_margin
from .measurement import (
    ALL,
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    TEXT,
    YES,
    Column,
    Measurement,
    share_columns,
    share_values,
)  # fmt: skip

MEMORY_MB = 64  # of the solver's table for hand-made positions
# The kinds of errors, by the columns that count them, the gravest first.
MISSED_WIN, MISSED_PARRY, WORSE_RESULT, SAME_RESULT = ERRORS = (
    "missed_win", "missed_parry", "worse_result", "same_result",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """A position and its right moves.

    Attributes:
        name: its name.
        game: the game.
        moves: the moves that lead to it, by name, separated by commas.
        right: the right moves by name; empty if the exact solver decides.
        board: the board as text instead of moves; it need not be reachable.
    """

    name: str
    game: str
    moves: str = ""
    right: tuple[str, ...] = ()
    board: str = ""

    def position(self) -> Position:
        """The position itself."""
        if self.board:
            return make_game(self.game).position_from_text(self.board, check=False)
        return make_game(self.game).position(self.moves.split(",") if self.moves else [])

    def best_moves(self) -> set[str]:
        """The right moves by name, as declared or by the solver."""
        if self.right:
            return set(self.right)
        position = self.position()
        values = MoveJudge(position.game, MEMORY_MB).values(position)
        if values is None:
            raise SpecificationError(f"the position {self.name!r} was not solved in time")
        name, best = position.game.action_to_text, max(values.values())
        return {name(action) for action, value in values.items() if value == best}


@dataclasses.dataclass(frozen=True)
class Answers(Measurement):
    """Every agent's move in every position, judged by the solver or by the declared moves.

    Attributes:
        cases: the positions.
        agents: the agents' specifications.
        seed: the seed of the agents.
    """

    cases: tuple[Case, ...]
    agents: tuple[str, ...]
    seed: int = 1

    columns: ClassVar[tuple[Column, ...]] = (
        Column("position", "position", TEXT),
        Column("agent", "agent", TEXT),
        Column("move", "plays", TEXT),
        Column("right", "right", YES),
        Column("best", "right moves", TEXT),
        Column("judge", "judged by", TEXT, detail=True),
        Column("value", "worth to the mover, by the agent", NUMBER),
        Column("time", "CPU time", SECONDS, timed=True, detail=True),
    )

    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.game for case in self.cases))

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for case in self.cases:
            position, best = case.position(), case.best_moves()
            judge = "declaration" if case.right else "solver"
            for spec in self.agents:
                agent = make_agent(spec, position.game, seed=self.seed)
                agent.get_ready(position.game)
                start = time.process_time()
                decision = agent.analyse(position)
                seconds = time.process_time() - start
                move = position.game.action_to_text(decision.action)
                right_moves = " · ".join(sorted(best))
                answer = move, move in best, right_moves, judge, decision.value
                yield case.name, spec, *answer, seconds

    def pictures(self) -> list[tuple[str, str]]:
        return [(case.name, case.position().to_svg()) for case in self.cases]


@dataclasses.dataclass(frozen=True)
class MoveQuality(Measurement):
    """How often agents play a best move in random positions.

    The positions are divided by phase, and by the situation of the mover: it can win at once, it
    can complete something and move again, some of its moves let the opponent win at once, or none
    of these.

    Attributes:
        game: the game; it must have an exact solver.
        agents: the agents' specifications.
        positions: number of random positions.
        seed: the seed of the positions and the agents.
        from_ply: least number of random moves; None: what the solver can solve.
        time_limit: seconds for solving a position.
    """

    game: str
    agents: tuple[str, ...]
    positions: int
    seed: int = 1
    from_ply: int | None = None
    time_limit: float = 60.0

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("part", "positions", TEXT),
        Column("moves", "moves", COUNT),
        *share_columns("optimal", "best moves"),
        Column(MISSED_WIN, "misses a win at once", SHARE),
        Column(MISSED_PARRY, "lets the other win at once", SHARE),
        Column(WORSE_RESULT, "other errors that change the result", SHARE, detail=True),
        Column(SAME_RESULT, "errors that do not", SHARE, detail=True),
        Column("loss", "value lost a move", NUMBER, detail=True),
        Column("blunders", "result changed", SHARE),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        game = make_game(self.game)
        judge = MoveJudge(game, time_limit=self.time_limit)
        sample = sample_positions(judge, self.positions, self.seed, self.from_ply)
        agents = [make_agent(spec, game) for spec in self.agents]
        evidence = ask_agents(judge, sample, agents, self.agents, self.seed)
        action_grades = [grades(position) for position, _ in sample.positions]
        for number, spec in enumerate(self.agents):
            own = [move for move in evidence.moves if move.agent == number]
            for part in (ALL, *PHASES, WIN, TAKE, PARRY, QUIET):
                moves = [move for move in own if part in (ALL, PHASES[move.phase], move.situation)]
                if moves:
                    yield self.game, spec, part, len(moves), *_quality(moves, action_grades)


def _quality(moves: list[JudgedMove], action_grades: list[dict[int, int]]) -> Iterable[float]:
    """The columns of an agent's moves, from the share of best moves."""
    clusters = np.array([move.cluster for move in moves], np.int64)
    losses = np.array([move.loss for move in moves], np.int64)
    errors = [kind_of_error(move, action_grades[move.cluster]) for move in moves]
    yield from share_values(losses == 0, clusters)
    yield from (errors.count(kind) / len(errors) for kind in ERRORS)
    yield mean_margin(losses, clusters)[0]
    yield float(np.mean([move.blunder >= 0 for move in moves]))


def kind_of_error(move: JudgedMove, action_grades: Mapping[int, int]) -> str | None:
    """The kind of error of a move; None if it is a best move."""
    if move.loss == 0:
        return None
    grade, best = action_grades[move.action], max(action_grades.values())
    if best == WINS:
        return MISSED_WIN
    if grade == LETS_WIN and best == HOLDS:
        return MISSED_PARRY
    return WORSE_RESULT if move.blunder >= 0 else SAME_RESULT
