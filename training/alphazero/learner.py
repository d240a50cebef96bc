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
from .network import BoardNetwork, PolicyAndValue
from .window import Canonical, Positions

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
        self._canonical = {board: Canonical(board) for board in (game, *boards)}
        self._random = np.random.default_rng(seed)
        self._bfloat16 = use_bfloat16(settings.precision, device)
        matrices = [w for w in network.parameters() if w.ndim > 1]
        others = [w for w in network.parameters() if w.ndim <= 1]
        self._optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": settings.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            lr=settings.learning_rate,
        )

    def weights(self) -> dict[str, torch.Tensor]:
        """The averaged weights, on the processor."""
        return {name: value.detach().cpu() for name, value in self.average.state_dict().items()}

    def learn(
        self, positions: Mapping[Game, Positions], batches: int, progress: float
    ) -> dict[str, float]:
        """Take so many steps, each with positions of one board; returns the mean losses.

        Raises:
            TrainingError: a loss is no longer a number.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.rate(progress)
        self.network.train()
        losses = np.zeros(4)
        for batch in self._batches(positions, batches):
            losses += self._step(*batch)
        losses /= max(batches, 1)
        if not np.isfinite(losses).all():
            raise TrainingError(
                f"the loss is no number any more after update {self.updates:,}; a lower "
                f"learning_rate may help"
            )
        names = ("policy", "value", "result", "length")
        return {f"loss/{name}": float(loss) for name, loss in zip(names, losses)}

    def _batches(
        self, positions: Mapping[Game, Positions], batches: int
    ) -> Iterator[tuple[torch.Tensor, ...]]:
        """Minibatches, from each board as often as positions are its."""
        boards = [
            (board, each, np.cumsum(each.counts**self.settings.count_exponent * each.weights))
            for board, each in positions.items()
        ]
        ends = np.cumsum([bounds[-1] for _, _, bounds in boards])
        for _ in range(batches):
            drawn = np.searchsorted(ends, self._random.random() * ends[-1], side="right")
            yield self._batch(*boards[min(drawn, len(boards) - 1)])

    def _batch(
        self, game: Game, positions: Positions, bounds: np.ndarray
    ) -> tuple[torch.Tensor, ...]:
        """Positions drawn by their weights, each through a symmetry drawn for it."""
        canonical, size = self._canonical[game], self.settings.batch_size
        width, shape = canonical.cells.shape[1], game.facts.observation_shape
        drawn = self._random.random(size) * bounds[-1]
        index = np.minimum(np.searchsorted(bounds, drawn, side="right"), len(bounds) - 1)
        planes = np.unpackbits(positions.observations[index], axis=1, count=width)
        policies = positions.policies[index].astype(np.float32)
        symmetries = self._random.integers(0, len(canonical.actions), size)
        planes = np.take_along_axis(planes, canonical.cells[symmetries], axis=1)
        policies = np.take_along_axis(policies, canonical.actions[symmetries], axis=1)
        replies = canonical.image_actions(positions.replies[index], symmetries)
        finals = np.zeros_like(planes)
        if len(positions.finals):
            finals = np.unpackbits(positions.finals[index], axis=1, count=width)
            finals = np.take_along_axis(finals, canonical.cells[symmetries], axis=1)
        return (
            torch.from_numpy(planes.reshape(size, *shape)).to(self.device).float(),
            torch.from_numpy(policies).to(self.device),
            torch.from_numpy(positions.results[index]).to(self.device),
            torch.from_numpy(positions.values[index]).to(self.device),
            torch.from_numpy(positions.nearness[index]).to(self.device),
            torch.from_numpy(replies.astype(np.int64)).to(self.device),
            torch.from_numpy(positions.soon[index]).to(self.device),
            torch.from_numpy(finals.reshape(size, *shape)).to(self.device).float(),
        )

    def _step(
        self,
        observations: torch.Tensor,
        policies: torch.Tensor,
        results: torch.Tensor,
        values: torch.Tensor,
        nearness: torch.Tensor,
        replies: torch.Tensor,
        soon: torch.Tensor,
        finals: torch.Tensor,
    ) -> np.ndarray:
        settings = self.settings
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            outputs = self.network(observations)
        policy_loss = -(policies * functional.log_softmax(outputs.logits, dim=1)).sum(1).mean()
        value_loss = functional.mse_loss(outputs.value, values)
        result_loss = -(results * functional.log_softmax(outputs.results, dim=1)).sum(1).mean()
        length_loss = functional.binary_cross_entropy_with_logits(outputs.nearness, nearness)
        loss = (
            policy_loss
            + settings.value_weight * (value_loss + 0.5 * result_loss)
            + settings.length_weight * length_loss
        )
        if outputs.replies is not None:
            sums = functional.cross_entropy(
                outputs.replies, replies, ignore_index=-1, reduction="sum"
            )
            loss = loss + settings.reply_weight * sums / len(replies)
        if outputs.soon is not None:
            loss = loss + settings.soon_weight * functional.mse_loss(outputs.soon, soon)
        if outputs.finals is not None:
            final_loss = functional.binary_cross_entropy_with_logits(outputs.finals, finals)
            loss = loss + settings.final_weight * final_loss
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), settings.gradient_norm)
        self._optimizer.step()
        self.updates += 1
        # early on the average follows at once
        decay = min(settings.averaging, self.updates / (self.updates + 10.0))
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.network.parameters()):
                mean.lerp_(new, 1.0 - decay)
        return np.array(
            [float(each.detach()) for each in (policy_loss, value_loss, result_loss, length_loss)]
        )

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
        self._optimizer.load_state_dict(state["optimizer"])
        self.updates = state["updates"]
        self._random.bit_generator.state = json.loads(state["random"])


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
