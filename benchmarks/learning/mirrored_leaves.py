"""The share of self-play evaluations of positions whose mirror image has been evaluated.

Run with ``python benchmarks/learning/mirrored_leaves.py``. The cache of self-play does not use the
symmetries of the board. This script counts what they would save: the leaves, in one update of
self-play by a network of the zoo, with an earlier symmetric image.
"""

from __future__ import annotations

from typing import Any

import cyclopts
import numpy as np
import torch
from plyground import make_game
from plyground.training.alphazero.initial import load_initial
from plyground.training.alphazero.learner import make_network
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.window import Canonical

app = cyclopts.App(help=__doc__)


class Counting:
    """An evaluator that records the keys of its positions."""

    def __init__(self, evaluator: Any, canonical: Canonical) -> None:
        self.evaluator, self.canonical = evaluator, canonical
        self.keys: list[np.ndarray] = []

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """See the evaluator."""
        self.evaluator.load(weights)

    def evaluate(self, observations: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """As the evaluator's."""
        flat = observations[:count].reshape(count, -1)
        images = [self.canonical.keys(flat[:, cells]) for cells in self.canonical.cells]
        self.keys.append(np.stack([images[0], np.min(images, axis=0)], axis=1))
        answers: tuple[np.ndarray, np.ndarray] = self.evaluator.evaluate(observations, count)
        return answers


@app.default
def main(
    game: str = "connect_four", *, initial: str = "zoo:connect_four", simulations: int = 1_000_000
) -> None:
    """Print the share of simulations that need the network, and the share a mirrored cache saves.

    Args:
        game: the board
        initial: the network that plays
        simulations: simulations of the update
    """
    board = make_game(game)
    settings = AlphaZeroSettings.for_game(board, {}, [f"initial={initial}"])
    network = make_network(board, settings, 0)
    load_initial(network, board, initial)
    player = SelfPlayer(board, settings, torch.device("cpu"), 1)
    counting = player.evaluator = Counting(player.evaluator, Canonical(board))
    result = player.play(network.state_dict(), 1.0, simulations)
    keys = np.concatenate(counting.keys)
    asked, positions = len(keys), len(np.unique(keys[:, 0]))
    classes = len(np.unique(keys[:, 1]))
    done = result.counts["simulations"]
    print(
        f"{done:,} simulations, {asked:,} evaluations ({100 * asked / done:.1f} %), "
        f"{positions:,} positions, {classes:,} up to symmetry "
        f"({100 * (positions - classes) / asked:.2f} % of the evaluations saved)"
    )


if __name__ == "__main__":
    app()
