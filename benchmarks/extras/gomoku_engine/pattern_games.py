"""Positions for fitting the engine's pattern values: games of the engine against itself.

Run with ``python benchmarks/extras/gomoku_engine/pattern_games.py FILE --games 2000``; it writes an
``.npz`` file with one row for each searched position: the cells, the player to move, the value and
the action of the search, the result of the game, and its number. Openings are random stones near
the centre, and some moves are random too, so that not all positions are balanced. After each move a
position with a few more random stones is searched as well, similar to leaves of a search; its
result is unknown (NaN).
"""

from __future__ import annotations

import argparse
import math
import random

import numpy as np
from plyground import make_agent, make_game
from plyground.evaluation.openings import swap2_openings

STONES = range(3, 8)  # of an opening
NOISE = 0.06  # share of random moves; their positions are searched too
ASTRAY = 3  # largest number of additional random stones


def near(position, rng):
    """A random free cell within two cells of a stone."""
    n = position.game.rules.cols
    stones = np.flatnonzero(position.record.cells[: n * n])
    legal = position.legal_actions()
    rng.shuffle(legal)
    for action in legal:
        far = np.maximum(abs(stones // n - action // n), abs(stones % n - action % n))
        if far.min() <= 2:
            return action
    return legal[0]


def points(decision):
    """The value in points; a proved result is a million, minus the plies to it."""
    if decision.mate_in is None:
        return decision.value
    return math.copysign(1_000_000, decision.value) - decision.mate_in


def row_of(position, decision):
    """The row of a position, without the result."""
    return position.record.cells.copy(), position.to_move, points(decision), decision.action


def go_astray(agent, position, rng):
    """The row of a position with a few more random stones, if the game is not over there."""
    aside = position.copy()
    for _ in range(rng.randint(1, ASTRAY)):
        aside.play(near(aside, rng))
        if aside.is_over:
            return []
    return [(*row_of(aside, agent.analyse(aside)), math.nan)]


def play(agent, position, rng, most):
    """The rows of one game, or none if the opening is won for one side."""
    rows, asides = [], []
    while not position.is_over and position.record.ply < 140:
        decision = agent.analyse(position)
        if not rows and abs(points(decision)) > most:
            return []
        rows.append(row_of(position, decision))
        asides += go_astray(agent, position, rng)
        noisy = rng.random() < NOISE and abs(points(decision)) < 500_000
        position.play(near(position, rng) if noisy else decision.action)
    results = position.returns if position.is_over else (0.0, 0.0)
    return [(*row, results[row[1]]) for row in rows] + asides


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--agent", default="gomoku:nodes=2000")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--most", type=float, default=400, help="points of an opening at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game, rng, rows, number = make_game(options.game), random.Random(options.seed), [], 0
    agent = make_agent(options.agent, game)
    agent.get_ready(game)
    openings = [swap2_openings(game, stones, options.seed) for stones in STONES]
    while number < options.games:
        position = game.position(next(rng.choice(openings)))
        game_rows = play(agent, position, rng, options.most)
        rows += [(*row, number) for row in game_rows]
        number += bool(game_rows)
        if game_rows and (number % 200 == 0 or number == options.games):
            columns = list(zip(*rows, strict=True))
            np.savez_compressed(
                options.file,
                cells=np.array(columns[0], np.int8)[:, : game.rules.rows * game.rules.cols],
                mover=np.array(columns[1], np.int8),
                value=np.array(columns[2], np.float32),
                action=np.array(columns[3], np.int16),
                result=np.array(columns[4], np.float32),
                game=np.array(columns[5], np.int32),
            )
            print(number, "games", len(rows), "positions", flush=True)


if __name__ == "__main__":
    main()
