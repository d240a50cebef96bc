"""A network as self-play asks it: by a kernel, or by torch in reduced precision."""

from __future__ import annotations

import copy

import numpy as np
import torch

from ...agents.policies.compiled.model_file import read_model
from ...agents.policies.compiled.runner import NetworkRunner, compiled_runner
from ...agents.policies.compiled.words import BFLOAT16, FLOAT32, INT8
from ...agents.policies.policy import open_network
from ...agents.policies.policy_file import WHOLE_RETURN, Network, policy_metadata
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..devices import use_bfloat16
from ..export import NetworkExporter
from .learner import make_network
from .network import BoardNetwork, PolicyAndValue
from .settings import AlphaZeroSettings

STEP = 64  # batches are filled up to a multiple: libraries prepare each new size anew


class Evaluator:
    """Evaluates the network with the weights it was given last, in batches of few sizes.

    Args:
        network: its shape.
        device: where it is evaluated.
        most: positions asked about at once.
        bfloat16: whether products are computed in bfloat16.
    """

    def __init__(
        self, network: BoardNetwork, device: torch.device, most: int, bfloat16: bool
    ) -> None:
        self._type = torch.bfloat16 if bfloat16 else torch.float32
        self._network = copy.deepcopy(network).to(device, self._type).eval()
        for weights in self._network.parameters():
            weights.requires_grad_(False)
        self._network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._device = device
        self._most = -(-most // STEP) * STEP

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Take over weights."""
        self._network.load_state_dict(weights)

    def evaluate(self, observations: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the first ``count`` observations.

        The array must have room for the next multiple of ``STEP`` rows.

        Returns:
            logits: float32, (count, actions).
            values: float32, (count,).
        """
        size = min(-(-count // STEP) * STEP, len(observations))
        with torch.inference_mode():
            inputs = torch.from_numpy(observations[:size]).to(self._device, self._type)
            outputs = self._network(inputs)
            logits = outputs.logits[:count].cpu().numpy()
            values = (outputs.value[:count] * self._network.scale).cpu().numpy()
        return np.ascontiguousarray(logits), np.ascontiguousarray(values)


class CompiledEvaluator:
    """Evaluates the network by the kernel that evaluates policy files.

    Args:
        network: its shape; its weights are overwritten.
        game: the game.
        discount: of the values.
        precision: one of ``PRECISIONS``.
    """

    def __init__(self, network: BoardNetwork, game: Game, discount: float, precision: str) -> None:
        self._network, self._precision = network.eval(), precision
        self._game = game
        metadata = policy_metadata(game, "alphazero", WHOLE_RETURN, discount)
        self._exporter = NetworkExporter(PolicyAndValue(network).eval(), game, metadata)
        self._run: NetworkRunner

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """As :meth:`Evaluator.load`."""
        self._network.load_state_dict(weights)
        model = read_model(self._exporter.content())
        self._run = compiled_runner(model, self._game, self._precision)

    def evaluate(self, observations: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`Evaluator.evaluate`."""
        return self._run(observations[:count].astype(np.float32))


def open_predecessor(game: Game, settings: AlphaZeroSettings) -> Network | None:
    """The network that plays in place of the one that learns, or None.

    Raises:
        SpecificationError: there is no such network, or it is one of another game or kind.
    """
    name = settings.predecessor
    if not name:
        return None
    network = open_network(name).for_game(game)
    network.check_plays()
    if network.value != WHOLE_RETURN or network.discount != settings.discount:
        raise SpecificationError(
            f"predecessor={name} is not possible: its values are not returns with discount="
            f"{settings.discount:g}, as those that the learner learns"
        )
    return network


def make_evaluator(
    game: Game, settings: AlphaZeroSettings, device: torch.device
) -> Evaluator | CompiledEvaluator | FixedEvaluator:
    """What evaluates the positions of self-play."""
    predecessor = open_predecessor(game, settings)
    if predecessor is not None:
        return FixedEvaluator(predecessor)
    network = make_network(game, settings, 0)
    bfloat16 = use_bfloat16(settings.precision, device)
    precision = BFLOAT16 if bfloat16 else FLOAT32
    if settings.precision == INT8.name:
        precision = INT8
    if device.type == "cpu" and precision.is_possible:
        return CompiledEvaluator(network, game, settings.discount, precision.name)
    return Evaluator(network, device, settings.games, bfloat16)


class FixedEvaluator:
    """Evaluates a network that does not change, in place of an :class:`Evaluator`."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Weights of the network that learns are not for this one."""

    def evaluate(self, observations: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`Evaluator.evaluate`."""
        return self._network.evaluate(observations[:count])
