"""Time of the exact solvers by the number of plies to the end: the basis of `endgame=solver`.

    python benchmarks/solver_endgames.py

Positions after random moves are solved one by one, with the table of an agent with `endgame=`. The
number of plies to the end grows until positions take more than 30 ms on average. Times are the
thread's own processor time.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from plyground import Game, Position, make_game
from plyground.agents.solvers.endgame import MEMORY_MB
from plyground.agents.solvers.solver import make_solver, solver_class_of
from rich.console import Console
from rich.table import Table

GAMES = (
    "connect_four",
    "connect_four:rows=7,cols=8",
    "dots_and_boxes:rows=3,cols=3",
    "dots_and_boxes",
    "dots_and_boxes:rows=5,cols=5",
    "tic_tac_toe:size=5",
    "tic_tac_toe:rows=5,cols=6,connect=4",
    "gomoku:size=7",
)
ENOUGH = 0.03


def random_position(game: Game, played: int, rng: np.random.Generator) -> Position:
    """A position after so many random moves whose game is not over."""
    while True:
        position = game.initial_position()
        for _ in range(played):
            position.play(int(rng.choice(position.legal_actions())))
            if position.is_over:
                break
        else:
            return position


def main() -> None:
    """Print mean and longest time by plies left for each game."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument(
        "--positions",
        type=int,
        default=20,
        help="of each number of plies left (default: %(default)s)",
    )
    parser.add_argument(
        "--step",
        type=int,
        default=2,
        help="between the numbers of plies left (default: %(default)s)",
    )
    options = parser.parse_args()
    for spec in options.games:
        game, rng = make_game(spec), np.random.default_rng(0)
        solver = make_solver(game, max(MEMORY_MB, solver_class_of(game).least_memory_mb(game)))
        # so that loading the kernels is not timed
        solver.solve(random_position(game, game.facts.longest_game - 4, rng))
        table = Table(
            "plies left at most",
            "mean",
            "longest",
            title=f"{spec}: {options.positions} positions each",
        )
        for left in range(8, game.facts.longest_game + 1, options.step):
            seconds = []
            for _ in range(options.positions):
                position = random_position(game, game.facts.longest_game - left, rng)
                began = time.thread_time()
                solver.solve(position)
                seconds.append(time.thread_time() - began)
            table.add_row(
                str(left), f"{1e3 * np.mean(seconds):.2f} ms", f"{1e3 * max(seconds):.2f} ms"
            )
            if np.mean(seconds) > ENOUGH:
                break
        Console().print(table)


if __name__ == "__main__":
    main()
