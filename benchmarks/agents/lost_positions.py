"""How often alpha-beta loses a fully searched lost ending by more than necessary.

Run with ``python benchmarks/agents/lost_positions.py`` (an hour), or name games. The endings come
from random games. The best losing move loses by the least, and then as late as possible. A plain
recursion over the rules computes the values.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import cyclopts
import numpy as np
from plyground import Game, Position, make_agent, make_game
from plyground.envs import rules as r

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from timing import print_table

GAMES = (
    "tic_tac_toe:rows=4,cols=4,connect=4",
    "connect_four",
    "dots_and_boxes",
    "gomoku:size=5,connect=4",
    "hex:size=5",
    "othello",
)
WIN, LEAD = 1_000_000, 1_000
SHORTEST, LONGEST = 2, 7  # plies before the end of the game
MOST = 500  # limit of enumerated positions


class Large(Exception):
    """An ending has more positions than are enumerated."""


def value(position: Position, player: int, values: dict[object, int]) -> int:
    """The value for a player: the result, then the margin, then quick wins and slow losses."""
    key = position.key
    result = values.get(key)
    if result is None:
        if len(values) > MOST:
            raise Large
        if position.is_over:
            margin = int(r.margin(position.game.rules, position.record, player))
            result = int(position.returns[player] * WIN) + LEAD * margin
        else:
            choose = max if position.to_move == player else min
            result = choose(
                value(position.after(action), player, values) for action in position.legal_actions()
            )
            result -= int(np.sign(result))
        values[key] = result
    return result


def lost_endings(game: Game, seed: int) -> Iterator[tuple[Position, dict[int, int]]]:
    """Distinct lost positions near the end of random games, with the value of each action."""
    rng, before = random.Random(seed), set()
    while True:
        line, position = [], game.initial_position()
        while not position.is_over:
            line.append(position.copy())
            position.play(rng.choice(position.legal_actions()))
        position = line[-min(rng.randint(SHORTEST, LONGEST), len(line))]
        if position.key in before:
            continue
        before.add(position.key)
        player, values = position.to_move, {}
        try:
            worth = {
                action: value(position.after(action), player, values)
                for action in position.legal_actions()
            }
        except Large:
            continue
        if max(worth.values()) < 0:
            yield position, worth


def rows(specs: tuple[str, ...], positions: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Measure each game."""
    for spec in specs:
        game, worse, example = make_game(spec), 0, ""
        agent = make_agent("alphabeta:depth=60", game)
        for position, worth in itertools.islice(lost_endings(game, seed), positions):
            agent.reset(0)
            if worth[agent.act(position)] < max(worth.values()):
                worse += 1
                example = example or position.to_text()
        yield game.spec, f"{positions:,}", f"{worse:,}", example


def main(*games: str, positions: int = 5000, seed: int = 1) -> None:
    """Print how many lost positions of each game are lost by more than necessary.

    Args:
        games: specifications of games whose endings can be enumerated.
        positions: lost positions of each game.
        seed: the seed of the games.
    """
    header = "game", "lost positions", "lost by more than necessary", "the first of them"
    print_table("Lost endings", header, rows(games or GAMES, positions, seed))


if __name__ == "__main__":
    cyclopts.run(main)
