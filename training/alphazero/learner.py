"""The learner: minibatches of the replay window's positions, and steps to better weights.

Minibatches are drawn, unpacked and turned on the learner's device.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ...agents.policies.policy_file import WHOLE_RETURN, policy_metadata
from ...envs.game import Game
from ..devices import use_bfloat16
from ..export import NetworkExporter
from ..folder import TrainingError
from .initial import load_initial
from .network import BoardNetwork, Outputs, PolicyAndValue
from .settings import LearnerSettings
from .window import BITS, Canonical, Positions

DRAWN_AT_ONCE = 256  # minibatches whose random numbers are copied to the device together
EAGER_STEPS = 3  # before recording a CUDA graph: libraries choose their algorithms first
LOSSES = ("policy", "value", "result", "length")
ILLEGAL = -1e9  # the logit of an illegal action
COUNT_EXPONENT = 0.5  # a position with n samples has weight n to this power
LENGTH_WEIGHT = 0.1  # weight of the loss of plies left
AVERAGING = 0.99  # decay of the average of the weights
WARM_UP = 200  # steps over which the learning rate rises
WEIGHT_DECAY = 1e-4  # of AdamW: Silver et al., Science 2018, pseudocode


class Minibatch(NamedTuple):
    """Positions and their targets, as :class:`~.window.Positions`, through a symmetry each.

    Attributes:
        observations: float32, (N, rows, columns, planes).
        policies: float32, (N, actions).
        results: float32, (N, 3).
        values, nearness: float32, (N,).
    """

    observations: torch.Tensor
    policies: torch.Tensor
    results: torch.Tensor
    values: torch.Tensor
    nearness: torch.Tensor


class Draws:
    """Random numbers of the next steps, on the device.

    Args:
        size: positions in a minibatch.
        device: where the steps are computed.
    """

    def __init__(self, size: int, device: torch.device) -> None:
        self._numbers = (  # as :meth:`fill` takes them
            torch.zeros((DRAWN_AT_ONCE, size), dtype=torch.float64, device=device),
            torch.zeros((DRAWN_AT_ONCE, size), dtype=torch.int64, device=device),
            torch.zeros(DRAWN_AT_ONCE, device=device),
        )
        self._step = torch.zeros(1, dtype=torch.int64, device=device)

    def fill(self, shares: np.ndarray, symmetries: np.ndarray, rates: np.ndarray) -> None:
        """Set the random numbers of the next steps.

        Args:
            shares: float64, (steps, size), from 0 to 1: of the positions' weights.
            symmetries: int64, (steps, size).
            rates: (steps,): of the average's approach to the weights.
        """
        for values, drawn in zip(self._numbers, (shares, symmetries, rates)):
            values[: len(drawn)].copy_(torch.from_numpy(drawn))
        self._step.zero_()

    def next(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The shares (size,), the symmetries (size,) and the rate, of no dimension, of a step."""
        shares, symmetries, rate = (
            values.index_select(0, self._step)[0] for values in self._numbers
        )
        self._step += 1
        return shares, symmetries, rate


class Sampler:
    """The positions of one board, from which minibatches are drawn, and the learning step.

    On a GPU the step is recorded as a CUDA graph. It reads from buffers with fixed addresses.

    Args:
        game: the game on its board.
        device: where the positions lie.

    Attributes:
        total: the sum of the positions' weights.
        symmetries: how many the board has.
    """

    def __init__(self, game: Game, device: torch.device) -> None:
        canonical = Canonical(game, device)
        self.total: float = 0.0
        self.symmetries: int = len(game.symmetries)
        self._shape = game.facts.observation_shape
        self._device = device
        self._cells, self._actions = canonical.cells, canonical.actions
        self._bits = torch.tensor(BITS, dtype=torch.uint8, device=device)
        self._buffers: dict[str, torch.Tensor] = {}
        self._graph: torch.cuda.CUDAGraph | None = None
        self._eager = 0  # steps taken without the graph
        if device.type == "cuda":
            # From another pool than the streams of self-play: nothing else may use it while a step
            # is recorded, and torch hands out the 32 streams of a pool in turn.
            self._stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]

    def fill(self, positions: Positions) -> None:
        """Draw from these positions from now on, by their counts."""
        bounds = (positions.counts.double() ** COUNT_EXPONENT).to(self._device).cumsum(0)
        for name, values in positions._asdict().items():
            self._put(name, values.to(self._device), 0)
        self._put("bounds", bounds, torch.inf)
        self._put("last", torch.tensor(len(bounds) - 1, device=self._device), 0)
        self._put("total", bounds[-1], 0)
        self.total = float(bounds[-1])

    def _put(self, name: str, values: torch.Tensor, padding: float) -> None:
        """Keep a tensor; on a GPU in the buffer that the graph reads, as long as there is room."""
        buffer = self._buffers.get(name)
        if self._device.type == "cpu" or (not values.ndim and buffer is None):
            self._buffers[name] = values
            return
        if buffer is None or (values.ndim and len(buffer) < len(values)):
            self.forget_graph()
            room = (2 * len(values), *values.shape[1:])
            buffer = self._buffers[name] = torch.empty(
                room, dtype=values.dtype, device=self._device
            )
        if not values.ndim:
            buffer.copy_(values)
            return
        buffer[: len(values)] = values
        buffer[len(values) :] = padding

    def forget_graph(self) -> None:
        """Record the next step anew."""
        self._graph, self._eager = None, 0

    def batch(self, shares: torch.Tensor, symmetries: torch.Tensor) -> Minibatch:
        """Positions drawn by their weights, each through its symmetry.

        Args:
            shares: float64, (N,), from 0 to 1, of the sum of the weights.
            symmetries: int64, (N,).
        """
        window, cells = self._buffers, self._cells[symmetries]
        index = torch.searchsorted(window["bounds"], shares * window["total"], right=True)
        index = torch.minimum(index, window["last"])
        bits = (window["observations"][index][:, :, None] >> self._bits) & 1
        planes = bits.flatten(1).gather(1, cells)
        return Minibatch(
            planes.reshape(-1, *self._shape).float(),
            window["policies"][index].float().gather(1, self._actions[symmetries]),
            window["results"][index],
            window["values"][index],
            window["nearness"][index],
        )

    def run(self, step: Callable[[Sampler], None]) -> None:
        """Take a step; on a GPU, after the first ones, by replaying its graph."""
        if self._device.type == "cpu":
            step(self)
            return
        here = torch.cuda.current_stream(self._device)
        if self._graph is None and self._eager < EAGER_STEPS:
            self._eager += 1
            self._stream.wait_stream(here)
            with torch.cuda.stream(self._stream):
                step(self)
            here.wait_stream(self._stream)
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            # threads of self-play continue with their own graphs meanwhile
            with torch.cuda.graph(
                self._graph, stream=self._stream, capture_error_mode="thread_local"
            ):
                step(self)
        self._graph.replay()


def make_network(game: Game, settings: LearnerSettings, seed: int) -> BoardNetwork:
    """The network with its initial weights."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return BoardNetwork(game, settings.network, settings.discount)


class AlphaZeroLearner:
    """Learns from positions, and keeps an average of its weights for play.

    Positions, minibatches and losses stay on the device. On a GPU a step is one CUDA graph, and the
    CPU waits for it only to read the losses. Random draws come from a numpy generator, so a
    seed draws the same on every device.

    Args:
        game: the game.
        settings: settings of AlphaZero or of supervised learning.
        seed: seed of the weights and of the choice of positions.
        device: the device to learn on.
        boards: the boards to learn from, including ``game``; none: ``game`` only.
        length_weight: weight of the loss of plies left.

    Attributes:
        network: the learning network.
        average: its averaged weights, for play.
        updates: number of minibatches so far.
        rate: the learning rate of the last one.

    Raises:
        SpecificationError: its weights do not fit these boards.
    """

    def __init__(
        self,
        game: Game,
        settings: LearnerSettings,
        seed: int,
        device: torch.device,
        boards: Sequence[Game] = (),
        length_weight: float = LENGTH_WEIGHT,
    ) -> None:
        self.game: Game = game
        self.settings: LearnerSettings = settings
        self.device: torch.device = device
        network = make_network(game, settings, seed)
        if settings.initial:
            load_initial(network, game, settings.initial)
        for board in boards:
            if board != game:
                network.add_board(board)
        network.to(device)
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.network = network
        self.average: BoardNetwork = copy.deepcopy(network).eval()
        for weights in self.average.parameters():
            weights.requires_grad_(False)
        self.updates: int = 0
        self.rate: float = 0.0
        self._length_weight = length_weight
        self._samplers = [Sampler(board, device) for board in boards or (game,)]
        self._random = np.random.default_rng(seed)
        self._bfloat16 = use_bfloat16(settings.precision, device)
        self._draws = Draws(settings.learning.batch_size, device)
        self._losses = torch.zeros(len(LOSSES), dtype=torch.float64, device=device)
        matrices = [w for w in network.parameters() if w.ndim > 1]
        others = [w for w in network.parameters() if w.ndim <= 1]
        on_gpu = device.type == "cuda"
        self._optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": WEIGHT_DECAY},
                {"params": others, "weight_decay": 0.0},
            ],
            # a graph reads the rate from the device
            lr=torch.tensor(settings.learning.learning_rate, device=device) if on_gpu else 1.0,
            fused=on_gpu,
            capturable=on_gpu,
        )

    def exporter(self, kind: str) -> NetworkExporter:
        """Writes the averaged weights as policy files of this ``kind``."""
        metadata = policy_metadata(self.game, kind, WHOLE_RETURN, self.settings.discount)
        return NetworkExporter(PolicyAndValue(self.average), self.game, metadata)

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The most probable actions of the averaged weights, in full precision: int64, (n,).

        Observations are int8, (n, rows, columns, planes).
        """
        with torch.inference_mode():
            inputs = torch.from_numpy(observations).to(self.device).float()
            logits = self.average(inputs).logits.cpu().numpy()
        actions: np.ndarray = np.where(masks != 0, logits, ILLEGAL).argmax(axis=1)
        return actions

    def weights(self) -> dict[str, torch.Tensor]:
        """The averaged weights, on the learner's device; later steps change them."""
        return {name: value.detach() for name, value in self.average.state_dict().items()}

    def learn(
        self, positions: Sequence[Positions], batches: int, progress: float
    ) -> dict[str, float]:
        """Take this number of steps, each with positions of one board; returns the mean losses.

        Raises:
            TrainingError: a loss is NaN or infinite.
        """
        rate = self.settings.learning.rate(progress)
        self._set_rate(rate)
        self.network.train()
        for sampler, each in zip(self._samplers, positions, strict=True):
            sampler.fill(each)
        self._losses.zero_()
        for done in range(0, batches, DRAWN_AT_ONCE):
            first = self.updates
            for step, sampler in enumerate(self._draw(min(DRAWN_AT_ONCE, batches - done)), first):
                if step < WARM_UP:
                    self._set_rate(rate * ((step + 1) / WARM_UP))
                sampler.run(self._step)
        losses = (self._losses / max(batches, 1)).tolist()
        if not np.isfinite(losses).all():
            raise TrainingError(
                f"the loss is NaN or infinite after update {self.updates:,}; a lower "
                f"learning_rate may help"
            )
        return {f"loss/{name}": loss for name, loss in zip(LOSSES, losses)}

    def _set_rate(self, rate: float) -> None:
        self.rate = rate
        for group in self._optimizer.param_groups:
            group["lr"] = group["lr"].fill_(rate) if self.device.type == "cuda" else rate

    def _draw(self, steps: int) -> list[Sampler]:
        """Draw the samples of the next steps, boards by their positions; returns the samplers."""
        size = self.settings.learning.batch_size
        ends = np.cumsum([sampler.total for sampler in self._samplers])
        samplers, shares = [], np.empty((steps, size))
        symmetries, rates = np.empty((steps, size), np.int64), np.empty(steps)
        for step in range(steps):
            drawn = np.searchsorted(ends, self._random.random() * ends[-1], side="right")
            sampler = self._samplers[min(int(drawn), len(ends) - 1)]
            samplers.append(sampler)
            shares[step] = self._random.random(size)
            symmetries[step] = self._random.integers(0, sampler.symmetries, size)
            self.updates += 1
            # at the beginning the average follows at once
            decay = min(AVERAGING, self.updates / (self.updates + 10.0))
            rates[step] = 1.0 - decay
        self._draws.fill(shares, symmetries, rates)
        return samplers

    def _step(self, sampler: Sampler) -> None:
        """Learn from the next minibatch, using only tensors of the device."""
        shares, symmetries, rate = self._draws.next()
        batch = sampler.batch(shares, symmetries)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            outputs = self.network(batch.observations)
        parts = _losses_of(outputs, batch)
        policy, value, result, length = parts
        loss = policy + self.settings.learning.value_weight * (value + 0.5 * result)
        loss = loss + self._length_weight * length
        self._optimizer.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        parameters: list[torch.Tensor] = list(self.network.parameters())
        nn.utils.clip_grad_norm_(parameters, self.settings.learning.gradient_norm, foreach=True)
        self._optimizer.step()
        with torch.no_grad():
            averages: list[torch.Tensor] = list(self.average.parameters())
            changes = torch._foreach_sub(parameters, averages)
            torch._foreach_mul_(changes, rate)
            torch._foreach_add_(averages, changes)
            self._losses += torch.stack(parts)

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state of the learner for a checkpoint."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "updates": self.updates,
            "random": json.dumps(self._random.bit_generator.state),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        groups = [{**group} for group in self._optimizer.param_groups]
        self._optimizer.load_state_dict(state["optimizer"])
        for group, own in zip(self._optimizer.param_groups, groups):
            group |= {name: own[name] for name in ("lr", "fused", "capturable", "foreach")}
        for sampler in self._samplers:
            sampler.forget_graph()
        self.updates = state["updates"]
        self._random.bit_generator.state = json.loads(state["random"])


def _losses_of(outputs: Outputs, batch: Minibatch) -> tuple[torch.Tensor, ...]:
    """The losses named in ``LOSSES``."""
    policy = -(batch.policies * functional.log_softmax(outputs.logits, dim=1)).sum(1).mean()
    value = functional.mse_loss(outputs.value, batch.values)
    result = -(batch.results * functional.log_softmax(outputs.results, dim=1)).sum(1).mean()
    length = functional.binary_cross_entropy_with_logits(outputs.nearness, batch.nearness)
    return policy, value, result, length
