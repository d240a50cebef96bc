"""Microseconds per move of agents, from the call of ``act`` to its return.

    python benchmarks/agents/moves.py [GAME]

The positions come from random games of GAME (default connect_four). Times are medians of processor
time; the agents take turns.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import cyclopts
import plyground
from plyground.agents.policies.zoo import cards_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from timing import print_table, rates

POSITIONS, SECONDS, TURNS = 40, 0.1, 7
AGENTS = (
    "random",
    "greedy",
    "alphabeta:depth=1",
    "alphabeta:depth=4",
    "montecarlo:simulations=10",
    "mcts:simulations=1",
    "mcts:simulations=100",
)


def positions(game: plyground.Game) -> list[plyground.Position]:
    """Positions of random games."""
    chance, sample, position = random.Random(1), [], game.initial_position()
    while len(sample) < POSITIONS:
        sample.append(position)
        position = position.after(chance.choice(position.legal_actions()))
        if position.is_over:
            position = game.initial_position()
    return sample


def moves(spec: str, sample: list[plyground.Position]) -> Callable[[], int]:
    """A move in every position of the sample, by a new agent."""
    agent = plyground.make_agent(spec, sample[0].game, seed=1)
    agent.act(sample[0])
    return lambda: len([agent.act(position) for position in sample])


def main(spec: str = "connect_four", /) -> None:
    """Print microseconds a move.

    Args:
        spec: the game
    """
    game = plyground.make_game(spec)
    sample = positions(game)
    networks = tuple(f"zoo:{card.name}" for card in cards_of(game)[:1])
    work = {spec: moves(spec, sample) for spec in (*AGENTS, *networks)}
    rows = [(spec, f"{1e6 / rate:.1f}") for spec, rate in rates(work, SECONDS, TURNS).items()]
    print_table(f"a move at {game.spec}", ("agent", "µs"), rows)


if __name__ == "__main__":
    cyclopts.run(main)
