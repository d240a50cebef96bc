"""Heuristics: static values against exact values, phase by phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from ....envs import rules as r
from ....envs.game import Position
from ....envs.registry import make_game
from ...move_quality import PHASES, MoveJudge, sample_positions
from .measurement import (
    COUNT,
    SHARE,
    SIGNED,
    TEXT,
    Column,
    Measurement,
    Row,
    Workplace,
    share_cells,
    share_columns,
)  # fmt: skip

ALL = "all"


@dataclasses.dataclass(frozen=True)
class Heuristics(Measurement):
    """The rank correlation of heuristics with exact values, and how well they choose moves.

    A heuristic chooses the move after which the position is worth most to the mover, finished games
    by their result before all others.

    Attributes:
        game: the game; it must have an exact solver.
        heuristics: names of the game's heuristics.
        positions: how many random positions.
        seed: decides them.
        from_ply: how many random moves they have at least; None: as suits the solver.
        time_limit: seconds for solving a position.
    """

    game: str
    heuristics: tuple[str, ...]
    positions: int
    seed: int = 1
    from_ply: int | None = None
    time_limit: float = 60.0

    columns = (
        Column("game", "game", TEXT),
        Column("heuristic", "heuristic", TEXT),
        Column("phase", "phase", TEXT),
        Column("positions", "positions", COUNT),
        Column("correlation", "rank correlation with exact values", SIGNED),
        *share_columns("optimal", "best move chosen"),
        Column("chance", "by chance", SHARE),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        game = make_game(self.game)
        judge = MoveJudge(game, time_limit=self.time_limit)
        sample = sample_positions(judge, self.positions, self.seed, self.from_ply).positions
        values = [_solved(judge, position) for position, _ in sample]
        exact = [
            max(known.values())
            if game.facts.max_return == 1
            else judge.solver.expected_return(position, max(known.values()))
            for (position, _), known in zip(sample, values)
        ]
        rows = []
        for name in self.heuristics:
            index = game.declaration.heuristics.index(name)
            static = [_evaluate(position, position.to_move, index) for position, _ in sample]
            chances = [_chance_of_best(p, k, index) for (p, _), k in zip(sample, values)]
            for phase in (ALL, *PHASES):
                chosen = [
                    number
                    for number, (_, where) in enumerate(sample)
                    if phase in (ALL, PHASES[where])
                ]
                if chosen:
                    rows.append(self._row(name, phase, chosen, static, exact, chances, values))
        return rows

    def _row(
        self,
        name: str,
        phase: str,
        chosen: list[int],
        static: list[int],
        exact: list[float],
        hits: list[int],
        values: list[Mapping[int, int]],
    ) -> Row:
        by_chance = [
            np.mean([value == max(known.values()) for value in known.values()])
            for known in (values[number] for number in chosen)
        ]
        return {
            "game": self.game,
            "heuristic": name,
            "phase": phase,
            "positions": len(chosen),
            "correlation": rank_correlation(
                [static[number] for number in chosen], [exact[number] for number in chosen]
            ),
            **share_cells("optimal", [hits[number] for number in chosen]),
            "chance": float(np.mean(by_chance)),
        }

    def finding(self, rows: list[Row]) -> str:
        told = [
            f"{row['heuristic']} {_signed(row['correlation'])} "
            f"(a best move in {100 * row['optimal']:.0f} %)"
            for row in rows
            if row["phase"] == ALL
        ]
        return f"{self.game}: rank correlation with exact values: {', '.join(told)}."


def _signed(value: float | None) -> str:
    return "not defined" if value is None else f"{value:+.2f}"


def _solved(judge: MoveJudge, position: Position) -> Mapping[int, int]:
    values = judge.values(position)
    assert values is not None  # the sample holds solved positions only
    return values


def _evaluate(position: Position, player: int, heuristic: int) -> int:
    return int(r.evaluate(position.game.rules, position.record, player, heuristic))


def _chance_of_best(position: Position, values: Mapping[int, int], heuristic: int) -> int:
    """1 if the move that the heuristic prefers is a best one; the first of equals."""
    mover = position.to_move

    def worth(action: int) -> tuple[float, int]:
        after = position.after(action)
        if after.is_over:
            return after.returns[mover], 0
        return 0.0, _evaluate(after, mover, heuristic)

    return int(values[max(values, key=worth)] == max(values.values()))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, equal values sharing their mean rank; None if all are equal."""
    from scipy.stats import spearmanr

    if len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return float(spearmanr(first, second).statistic)
