"""What opponents cost at every game: steps per second of a vector environment.

    python benchmarks/opponents.py                       # nine games, a quarter of an hour
    python benchmarks/opponents.py --games hex:size=7 --seconds 0.5
    python benchmarks/opponents.py --ppo 20              # PPO too, 20 seconds a game

The first table has 256 games of a ``BoardVecEnv`` on one core, a random learner, and up to two
random plies at the start, in thousands of steps per second of processor time. The second has tiny
games whose positions come again and again: the batch remembers replies, and the warm-up fills its
memory. The third has a move alone, ``act``: microseconds of processor time, the mean over twelve
positions after two to eleven plies. PPO learns with its defaults, but against ``alphabeta`` of
depth 2 (by its rollouts and updates, without evaluations).
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Annotated

import cyclopts
import torch
from plyground import Game, Position, make_agent, make_game
from plyground.envs.compiled.randomness import new_stream
from plyground.training import BoardVecEnv
from timing import print_table, processor_seconds

from training import ppo_learner

GAMES = (
    "connect_four",
    "tic_tac_toe",
    "dots_and_boxes",
    "gomoku:size=9",
    "gomoku",
    "othello",
    "hex:size=7",
    "breakthrough",
    "kalah",
    "ultimate_tic_tac_toe",
)
OPPONENTS = (
    "greedy",
    "minimax:depth=1",
    "minimax:depth=2",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
    "alphabeta:depth=4",
)
TINY = (
    ("tic_tac_toe", "solver"),
    ("tic_tac_toe", "minimax:depth=9"),
    ("tic_tac_toe", "alphabeta:depth=9"),
    ("dots_and_boxes:rows=2,cols=2", "solver"),
    ("connect_four:rows=4,cols=5", "solver"),
)
BATCH, WARM_UP, CALLS = 256, 5.0, 20
Names = Annotated[tuple[str, ...], cyclopts.Parameter(consume_multiple=True)]


def steps_per_second(game: str, opponent: str, seconds: float, warm_up: float = 0.0) -> float:
    """Steps of a vector environment per second of processor time, in thousands."""
    env = BoardVecEnv(game, BATCH, opponent, opening_plies=2)
    env.seed(1)
    env.reset()
    stream = new_stream(2)

    def play(duration: float) -> float:
        steps, start = 0, time.process_time()
        while time.process_time() - start < duration or steps == 0:
            env.step(env.games.draw_actions(stream))
            steps += BATCH
        return steps / (time.process_time() - start) / 1e3

    play(warm_up)
    return play(seconds)


def some_positions(game: Game) -> list[Position]:
    """Twelve positions after two to eleven random plies, of games that are not over."""
    rng, positions, attempts = random.Random(1), list[Position](), 0
    while len(positions) < 12:
        position = game.initial_position()
        for _ in range(2 + attempts % 10):
            if not position.is_over:
                position.play(rng.choice(position.legal_actions()))
        attempts += 1
        if not position.is_over:
            positions.append(position)
    return positions


def move_time(spec: str, agent_spec: str) -> float:
    """Microseconds of processor time for a move."""
    game = make_game(spec)
    agent, positions = make_agent(agent_spec, game), some_positions(game)
    agent.reset(1)
    agent.act(positions[0])

    def act() -> None:
        for position in positions * CALLS:
            agent.act(position)

    return processor_seconds(act)[0] / len(positions) / CALLS * 1e6


def ppo_steps_per_second(spec: str, seconds: float) -> float:
    """PPO's steps per second of processor time against ``alphabeta:depth=2``."""
    update, _ = ppo_learner(spec, "alphabeta:depth=2", (), 1)
    update()
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        steps += update()
    return steps / (time.process_time() - start)


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main(
    *,
    games: Names = GAMES,
    opponents: Names = OPPONENTS,
    seconds: float = 2.0,
    ppo: float = 0.0,
) -> None:
    """Print the tables.

    Args:
        games: their specifications
        opponents: specifications of agents
        seconds: of each measurement
        ppo: seconds of PPO at each game, 0 for none
    """
    torch.set_num_threads(1)

    def rows() -> Iterator[tuple[str, ...]]:
        for game in games:
            speeds = [steps_per_second(game, opponent, seconds) for opponent in opponents]
            yield game, *map(number, speeds)

    print_table("Thousands of steps per second of one core", ("game", *opponents), rows())
    tiny = (
        (game, opponent, number(steps_per_second(game, opponent, seconds, WARM_UP)))
        for game, opponent in TINY
        if games == GAMES
    )
    print_table("\nThe same, replies remembered", ("game", "opponent", "thousands"), tiny)
    searches = [opponent for opponent in opponents if "depth" in opponent or opponent == "greedy"]
    moves = ((game, *(number(move_time(game, agent)) for agent in searches)) for game in games)
    print_table("\nMicroseconds for a move", ("game", *searches), moves)
    if ppo > 0:
        learned = ((game, number(ppo_steps_per_second(game, ppo))) for game in games)
        print_table("\nPPO's steps per second of one core", ("game", "steps/s"), learned)


if __name__ == "__main__":
    cyclopts.run(main)
