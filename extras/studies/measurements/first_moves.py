"""First moves: their exact values, and their estimates by pure Monte Carlo."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....agents import make_agent
from ....agents.solvers.solver import make_solver
from ....envs import __version__
from ....envs.game import Game
from ....envs.loading.files import written_whole
from ....envs.loading.records import check_value, read_json
from ....envs.registry import make_game
from ....evaluation.statistics.intervals import QUANTILE
from .measurement import (
    COUNT,
    DIFFERENCE,
    NUMBER,
    TEXT,
    YES,
    Column,
    Measurement,
    share_columns,
    share_values,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class FirstMoves(Measurement):
    """The first moves of a board; moves that are equal by symmetry share a row.

    Attributes:
        game: the game.
        simulations: random games after each move.
        memory_mb: memory limit of the solver's table.
        seed: the seed of the random games.
    """

    game: str
    simulations: int
    memory_mb: int = 256
    seed: int = 1

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("moves", "first moves, equal by symmetry", TEXT),
        Column("count", "moves", COUNT, detail=True),
        Column("value", "exact value", DIFFERENCE),
        Column("best", "best", YES),
        Column("believed", "Monte Carlo believes", NUMBER, interval=("margin",)),
        Column("margin", "± (95 %)", NUMBER),
        Column("simulations", "games a move", COUNT, detail=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        game = make_game(self.game)
        values = exact_values(game, self.memory_mb, path.parent)
        agent = make_agent(f"montecarlo:simulations={self.simulations}", game, seed=self.seed)
        decision = agent.analyse(game.initial_position())
        assert decision.values is not None
        assert decision.errors is not None
        estimates, errors = decision.values, decision.errors  # standard errors

        def estimate(moves: list[int]) -> float:
            return float(np.mean([estimates[move] for move in moves]))

        classes = symmetry_classes(game)
        for moves in sorted(classes, key=lambda each: (-values[each[0]], -estimate(each))):
            value, count = values[moves[0]], len(moves)
            names = " · ".join(map(game.action_to_text, moves))
            margin = QUANTILE * float(np.linalg.norm([errors[move] for move in moves])) / count
            belief = estimate(moves), margin, self.simulations * count
            yield self.game, names, count, value, value == max(values.values()), *belief


@dataclasses.dataclass(frozen=True)
class MonteCarloChoices(Measurement):
    """The number of random games that pure Monte Carlo needs to choose a best first move.

    Attributes:
        game: the game.
        simulations: random games after each move.
        trials: number of choices, each with a different seed.
        memory_mb: memory limit of the solver's table.
        seed: the first seed.
    """

    game: str
    simulations: tuple[int, ...]
    trials: int
    memory_mb: int = 256
    seed: int = 1

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("simulations", "random games a move", COUNT),
        Column("trials", "trials", COUNT, detail=True),
        *share_columns("right", "a best move chosen"),
        Column("chosen", "chosen most often", TEXT),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        game = make_game(self.game)
        values = exact_values(game, self.memory_mb, path.parent)
        start = game.initial_position()
        for count in self.simulations:
            agent = make_agent(f"montecarlo:simulations={count}", game)
            choices = []
            for trial in range(self.trials):
                agent.reset(self.seed + trial)
                choices.append(agent.act(start))
            share = share_values([values[move] == max(values.values()) for move in choices])
            most = max(sorted(set(choices)), key=choices.count)
            yield self.game, count, self.trials, *share, game.action_to_text(most)


def exact_values(game: Game, memory_mb: int, folder: Path) -> dict[int, int]:
    """The exact value of every first move; an earlier result is read from its file."""
    name = re.sub(r"\W+", "-", game.spec)
    path = folder / f"first-moves-{__version__}-{name}.solved"
    if not path.exists():
        solution = make_solver(game, memory_mb).solve(game.initial_position(), moves="all")
        assert solution.values is not None
        with written_whole(path) as file:
            file.write(json.dumps(list(solution.values.items())).encode())
    pairs = read_json(path)
    check_value(pairs, list[tuple[int, int]], str(path))
    return dict(pairs)


def symmetry_classes(game: Game) -> list[list[int]]:
    """The first moves, grouped by symmetry."""
    classes: dict[int, list[int]] = {}
    for action in game.initial_position().legal_actions():
        classes.setdefault(int(game.symmetries[:, action].min()), []).append(action)
    return list(classes.values())
