"""Simulations per second of AlphaZero's self-play on one core, where its time goes, what it keeps.

Run with ``python benchmarks/learning/self_play.py`` (two minutes), or name a game and a run whose
weights play: ``python benchmarks/learning/self_play.py connect_four --run runs/az_c4``. Games are
first played until openings, middles and ends are mixed; then each turn of ten seconds is measured
in processor time. The share of the network is that of the calls that evaluate it.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import cyclopts
import torch
from plyground import make_game
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import AlphaZeroSettings

TURNS = 5


def main(
    spec: str = "connect_four",
    /,
    run: Path | None = None,
    set: list[str] | None = None,
    simulations: int = 500_000,
) -> None:
    """Print simulations a second, the network's share, and positions it evaluates.

    Args:
        spec: the game
        run: play with the weights of this run
        set: settings, NAME=VALUE
        simulations: of each turn
    """
    torch.set_num_threads(1)
    game, device = make_game(spec), torch.device("cpu")
    settings = AlphaZeroSettings.for_game(
        game, {}, [*(set or []), *([f"initial={run}"] if run else [])]
    )
    player = SelfPlayer(game, settings, device, 1)
    weights = AlphaZeroLearner(game, settings, 1, device).weights()
    evaluate = player.evaluator.evaluate
    evaluation_seconds = 0.0

    def timed_evaluation(*arguments):
        nonlocal evaluation_seconds
        start = time.process_time()
        output = evaluate(*arguments)
        evaluation_seconds += time.process_time() - start
        return output

    player.evaluator.evaluate = timed_evaluation
    player.play(weights, 1.0, 2 * simulations)
    speeds, shares, evaluations = [], [], []
    for _ in range(TURNS):
        evaluation_seconds, start = 0.0, time.process_time()
        counts = player.play(weights, 1.0, simulations).counts
        seconds = time.process_time() - start
        speeds.append(counts["simulations"] / seconds)
        shares.append(evaluation_seconds / seconds)
        evaluations.append(counts["evaluations"] / counts["simulations"])
    print(f"{game.spec}: {statistics.median(speeds):,.0f} simulations a second on one core")
    print(f"network: {statistics.median(shares):.0%} of the time")
    size = sum(len(part) for part in player.state().values())
    print(f"a checkpoint: {size / settings.games:,.0f} bytes for each game under way")
    print(f"positions it evaluates: {statistics.median(evaluations):.2f} for each simulation")


if __name__ == "__main__":
    cyclopts.run(main)
