"""Quality: agents' moves against perfect play, by phase or by what the position asks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ....agents import make_agent
from ....agents.lookahead import HOLDS, LETS_WIN, WINS, grades
from ....envs.game import Position
from ....envs.registry import make_game
from ...move_quality import PHASES, JudgedMove, MoveJudge, ask_agents, sample_positions
from ...statistics.intervals import mean_margin
from .measurement import (
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
    share_cells,
    share_columns,
)  # fmt: skip

ALL = "all"
# what a position asks of the mover
TAKE, WIN, PARRY, QUIET = "moves again", "wins at once", "must parry", "quiet"
# What is wrong with a move, by the column that counts it, the gravest first.
MISSED_WIN, MISSED_PARRY, WORSE_RESULT, SAME_RESULT = ERRORS = (
    "missed_win", "missed_parry", "worse_result", "same_result",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class MoveQuality(Measurement):
    """How often agents play a best move in random positions.

    The positions are divided by phase, and by the situation of the mover: it can win at once, it
    can complete something and move again, some of its moves let the opponent win at once, or none
    of these.

    Attributes:
        game: the game; it must have an exact solver.
        agents: the agents' specifications.
        positions: how many random positions.
        seed: decides the positions and the agents' random choices.
        from_ply: how many random moves the positions have at least; None: as suits the solver.
        time_limit: seconds for solving a position.
        awaited: agents that take part once the library has them.
    """

    game: str
    agents: tuple[str, ...]
    positions: int
    seed: int = 1
    from_ply: int | None = None
    time_limit: float = 60.0
    awaited: tuple[str, ...] = ()

    columns = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("part", "positions", TEXT),
        Column("moves", "moves", COUNT),
        *share_columns("optimal", "best moves"),
        Column(MISSED_WIN, "misses a win at once", SHARE),
        Column(MISSED_PARRY, "lets the other win at once", SHARE),
        Column(WORSE_RESULT, "other errors that change the result", SHARE),
        Column(SAME_RESULT, "errors that do not", SHARE),
        Column("loss", "value lost a move", NUMBER),
        Column("blunders", "result changed", SHARE),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        game = make_game(self.game)
        judge = MoveJudge(game, time_limit=self.time_limit)
        sample = sample_positions(judge, self.positions, self.seed, self.from_ply)
        specs = self.agents_named()
        agents = [make_agent(spec, game) for spec in specs]
        evidence = ask_agents(judge, sample, agents, specs, self.seed)
        graded = [grades(position) for position, _ in sample.positions]
        asked = [
            situation(position, known) for (position, _), known in zip(sample.positions, graded)
        ]
        rows = []
        for number, spec in enumerate(specs):
            own = [move for move in evidence.moves if move.agent == number]
            parts = [(ALL, own)]
            parts += [
                (name, [move for move in own if move.phase == phase])
                for phase, name in enumerate(PHASES)
            ]
            parts += [
                (name, [move for move in own if asked[move.cluster] == name])
                for name in (WIN, TAKE, PARRY, QUIET)
            ]
            rows += [self._row(spec, part, moves, graded) for part, moves in parts if moves]
        return rows

    def _row(
        self, agent: str, part: str, moves: list[JudgedMove], graded: list[dict[int, int]]
    ) -> Row:
        clusters = np.array([move.cluster for move in moves], np.int64)
        losses = np.array([move.loss for move in moves], np.int64)
        errors = [kind_of_error(move, graded[move.cluster]) for move in moves]
        return {
            "game": self.game,
            "agent": agent,
            "part": part,
            "moves": len(moves),
            **share_cells("optimal", losses == 0, clusters),
            **{kind: errors.count(kind) / len(errors) for kind in ERRORS},
            "loss": mean_margin(losses, clusters)[0],
            "blunders": float(np.mean([move.blunder >= 0 for move in moves])),
        }

    def finding(self, rows: list[Row]) -> str:
        whole = [row for row in rows if row["part"] == ALL]
        best = max(whole, key=lambda row: row["optimal"])
        weakest = min(
            (row for row in rows if row["agent"] == best["agent"] and row["part"] != ALL),
            key=lambda row: row["optimal"],
        )
        others = ", ".join(
            f"{row['agent']} {percent_text(row['optimal'])}" for row in whole if row is not best
        )
        others = f" ({others})" if others else ""
        told = (
            f"{self.game}: {best['agent']} plays a best move in {percent_text(best['optimal'])} of "
            f"{best['moves']} positions{others}; it errs most in those called "
            f"“{weakest['part']}” ({percent_text(weakest['optimal'])})"
        )
        learned = [row for row in whole if row["agent"].startswith("zoo:")]
        return "; ".join([told, *map(_errors_of, learned)]) + "."


def _errors_of(row: Row) -> str:
    """Where a network errs, in words."""
    return (
        f"{row['agent']} alone misses a win at once in {percent_text(row[MISSED_WIN])}, lets the "
        f"other win at once in {percent_text(row[MISSED_PARRY])}, changes the result otherwise in "
        f"{percent_text(row[WORSE_RESULT])} and errs without changing it in "
        f"{percent_text(row[SAME_RESULT])}"
    )


def situation(position: Position, graded: Mapping[int, int]) -> str:
    """What a position asks of the mover, by the grades of its actions."""
    if WINS in graded.values():
        return WIN
    if position.game.facts.moves_again and any(
        not after.is_over and after.to_move == position.to_move
        for after in map(position.after, graded)
    ):
        return TAKE
    return PARRY if LETS_WIN in graded.values() else QUIET


def kind_of_error(move: JudgedMove, graded: Mapping[int, int]) -> str | None:
    """What is wrong with a move, None if it is one of the best."""
    if move.loss == 0:
        return None
    grade, best = graded[move.action], max(graded.values())
    if best == WINS:
        return MISSED_WIN
    if grade == LETS_WIN and best == HOLDS:
        return MISSED_PARRY
    return WORSE_RESULT if move.blunder >= 0 else SAME_RESULT
