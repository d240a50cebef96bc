"""Heuristics: static values against exact values, phase by phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....envs import rules as r
from ....envs.game import Position
from ....envs.registry import make_game
from ....evaluation.move_quality.judge import PHASES, MoveJudge
from ....evaluation.move_quality.positions import sample_positions
from .measurement import (
    ALL,
    COUNT,
    DIFFERENCE,
    SHARE,
    TEXT,
    Column,
    Measurement,
    share_columns,
    share_values,
)  # fmt: skip
from .quality import Case


@dataclasses.dataclass(frozen=True)
class Heuristics(Measurement):
    """The rank correlation of heuristics with exact values, and the quality of their moves.

    A heuristic chooses the move with the highest value for the mover after it. Wins come before all
    heuristic values, losses after them.

    Attributes:
        game: the game; it must have an exact solver.
        heuristics: names of the game's heuristics.
        positions: number of random positions.
        seed: the seed of the positions.
        from_ply: least number of random moves; None: what the solver can solve.
        time_limit: seconds for solving a position.
    """

    game: str
    heuristics: tuple[str, ...]
    positions: int
    seed: int = 1
    from_ply: int | None = None
    time_limit: float = 60.0

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("heuristic", "heuristic", TEXT),
        Column("phase", "phase", TEXT),
        Column("positions", "positions", COUNT, detail=True),
        Column("correlation", "rank correlation with exact values", DIFFERENCE),
        *share_columns("optimal", "best move chosen"),
        Column("chance", "by chance", SHARE),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        game = make_game(self.game)
        judge = MoveJudge(game, time_limit=self.time_limit)
        sample = sample_positions(judge, self.positions, self.seed, self.from_ply).positions
        positions, phases = zip(*sample)
        values = [judge.values(position) or {} for position in positions]
        exact = [
            max(own.values())
            if game.facts.max_return == 1
            else judge.solver.expected_return(position, max(own.values()))
            for position, own in zip(positions, values)
        ]
        chance = [np.mean([value == max(own.values()) for value in own.values()]) for own in values]
        for name in self.heuristics:
            index = game.declaration.heuristics.index(name)
            static = [_evaluate(position, position.to_move, index) for position in positions]
            hits = [_prefers_best(position, own, index) for position, own in zip(positions, values)]
            for phase in (ALL, *PHASES):
                at = [n for n, place in enumerate(phases) if phase in (ALL, PHASES[place])]
                if at:
                    correlation = rank_correlation([static[n] for n in at], [exact[n] for n in at])
                    share = share_values([hits[n] for n in at])
                    mean = float(np.mean([chance[n] for n in at]))
                    yield self.game, name, phase, len(at), correlation, *share, mean


@dataclasses.dataclass(frozen=True)
class StaticValues(Measurement):
    """Values of heuristics in hand-made positions, for the mover.

    Attributes:
        cases: the positions.
        heuristics: names of the games' heuristics.
    """

    cases: tuple[Case, ...]
    heuristics: tuple[str, ...]

    columns: ClassVar[tuple[Column, ...]] = (
        Column("position", "position", TEXT),
        Column("board", "board", TEXT),
        Column("heuristic", "heuristic", TEXT),
        Column("value", "worth to the mover", COUNT),
    )

    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.game for case in self.cases))

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for case in self.cases:
            position = case.position()
            for name in self.heuristics:
                index = position.game.declaration.heuristics.index(name)
                yield (
                    case.name,
                    position.to_text(),
                    name,
                    _evaluate(position, position.to_move, index),
                )


def _evaluate(position: Position, player: int, heuristic: int) -> int:
    return int(r.evaluate(position.game.rules, position.record, player, heuristic))


def _prefers_best(position: Position, values: Mapping[int, int], heuristic: int) -> bool:
    """Whether the heuristic's first preferred move is a best move."""
    mover = position.to_move

    def worth(action: int) -> tuple[float, int]:
        after = position.after(action)
        if after.is_over:
            return after.returns[mover], 0
        return 0.0, _evaluate(after, mover, heuristic)

    return values[max(values, key=worth)] == max(values.values())


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, with mean ranks for ties; None if all values are equal."""
    from scipy.stats import spearmanr

    if len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return float(spearmanr(first, second).statistic)
