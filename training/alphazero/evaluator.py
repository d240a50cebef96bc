"""Network evaluation for self-play: by a kernel, or by torch in reduced precision."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod

import numpy as np
import torch

from ...agents.policies.compiled.model_file import Model, read_model
from ...agents.policies.compiled.runner import compiled_runner
from ...agents.policies.compiled.words import BFLOAT16, FLOAT32, INT8
from ...agents.policies.named import open_network
from ...agents.policies.policy_file import WHOLE_RETURN, Network, policy_metadata
from ...agents.policies.trial import Trial, fastest_precision, is_near
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..devices import use_bfloat16
from ..export import NetworkExporter
from .initial import load_initial, network_of
from .learner import make_network
from .network import BoardNetwork, PolicyAndValue
from .settings import AlphaZeroSettings

Evaluation = tuple[np.ndarray, np.ndarray]  # logits (count, actions) and values (count,), float32
STEP = 64  # batches are padded to a multiple of this: libraries prepare each new size anew


class TorchNetwork:
    """The network on a device, with its latest weights.

    Args:
        network: its shape.
        device: where it is evaluated.
        bfloat16: whether products are computed in bfloat16.

    Attributes:
        is_fixed: whether its weights are fixed, as for a predecessor.
    """

    def __init__(self, network: BoardNetwork, device: torch.device, bfloat16: bool) -> None:
        self.device: torch.device = device
        self.game: Game = network.game
        self.is_fixed: bool = False
        self._type = torch.bfloat16 if bfloat16 else torch.float32
        self._network = copy.deepcopy(network).to(device, self._type).eval()
        for weights in self._network.parameters():
            weights.requires_grad_(False)
        self._network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Set the weights for all later evaluations."""
        if not self.is_fixed:
            self._network.load_state_dict(weights)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def __call__(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (float32, (N, actions)) and values (float32, (N,)) of int8 observations."""
        outputs = self._network(observations.to(self._type))
        return outputs.logits.float(), (outputs.value * self._network.scale).float()


class Evaluator(ABC):
    """Evaluates the network with its latest weights."""

    @abstractmethod
    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Set the weights."""

    @abstractmethod
    def evaluate(self, observations: np.ndarray, count: int) -> Evaluation:
        """Evaluate the first ``count`` observations, int8.

        The array must have room for the next multiple of ``STEP`` rows.

        Returns:
            logits: float32, (count, actions).
            values: float32, (count,).
        """

    def begin(self, observations: np.ndarray, count: int) -> None:
        """Start to evaluate the first ``count`` observations; :meth:`finish` returns the result."""
        self._evaluation = self.evaluate(observations, count)

    def finish(self) -> Evaluation:
        """The result of :meth:`begin`, as of :meth:`evaluate`; the next one overwrites it."""
        return self._evaluation


class TorchEvaluator(Evaluator):
    """Evaluates a network by torch, in batches of few sizes.

    Args:
        network: the network.
    """

    def __init__(self, network: TorchNetwork) -> None:
        self._network = network

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        self._network.load(weights)

    def evaluate(self, observations: np.ndarray, count: int) -> Evaluation:
        size = min(-(-count // STEP) * STEP, len(observations))
        with torch.inference_mode():
            logits, values = self._network(torch.from_numpy(observations[:size]))
        return logits[:count].numpy(), values[:count].numpy()


class _GraphEvaluator(Evaluator):
    """Evaluates a network on a GPU by one CUDA graph, asynchronously.

    Transfers use page-locked memory.

    Args:
        network: the network.
        most: maximum number of positions in an evaluation.
    """

    def __init__(self, network: TorchNetwork, most: int) -> None:
        self._network = network
        self._stream = torch.cuda.Stream(network.device)  # type: ignore[no-untyped-call]
        facts = network.game.facts
        shape, actions = facts.observation_shape, facts.num_actions
        inputs = torch.zeros((most, *shape), dtype=torch.int8, pin_memory=True)
        logits = torch.zeros((most, actions), pin_memory=True)
        values = torch.zeros(most, pin_memory=True)
        on_device = torch.zeros_like(inputs, device=network.device)
        self._inputs, self._outputs = inputs.numpy(), (logits.numpy(), values.numpy())
        self._tensors = inputs, logits, values, on_device  # the graph holds their addresses

        def run() -> None:
            on_device.copy_(inputs, non_blocking=True)
            for place, result in zip((logits, values), network(on_device)):
                place.copy_(result, non_blocking=True)

        self._graph = torch.cuda.CUDAGraph()
        with torch.inference_mode():
            with torch.cuda.stream(self._stream):
                for _ in range(3):  # libraries choose their algorithms
                    run()
            torch.cuda.synchronize(network.device)
            with torch.cuda.graph(
                self._graph, stream=self._stream, capture_error_mode="thread_local"
            ):
                run()

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        self._network.load(weights)

    def evaluate(self, observations: np.ndarray, count: int) -> Evaluation:
        self.begin(observations, count)
        return self.finish()

    def begin(self, observations: np.ndarray, count: int) -> None:
        self._count = count
        self._inputs[:count] = observations[:count]
        with torch.cuda.stream(self._stream):
            self._graph.replay()

    def finish(self) -> Evaluation:
        self._stream.synchronize()
        logits, values = self._outputs
        return logits[: self._count], values[: self._count]


class CompiledEvaluator(Evaluator):
    """Evaluates the network by the kernel that evaluates policy files.

    It is exported and compiled once. In int8 the scales depend on the weights: it is compiled again
    for new weights, and weights that int8 cannot represent well are evaluated in float32.

    Args:
        network: its shape; its weights are overwritten.
        game: the game.
        discount: discount of the values.
        precision: one of ``PRECISIONS``.
    """

    def __init__(self, network: BoardNetwork, game: Game, discount: float, precision: str) -> None:
        self._network, self._precision, self._game = network.eval(), precision, game
        self._model = _exported(network, game, discount)
        exact = FLOAT32.name if precision == INT8.name else precision
        self._exact = self._run = compiled_runner(self._model, game, exact)

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        self._network.load_state_dict(weights)
        self._exact.refresh_weights()
        if self._precision == INT8.name:
            rounded = compiled_runner(self._model, self._game, INT8.name)
            self._run = rounded if is_near(self._exact, rounded, self._game) else self._exact

    def evaluate(self, observations: np.ndarray, count: int) -> Evaluation:
        return self._run(observations[:count].astype(np.float32))


def _exported(network: BoardNetwork, game: Game, discount: float) -> Model:
    """The network in the form of a policy file, with its own arrays as weights."""
    heads = PolicyAndValue(network).eval()
    metadata = policy_metadata(game, "alphazero", WHOLE_RETURN, discount)
    model = read_model(NetworkExporter(heads, game, metadata).content())
    arrays = {name: value.numpy() for name, value in heads.state_dict().items()}
    constants = {name: arrays.get(name, data) for name, data in model.constants.items()}
    return model._replace(constants=constants)


def open_predecessor(game: Game, settings: AlphaZeroSettings) -> Network | None:
    """The network that plays instead of the learning one, or None.

    Raises:
        SpecificationError: there is no such network, or it is for another game or of another kind.
    """
    name = settings.games.predecessor
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


def trial_of_precisions(game: Game, settings: AlphaZeroSettings) -> Trial:
    """The best precision for self-play with the initial network of a run.

    Raises:
        TrainingError, SpecificationError: the initial weights do not fit.
    """
    network = make_network(game, settings, 0)
    if settings.initial:
        load_initial(network, game, settings.initial)
    return fastest_precision(_exported(network.eval(), game, settings.discount), game)


def make_evaluator(
    game: Game,
    settings: AlphaZeroSettings,
    device: torch.device,
    network: TorchNetwork | None = None,
) -> Evaluator:
    """The evaluator of positions in self-play.

    Args:
        game: the game.
        settings: the settings.
        device: where positions are evaluated.
        network: the network on a GPU, shared by several evaluators; None: a separate one.
    """
    if device.type == "cuda":
        network = network or torch_network(game, settings, device)
        return _GraphEvaluator(network, settings.games.games)
    predecessor = open_predecessor(game, settings)
    if predecessor is not None:
        return _FixedEvaluator(predecessor)
    bfloat16 = use_bfloat16(settings.precision, device)
    precision = BFLOAT16 if bfloat16 else FLOAT32
    if settings.precision == INT8.name:
        precision = INT8
    if precision.is_possible:
        shape = make_network(game, settings, 0)
        return CompiledEvaluator(shape, game, settings.discount, precision.name)
    return TorchEvaluator(torch_network(game, settings, device))


def torch_network(game: Game, settings: AlphaZeroSettings, device: torch.device) -> TorchNetwork:
    """The network that plays, on a device: the learning one, or the predecessor.

    Raises:
        SpecificationError, TrainingError: the predecessor is no network of these games, or none
            that plyground has trained.
    """
    bfloat16 = use_bfloat16(settings.precision, device)
    predecessor = open_predecessor(game, settings)
    if predecessor is None:
        return TorchNetwork(make_network(game, settings, 0), device, bfloat16)
    policy = getattr(predecessor, "data", b"")
    network = TorchNetwork(network_of(game, settings, policy), device, bfloat16)
    network.is_fixed = True
    return network


class _FixedEvaluator(Evaluator):
    """Evaluates a network with fixed weights, like an :class:`Evaluator`."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Ignored: the weights are fixed."""

    def evaluate(self, observations: np.ndarray, count: int) -> Evaluation:
        return self._network.evaluate(observations[:count])
