"""How many points of a heuristic stand for how much expected score, game by game.

    python benchmarks/reviews/estimates.py [GAMES]

Agents of different strength play from random openings. The estimator of reviews values positions of
these games; ``points / (|points| + lead)`` is its forecast of the return. The table shows the mean
squared error of the forecast for several leads; the best ones are the ``lead`` of the games'
profiles.
"""

from __future__ import annotations

import random
import sys

import numpy as np
from plyground import make_agent, make_game
from plyground.evaluation.match import play_game

POOLS = {
    "gomoku:rule=caro,size=10": ("medium", "hard", "alphabeta:depth=3", "alphabeta:depth=4"),
    "othello": ("greedy", "alphabeta:depth=2", "alphabeta:depth=3"),
    "hex:size=7": ("greedy", "alphabeta:depth=2", "alphabeta:depth=3"),
    "kalah": ("greedy", "alphabeta:depth=2", "alphabeta:depth=3"),
    "ultimate_tic_tac_toe": ("greedy", "alphabeta:depth=2", "alphabeta:depth=3"),
}
ESTIMATOR = "alphabeta:nodes=20000"
LEADS = (25, 50, 75, 100, 200, 400, 700, 1000, 1500, 3000)
EVERY = 3  # positions of a game are alike: only every third one is taken


def forecasts(spec: str, agents: tuple[str, ...], games: int) -> tuple[np.ndarray, np.ndarray]:
    """The points of positions from the side of player_0, and its score in their games."""
    game, chance = make_game(spec), random.Random(1)
    estimator = make_agent(ESTIMATOR, game)
    points, scores = [], []
    for number in range(games):
        opening = [chance.choice(game.initial_position().legal_actions())]
        opening.append(chance.choice(game.position(opening).legal_actions()))
        seats = [make_agent(each) for each in chance.sample(agents, 2)]
        result = play_game(game, seats, opening, (number, number + 1))
        for ply in range(len(opening), len(result.moves), EVERY):
            position = game.position(result.moves[:ply])
            estimator.reset(1)
            score = estimator.analyse(position).score
            if score.unit == "points":
                points.append(-score.value if position.to_move else score.value)
                scores.append((result.returns[0] / game.facts.max_return + 1) / 2)
    return np.array(points), np.array(scores)


def main() -> None:
    """Print a line of errors for each game."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    print(f"{'mean squared error for a lead of':40}", *(f"{lead:>6}" for lead in LEADS))
    for spec, agents in POOLS.items():
        points, scores = forecasts(spec, agents, games)
        errors = [
            np.mean((scores - 0.5 - 0.5 * points / (abs(points) + lead)) ** 2) for lead in LEADS
        ]
        title = f"{spec}, {len(points)} positions"
        print(f"{title:40}", *(f"{error:6.3f}" for error in errors), flush=True)


if __name__ == "__main__":
    main()
