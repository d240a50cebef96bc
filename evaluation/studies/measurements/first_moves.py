"""First moves: their exact values, and what pure Monte Carlo believes of them."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np

from ....agents import make_agent
from ....agents.solvers.solver import make_solver
from ....envs import __version__
from ....envs.files import written_whole
from ....envs.game import Game
from ....envs.registry import make_game
from ...statistics.intervals import QUANTILE
from .measurement import (
    COUNT,
    NUMBER,
    SIGNED,
    TEXT,
    YES,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
    share_cells,
    share_columns,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class FirstMoves(Measurement):
    """The first moves of a board: equal ones under its symmetries stand in one row.

    Attributes:
        game: the game.
        simulations: random games after each move.
        memory_mb: the most memory of the solver's table.
        seed: decides the random games.
    """

    game: str
    simulations: int
    memory_mb: int = 256
    seed: int = 1

    columns = (
        Column("game", "game", TEXT),
        Column("moves", "first moves, equal by symmetry", TEXT),
        Column("count", "moves", COUNT),
        Column("value", "exact value", SIGNED),
        Column("best", "best", YES),
        Column("believed", "Monte Carlo believes", NUMBER, interval=("margin",)),
        Column("margin", "± (95 %)", NUMBER),
        Column("simulations", "games a move", COUNT),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        game = make_game(self.game)
        values = exact_values(game, self.memory_mb, workplace)
        agent = make_agent(f"montecarlo:simulations={self.simulations}", game, seed=self.seed)
        decision = agent.analyse(game.initial_position())
        assert decision.values is not None
        assert decision.errors is not None
        rows = []
        for moves in symmetry_classes(game):
            value = values[moves[0]]
            errors = [decision.errors[move] for move in moves]  # standard errors
            rows.append(
                {
                    "game": self.game,
                    "moves": " · ".join(map(game.action_to_text, moves)),
                    "count": len(moves),
                    "value": value,
                    "best": value == max(values.values()),
                    "believed": float(np.mean([decision.values[move] for move in moves])),
                    "margin": QUANTILE * float(np.linalg.norm(errors)) / len(moves),
                    "simulations": self.simulations * len(moves),
                }
            )
        return sorted(rows, key=lambda row: (-row["value"], -row["believed"]))

    def finding(self, rows: list[Row]) -> str:
        best = [row for row in rows if row["best"]]
        believed = max(rows, key=lambda row: row["believed"])
        which = (
            "every first move is worth"
            if len(best) == len(rows)
            else f"{sum(row['count'] for row in best)} of {sum(row['count'] for row in rows)} "
            f"first moves ({', '.join(row['moves'] for row in best)}) are best with"
        )
        right = "which is" if believed["best"] else "which is not"
        return (
            f"{self.game}: {which} {best[0]['value']:+d}; pure Monte Carlo prefers "
            f"{believed['moves'].split(' · ')[0]}, {right} among the best."
        )


@dataclasses.dataclass(frozen=True)
class MonteCarloChoices(Measurement):
    """How many random games pure Monte Carlo needs to choose a best first move.

    Attributes:
        game: the game.
        simulations: random games after each move.
        trials: how often the choice is made, each time with another seed.
        memory_mb: the most memory of the solver's table.
        seed: the first seed.
    """

    game: str
    simulations: tuple[int, ...]
    trials: int
    memory_mb: int = 256
    seed: int = 1

    columns = (
        Column("game", "game", TEXT),
        Column("simulations", "random games a move", COUNT),
        Column("trials", "trials", COUNT),
        *share_columns("right", "a best move chosen"),
        Column("chosen", "chosen most often", TEXT),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        game = make_game(self.game)
        values = exact_values(game, self.memory_mb, workplace)
        return [self._row(game, values, count) for count in self.simulations]

    def _row(self, game: Game, values: dict[int, int], count: int) -> Row:
        agent = make_agent(f"montecarlo:simulations={count}", game)
        start, chosen = game.initial_position(), []
        for trial in range(self.trials):
            agent.reset(self.seed + trial)
            chosen.append(agent.act(start))
        hits = [values[move] == max(values.values()) for move in chosen]
        return {
            "game": self.game,
            "simulations": count,
            "trials": self.trials,
            **share_cells("right", hits),
            "chosen": game.action_to_text(max(sorted(set(chosen)), key=chosen.count)),
        }

    def finding(self, rows: list[Row]) -> str:
        least, most = rows[0], rows[-1]
        return (
            f"{self.game}: with {least['simulations']:,} random games a move pure Monte Carlo "
            f"chooses a best first move in {percent_text(least['right'])} of "
            f"{least['trials']:,} trials, with {most['simulations']:,} in "
            f"{percent_text(most['right'])}."
        )


def exact_values(game: Game, memory_mb: int, workplace: Workplace) -> dict[int, int]:
    """The exact value of every first move; what was solved before is read from a file."""
    name = re.sub(r"\W+", "-", game.spec)
    path = workplace.folder / f"first-moves-{__version__}-{name}.solved"
    if not path.exists():
        solution = make_solver(game, memory_mb).solve(game.initial_position(), moves="all")
        assert solution.values is not None
        with written_whole(path) as file:
            file.write(json.dumps(list(solution.values.items())).encode())
    return dict(json.loads(path.read_text(encoding="utf-8")))


def symmetry_classes(game: Game) -> list[list[int]]:
    """The first moves, those together that lead to images of one position."""
    classes: dict[int, list[int]] = {}
    for action in game.initial_position().legal_actions():
        classes.setdefault(int(game.symmetries[:, action].min()), []).append(action)
    return list(classes.values())
