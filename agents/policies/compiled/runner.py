"""A compiled network as Python calls it: arrays in, arrays out, from any thread."""

from __future__ import annotations

import threading

import numpy as np

from ....envs.compiled.kernels import entry_point
from .evaluation import CompiledNetwork, aligned_floats, evaluate_network
from .model_file import Model
from .program import compile_network
from .tile import FUSES, MULTIPLIES_PAIRS

PRECISIONS = ("float32", "bfloat16")  # of the numbers that are multiplied; the first is the default


def evaluator_here() -> str:
    """What evaluates networks on this machine, in words."""
    if not FUSES:
        return "onnxruntime, since the kernel has no fused multiplication and addition"
    return f"the compiled kernel, in {' or '.join(PRECISIONS[: 1 + MULTIPLIES_PAIRS])}"


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
            network: CompiledNetwork | None = getattr(self._local, "network", None)
            if network is None:
                network = self._local.network = self.own_network()
            self._evaluate(network, observations.reshape(count, -1), logits, values)
        return logits, values

    def own_network(self) -> CompiledNetwork:
        """The network with a workspace of its own."""
        workspace = aligned_floats(len(self._network.workspace))
        workspace[:] = self._network.workspace
        return self._network._replace(workspace=workspace)


def compiled_runner(model: Model, num_actions: int, precision: str) -> Runner:
    """What runs a policy file by the kernel, in one of :data:`PRECISIONS`.

    Raises:
        Unsupported: the kernel cannot.
    """
    pairs = precision != PRECISIONS[0]
    return Runner(compile_network(model, num_actions, pairs=pairs), num_actions)
