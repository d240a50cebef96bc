"""A compiled network called from Python: arrays in, arrays out, from any thread."""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Sequence

import numpy as np

from ....envs.compiled.kernels import entry_point
from ....envs.game import Game
from .evaluation import CompiledNetwork, aligned_floats, evaluate_network
from .model_file import Model
from .program import compile_network
from .tile import FUSES
from .words import INT8, PRECISIONS, LayerWeights, join_words

SAMPLE = 256  # positions of random games from which int8 scales are derived


def evaluator_here() -> str:
    """What evaluates networks on this machine, for people."""
    if not FUSES:
        return "onnxruntime, since the kernel does not support fused multiply-add on this processor"
    possible = [each.name for each in PRECISIONS.values() if each.is_possible]
    return f"the compiled kernel, in {' or '.join(possible)}"


class NetworkRunner:
    """Runs a compiled network; every thread has its own workspace.

    Args:
        network: the network.
        num_actions: the number of logits.
        weights: the weights of its layers, for :meth:`refresh_weights`.
    """

    def __init__(
        self, network: CompiledNetwork, num_actions: int, weights: Sequence[LayerWeights] = ()
    ) -> None:
        self._weights = weights
        self._network, self._num_actions, self._local = network, num_actions, threading.local()
        example = np.zeros((1, 1), np.float32)
        self._evaluate = entry_point(evaluate_network, network, example, example, example[0])

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits (N, actions) and values (N,) for contiguous float32 observations (N, …)."""
        count = len(observations)
        logits = np.empty((count, self._num_actions), np.float32)
        values = np.empty(count, np.float32)
        if count:
            network: CompiledNetwork | None = getattr(self._local, "network", None)
            if network is None:
                network = self._local.network = self.own_network()
            self._evaluate(network, observations.reshape(count, -1), logits, values)
        return logits, values

    def refresh_weights(self) -> None:
        """Reload the weights from the model's arrays; nothing may be evaluated meanwhile.

        The int8 scales of inputs do not change.
        """
        self._network.weights.view(np.uint32)[:] = join_words(self._weights)

    def own_network(self) -> CompiledNetwork:
        """The network with its own workspace."""
        workspace = aligned_floats(len(self._network.workspace))
        workspace[:] = self._network.workspace
        return self._network._replace(workspace=workspace)


def compiled_runner(model: Model, game: Game, precision: str) -> NetworkRunner:
    """A runner of a policy file for a game by the kernel, in one of :data:`PRECISIONS`.

    Raises:
        Refused, Invalid, Unsupported: as :func:`.program.compile_network`.
    """
    sample = sample_of(game)[0] if precision == INT8.name else None
    actions = game.facts.num_actions
    network, weights = compile_network(
        model, actions, precision=PRECISIONS[precision], sample=sample
    )
    return NetworkRunner(network, actions, weights)


@functools.lru_cache(maxsize=8)
def sample_of(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Positions of random games: observations, float32 (N, …), and masks, int8 (N, actions).

    They are always the same.
    """
    chance, observations, masks = random.Random(1), list[np.ndarray](), list[np.ndarray]()
    position = game.initial_position()
    while len(observations) < SAMPLE:
        observations.append(position.observation())
        masks.append(position.action_mask())
        position.play(chance.choice(position.legal_actions()))
        if position.is_over:
            position = game.initial_position()
    return np.stack(observations).astype(np.float32), np.stack(masks)
