"""Supervised learning from perfect play or from a teacher's play, as a training run.

The policy learns the optimal actions of each position, with equal weights, and the value learns the
result (the margin, in games that have one). A share of the positions is held out: the metric
``held_out/optimal`` is the share in which the most probable action is optimal. The policy files
state the source: ``supervised by the exact solver``. A teacher's move replaces the optimal actions,
the result of its game replaces the result of perfect play, and the policy files name the teacher.

A network whose weights fit any board learns from positions of several boards, each minibatch from
one board.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ....envs.game import Game
from ....envs.specification import SpecificationError
from ....training.alphazero.learner import AlphaZeroLearner
from ....training.alphazero.network import has_margin
from ....training.alphazero.window import Canonical, Positions
from ....training.folder import TrainingError
from ....training.run import TrainingRun
from ..datasets.file import Dataset, load_boards, names_of_teachers
from .settings import SupervisedSettings

AT_ONCE = 50_000  # positions converted to their canonical image together
HELD_OUT_AT_ONCE = 4_096
HeldOut = tuple[np.ndarray, np.ndarray, np.ndarray]


def train(
    game: Game,
    settings: SupervisedSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device,
    **options: Any,
) -> TrainingRun:
    """Start or resume a run of supervised learning and finish it.

    The network learns on ``device`` from the datasets of the settings. At least one is of
    ``game``, others may be of other boards. The rest is as for
    :class:`~plyground.training.TrainingRun`.

    Raises:
        SpecificationError: a dataset cannot be read, is of another game, or the network does not
            fit its board; or the positions are too few.
        TrainingError: the folder is not this run's, or the dataset has changed since it began.
    """
    files = [Path(name.strip()) for name in settings.data.split(";")]
    datasets = load_boards(files)
    if game not in (data.game for data in datasets):
        specs = " and ".join(data.game.spec for data in datasets)
        raise SpecificationError(f"{settings.data} is of {specs}, not of {game.spec}")
    with TrainingRun(game, settings, seed, out, facts, **options) as run:
        _check_same(files, settings.data, out / "dataset.sha256")
        # the network and its datasets
        kind = f"supervised by {names_of_teachers(datasets)}"
        boards = [data.game for data in datasets]
        network = AlphaZeroLearner(game, settings, seed, device, boards, length_weight=0.0)
        learner = _SupervisedLearner(network, kind)
        positions, held_out = _divide(datasets, settings, seed, device)
        exporter = learner.network.exporter(kind)
        run.resume(learner)
        while run.goes_on():
            left = (settings.steps - learner.step) / settings.learning.batch_size
            began, batches = time.monotonic(), min(settings.batches_per_update, math.ceil(left))
            losses = learner.network.learn(positions, batches, run.progress)
            learner.step += batches * settings.learning.batch_size
            seconds = time.monotonic() - began
            values = {
                "held_out/optimal": _optimal_share(learner.network, held_out),
                "time/positions_per_second": batches * settings.learning.batch_size / seconds,
            }
            run.log(losses | values)
            run.measure(exporter.write)
            run.save()
    return run


class _SupervisedLearner:
    """The state for a checkpoint; the positions are in the dataset.

    Args:
        network: the network with its learner.
        kind: the kind stated in its policy files.
    """

    def __init__(self, network: AlphaZeroLearner, kind: str) -> None:
        self.network: AlphaZeroLearner = network
        self.stage: str = f"a dataset {kind}"
        self.step: int = 0  # training positions so far

    @property
    def updates(self) -> int:
        """The number of minibatches so far."""
        return self.network.updates

    def state(self) -> dict[str, Any]:
        """The state of the network, and its number of positions."""
        return {"learner": self.network.state(), "seen": self.step}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`."""
        self.network.load_state(state["learner"])
        self.step = state["seen"]


def _divide(
    datasets: Sequence[Dataset], settings: SupervisedSettings, seed: int, device: torch.device
) -> tuple[list[Positions], list[HeldOut]]:
    """The training positions of each dataset, on a device, and the held-out positions.

    The latter are observations, masks, and the actions with the best value.

    Raises:
        SpecificationError: the positions are too few.
    """
    random = np.random.default_rng(seed)
    learnt, held_out = list[Positions](), list[HeldOut]()
    for data in datasets:
        order = random.permutation(len(data))
        count = max(1, round(settings.held_out * len(data)))
        if count >= len(data):
            raise SpecificationError(f"{settings.data} has too few positions: {len(data)}")
        rows, arrays = order[:count], data.arrays
        optimal = optimal_actions(data)[rows]
        held_out.append((arrays["observation"][rows], arrays["action_mask"][rows], optimal))
        positions = learning_positions(data, order[count:])
        learnt.append(Positions(*(each.to(device) for each in positions)))
    return learnt, held_out


def _optimal_share(player: AlphaZeroLearner, held_out: Sequence[HeldOut]) -> float:
    """The share of held-out positions in which the most probable action is optimal."""
    right = count = 0
    for observations, masks, optimal in held_out:
        count += len(masks)
        for start in range(0, len(masks), HELD_OUT_AT_ONCE):
            part = slice(start, start + HELD_OUT_AT_ONCE)
            actions = player.act_batch(observations[part], masks[part])
            right += int(optimal[part][np.arange(len(actions)), actions].sum())
    return right / count


def optimal_actions(data: Dataset) -> np.ndarray:
    """Whether each action has the best value of its position: bool, (N, num_actions)."""
    best: np.ndarray = data.arrays["action_values"] == data.arrays["value"][:, None]
    return best


def learning_positions(data: Dataset, rows: np.ndarray) -> Positions:
    """The input of AlphaZero's learner: optimal actions and results of some positions."""
    game = data.game
    canonical, optimal = Canonical(game, torch.device("cpu")), optimal_actions(data)
    packed, policies = [], []
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        shares = optimal[part] / optimal[part].sum(axis=1, keepdims=True)
        _, images, image_policies = canonical(
            torch.from_numpy(data.arrays["observation"][part]), torch.from_numpy(shares).half()
        )
        packed.append(images)
        policies.append(image_policies)
    result = data.arrays["result"][rows]
    results = np.stack([result == 1, result == 0, result == -1], axis=1).astype(np.float32)
    values = _final_margins(data, rows) if has_margin(game) else result.astype(np.float32)
    nothing = np.zeros(len(rows), np.float32)
    aims = results, values, nothing, np.ones(len(rows), np.int64)
    return Positions(torch.cat(packed), torch.cat(policies), *map(torch.from_numpy, aims))


def _final_margins(data: Dataset, rows: np.ndarray) -> np.ndarray:
    """The final margin under best play, from −1 to 1, for the side to move."""
    most, margins = data.game.facts.max_return, np.empty(len(rows), np.float32)
    for index, row in enumerate(rows):
        position = data.position(int(row))
        points = position.returns[position.to_move]
        margins[index] = (points + float(data.arrays["value"][row])) / most
    return margins


def _check_same(files: Sequence[Path], names: str, record: Path) -> None:
    """TrainingError if the datasets differ from the recorded digests of the run's first ones."""
    digests = []
    for path in files:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    checksum = " ".join(digests)
    if record.exists() and record.read_text().strip() != checksum:
        raise TrainingError(f"{names} is not the dataset that this run began with")
    record.write_text(checksum + "\n")
