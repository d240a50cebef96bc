"""A compiled network as Python calls it: arrays in, arrays out, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ....envs.compiled.kernels import entry_point
from .evaluation import CompiledNetwork, aligned_floats, evaluate_network
from .program import compile_network

CHECKS = 10  # observations in which kernel and onnxruntime must agree: more than one batch
TOLERANCE = 1e-3  # between both, of the largest output

Run = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Runner:
    """Runs a compiled network; every thread has a workspace of its own.

    Args:
        network: the network.
        num_actions: how many logits it gives.
    """

    def __init__(self, network: CompiledNetwork, num_actions: int) -> None:
        self._network, self._num_actions, self._local = network, num_actions, threading.local()
        example = np.zeros((1, 1), np.float32)
        self._evaluate = entry_point(evaluate_network, network, example, example, example[0])

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits (N, actions) and values (N,) for contiguous float32 observations (N, …)."""
        count = len(observations)
        logits = np.empty((count, self._num_actions), np.float32)
        values = np.empty(count, np.float32)
        if count:
            network = getattr(self._local, "network", None) or self._own_network()
            self._evaluate(network, observations.reshape(count, -1), logits, values)
        return logits, values

    def _own_network(self) -> CompiledNetwork:
        workspace = aligned_floats(len(self._network.workspace))
        workspace[:] = self._network.workspace
        self._local.network = self._network._replace(workspace=workspace)
        network: CompiledNetwork = self._local.network
        return network


def compiled_runner(
    model: bytes, shape: tuple[int, ...], num_actions: int, reference: Run
) -> Runner | None:
    """What runs a policy file by the kernel, or None where that is not possible.

    It is not where the model has layers that are not compiled, where the processor lacks fused
    multiplication and addition, and where the results are not those of ``reference``.

    Args:
        model: the file's content.
        shape: of an observation.
        num_actions: how many logits it gives.
        reference: the same model, evaluated by onnxruntime.
    """
    network = compile_network(model, num_actions)
    if network is None:
        return None
    runner = Runner(network, num_actions)
    rng: Any = np.random.default_rng(0)
    observations = rng.integers(0, 2, (CHECKS, *shape)).astype(np.float32)
    for expected, result in zip(reference(observations), runner(observations)):
        # a network whose outputs are no numbers is left to onnxruntime
        if not np.abs(expected - result).max() <= TOLERANCE * max(1.0, np.abs(expected).max()):
            return None
    return runner
