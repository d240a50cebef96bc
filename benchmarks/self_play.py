"""Simulations per second of AlphaZero's self-play on one core, and where its time goes.

Run with ``python benchmarks/self_play.py`` (two minutes), or name a game and a run whose weights
play: ``python benchmarks/self_play.py connect_four --run runs/az_c4``. Games are first played until
openings, middles and ends are mixed; then each turn of ten seconds is measured in processor time.
The share of the network is that of the calls that evaluate it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import torch
from plyground import make_game
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import alphazero_settings

TURNS = 5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="connect_four")
    parser.add_argument("--run", type=Path, help="play with the weights of this run")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--simulations", type=int, default=500_000, help="of each turn")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    game = make_game(arguments.game)
    initial = [f"initial={arguments.run}"] if arguments.run else []
    settings = alphazero_settings(game, {}, [*arguments.set, *initial])
    device = torch.device("cpu")
    player = SelfPlayer(game, settings, 1, device)
    weights = AlphaZeroLearner(game, settings, 1, device).weights()
    evaluate = player._evaluator.evaluate
    spent = 0.0

    def timed(*given):
        nonlocal spent
        began = time.process_time()
        answer = evaluate(*given)
        spent += time.process_time() - began
        return answer

    player._evaluator.evaluate = timed
    player.play(weights, 1.0, 2 * arguments.simulations)
    rates, shares, asked = [], [], []
    for _ in range(TURNS):
        spent, began = 0.0, time.process_time()
        counts = player.play(weights, 1.0, arguments.simulations).counts
        seconds = time.process_time() - began
        rates.append(counts["simulations"] / seconds)
        shares.append(spent / seconds)
        asked.append(counts["evaluations"] / counts["simulations"])
    print(f"{game.spec}: {statistics.median(rates):,.0f} simulations a second on one core")
    print(f"network: {statistics.median(shares):.0%} of the time")
    print(f"positions it is asked about: {statistics.median(asked):.2f} for each simulation")


if __name__ == "__main__":
    main()
