"""The learner: from the positions of the replay window to better weights."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

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
from .minibatches import DRAWN_AT_ONCE, Draws, Minibatch, Sampler
from .network import BoardNetwork, Outputs, PolicyAndValue
from .window import Positions

LOSSES = ("policy", "value", "result", "length")
ILLEGAL = -1e9  # in the place of an illegal action's logit


def make_network(game: Game, settings: Any, seed: int) -> BoardNetwork:
    """The network with its initial weights."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return BoardNetwork(game, settings)


class AveragePlayer:
    """Plays the most probable action of the averaged weights."""

    def __init__(self, network: BoardNetwork, device: torch.device) -> None:
        self._network, self._device = network, device

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Actions (int64, n) for int8 observations (n, rows, columns, planes) and masks."""
        with torch.inference_mode():
            inputs = torch.from_numpy(observations).to(self._device).float()
            logits = self._network(inputs).logits.cpu().numpy()
        actions: np.ndarray = np.where(masks != 0, logits, ILLEGAL).argmax(axis=1)
        return actions


class AlphaZeroLearner:
    """Learns from positions, and keeps an average of its weights, which plays.

    Positions, minibatches and losses stay on the device. On a GPU a step is one CUDA graph, and the
    processor waits for it only when it reads the losses. What is drawn comes from a generator of
    numpy, so that a seed draws the same on every device.

    Args:
        game: the game.
        settings: AlphaZero's, or those of supervised learning.
        seed: of the weights and of the choice of positions.
        device: where it learns.
        boards: the same game on other boards, from which it learns too.

    Raises:
        SpecificationError: its weights do not fit these boards.
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seed: int,
        device: torch.device,
        boards: Sequence[Game] = (),
    ) -> None:
        self.settings: Any = settings
        self.device: torch.device = device
        network = make_network(game, settings, seed)
        if settings.initial:
            load_initial(network, game, settings.initial)
        for board in boards:
            network.add_board(board)
        network.to(device)
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.network = network
        self.average: BoardNetwork = copy.deepcopy(network).eval()
        for weights in self.average.parameters():
            weights.requires_grad_(False)
        self.updates: int = 0
        self._samplers = {board: Sampler(board, device) for board in (game, *boards)}
        self._random = np.random.default_rng(seed)
        self._bfloat16 = use_bfloat16(settings.precision, device)
        self._draws = Draws(settings.batch_size, device)
        self._losses = torch.zeros(len(LOSSES), dtype=torch.float64, device=device)
        matrices = [w for w in network.parameters() if w.ndim > 1]
        others = [w for w in network.parameters() if w.ndim <= 1]
        on_gpu = device.type == "cuda"
        self._optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": settings.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            # a graph reads the rate from the device
            lr=torch.tensor(settings.learning_rate, device=device) if on_gpu else 1.0,
            fused=on_gpu,
            capturable=on_gpu,
        )

    def weights(self) -> dict[str, torch.Tensor]:
        """The averaged weights, on the learner's device; it goes on to change them."""
        return {name: value.detach() for name, value in self.average.state_dict().items()}

    def learn(
        self, positions: Mapping[Game, Positions], batches: int, progress: float
    ) -> dict[str, float]:
        """Take so many steps, each with positions of one board; returns the mean losses.

        Raises:
            TrainingError: a loss is no longer a number.
        """
        rate = self.settings.rate(progress)
        for group in self._optimizer.param_groups:
            group["lr"] = group["lr"].fill_(rate) if self.device.type == "cuda" else rate
        self.network.train()
        for board, each in positions.items():
            self._samplers[board].fill(each, self.settings.count_exponent)
        self._losses.zero_()
        boards = list(positions)
        for done in range(0, batches, DRAWN_AT_ONCE):
            for board in self._draw(boards, min(DRAWN_AT_ONCE, batches - done)):
                self._samplers[board].run(self._step)
        losses = (self._losses / max(batches, 1)).tolist()
        if not np.isfinite(losses).all():
            raise TrainingError(
                f"the loss is no number any more after update {self.updates:,}; a lower "
                f"learning_rate may help"
            )
        return {f"loss/{name}": loss for name, loss in zip(LOSSES, losses)}

    def _draw(self, boards: list[Game], steps: int) -> list[Game]:
        """Draw what the next steps learn from; returns their boards, drawn by their positions."""
        size = self.settings.batch_size
        ends = np.cumsum([self._samplers[board].total for board in boards])
        drawn_boards, shares = [], np.empty((steps, size))
        symmetries, rates = np.empty((steps, size), np.int64), np.empty(steps)
        for step in range(steps):
            drawn = np.searchsorted(ends, self._random.random() * ends[-1], side="right")
            board = boards[min(int(drawn), len(boards) - 1)]
            drawn_boards.append(board)
            shares[step] = self._random.random(size)
            symmetries[step] = self._random.integers(0, len(board.symmetries), size)
            self.updates += 1
            # early on the average follows at once
            decay = min(self.settings.averaging, self.updates / (self.updates + 10.0))
            rates[step] = 1.0 - decay
        self._draws.fill(shares, symmetries, rates)
        return drawn_boards

    def _step(self, sampler: Sampler) -> None:
        """Learn from the next minibatch. It reads and writes tensors of the device only."""
        shares, symmetries, rate = self._draws.next()
        batch = sampler.batch(shares, symmetries)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            outputs = self.network(batch.observations)
        loss, parts = losses_of(outputs, batch, self.settings)
        self._optimizer.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        parameters: list[torch.Tensor] = list(self.network.parameters())
        nn.utils.clip_grad_norm_(parameters, self.settings.gradient_norm, foreach=True)
        self._optimizer.step()
        with torch.no_grad():
            averages: list[torch.Tensor] = list(self.average.parameters())
            changes = torch._foreach_sub(parameters, averages)
            torch._foreach_mul_(changes, rate)
            torch._foreach_add_(averages, changes)
            self._losses += parts

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds of the learner."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "updates": self.updates,
            "random": json.dumps(self._random.bit_generator.state),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        groups = [{**group} for group in self._optimizer.param_groups]
        self._optimizer.load_state_dict(state["optimizer"])
        for group, own in zip(self._optimizer.param_groups, groups):
            group |= {name: own[name] for name in ("lr", "fused", "capturable", "foreach")}
        for sampler in self._samplers.values():
            sampler.forget_graph()
        self.updates = state["updates"]
        self._random.bit_generator.state = json.loads(state["random"])


def losses_of(
    outputs: Outputs, batch: Minibatch, settings: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """What is minimised, and the four of it that are logged, (4,)."""
    policy = -(batch.policies * functional.log_softmax(outputs.logits, dim=1)).sum(1).mean()
    value = functional.mse_loss(outputs.value, batch.values)
    result = -(batch.results * functional.log_softmax(outputs.results, dim=1)).sum(1).mean()
    length = functional.binary_cross_entropy_with_logits(outputs.nearness, batch.nearness)
    loss = policy + settings.value_weight * (value + 0.5 * result) + settings.length_weight * length
    if outputs.replies is not None:
        replies = batch.replies
        sums = functional.cross_entropy(outputs.replies, replies, ignore_index=-1, reduction="sum")
        loss = loss + settings.reply_weight * sums / len(replies)
    if outputs.soon is not None:
        loss = loss + settings.soon_weight * functional.mse_loss(outputs.soon, batch.soon)
    if outputs.finals is not None and batch.finals is not None:
        finals = functional.binary_cross_entropy_with_logits(outputs.finals, batch.finals)
        loss = loss + settings.final_weight * finals
    return loss, torch.stack([policy, value, result, length]).detach()


class AverageTrainer:
    """A :class:`~plyground.training.run.Trainer` whose averaged weights are measured and kept.

    Args:
        game: the game.
        settings: the settings.
        seed: decides everything that is random.
        device: where the network is evaluated and learns.
        kind: what the policy files say was trained.
        boards: the same game on other boards, from which the network learns too.
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seed: int,
        device: torch.device,
        kind: str,
        boards: Sequence[Game] = (),
    ) -> None:
        self.game: Game = game
        self.settings: Any = settings
        self.progress: float = 0.0
        self.learner: AlphaZeroLearner = AlphaZeroLearner(game, settings, seed, device, boards)
        self.player: AveragePlayer = AveragePlayer(self.learner.average, device)
        metadata = policy_metadata(game, kind, WHOLE_RETURN, settings.discount)
        self._exporter = NetworkExporter(PolicyAndValue(self.learner.average), game, metadata)

    @property
    def updates(self) -> int:
        """Minibatches that the network has learnt from."""
        return self.learner.updates

    @contextlib.contextmanager
    def evaluation_player(self) -> Iterator[AveragePlayer]:
        """The averaged weights, without search, in full precision."""
        yield self.player

    def export(self, path: Path) -> None:
        """Write the averaged weights as a policy file."""
        self._exporter.write(path)

    def close(self) -> None:
        """Nothing is left to end."""
