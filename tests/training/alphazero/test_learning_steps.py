"""What the learner draws and computes, held against plain numpy and torch."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from plyground import make_game
from plyground.training.alphazero.learner import (
    AVERAGING,
    COUNT_EXPONENT,
    LENGTH_WEIGHT,
    WARM_UP,
    WEIGHT_DECAY,
    AlphaZeroLearner,
)
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.window import Canonical, Positions, ReplayChunk, ReplayWindow
from torch.nn import functional

pytestmark = pytest.mark.thorough

CPU = torch.device("cpu")
STEPS = WARM_UP + 50
SMALL = ("precision=float32", "batch_size=32", "channels=8", "blocks=2", "hidden=8")
CASES = {
    "tic_tac_toe": (),
    "connect_four": (),
    "hex:size=3": ("trunk=pooled",),
    "dots_and_boxes:rows=1,cols=2,reward=margin": ("trunk=dense",),
}


def random_positions(game, count=500):
    """Positions and targets in the form of the window's, as numpy arrays."""
    random = np.random.default_rng(3)
    width, actions = int(np.prod(game.facts.observation_shape)), game.facts.num_actions
    policies = random.random((count, actions), np.float32)
    return {
        "observations": np.packbits(random.random((count, width)) < 0.3, axis=1),
        "policies": (policies / policies.sum(axis=1, keepdims=True)).astype(np.float16),
        "results": np.eye(3, dtype=np.float32)[random.integers(0, 3, count)],
        "values": random.uniform(-1, 1, count).astype(np.float32),
        "nearness": random.random(count, np.float32),
        "counts": random.integers(1, 9, count),
    }


class PlainLearner:
    """The same steps, one after another, in numpy and torch."""

    def __init__(self, game, learner, seed):
        self.game, self.settings = game, learner.settings
        self.network = copy.deepcopy(learner.network).train()
        self.average = [weights.detach().clone() for weights in self.network.parameters()]
        self.random = np.random.default_rng(seed)
        self.steps = 0
        matrices = [w for w in self.network.parameters() if w.ndim > 1]
        others = [w for w in self.network.parameters() if w.ndim <= 1]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": WEIGHT_DECAY},
                {"params": others, "weight_decay": 0.0},
            ]
        )

    def draw(self, positions):
        settings, canonical = self.settings, Canonical(self.game, CPU)
        size, width = settings.learning.batch_size, canonical.cells.shape[1]
        bounds = np.cumsum(positions["counts"] ** COUNT_EXPONENT)
        self.random.random()  # of the board
        index = np.searchsorted(bounds, self.random.random(size) * bounds[-1], side="right")
        symmetries = self.random.integers(0, len(self.game.symmetries), size)
        batch = {name: values[index] for name, values in positions.items()}
        planes = np.unpackbits(batch["observations"], axis=1, count=width)
        planes = np.take_along_axis(planes, canonical.cells.numpy()[symmetries], axis=1)
        batch["observations"] = planes.reshape(size, *self.game.facts.observation_shape)
        batch["policies"] = np.take_along_axis(
            batch["policies"].astype(np.float32), canonical.actions.numpy()[symmetries], axis=1
        )
        return {name: torch.from_numpy(values) for name, values in batch.items()}

    def step(self, positions):
        settings, batch = self.settings, self.draw(positions)
        outputs = self.network(batch["observations"].float())
        losses = (
            -(batch["policies"] * functional.log_softmax(outputs.logits, 1)).sum(1).mean(),
            functional.mse_loss(outputs.value, batch["values"]),
            -(batch["results"] * functional.log_softmax(outputs.results, 1)).sum(1).mean(),
            functional.binary_cross_entropy_with_logits(outputs.nearness, batch["nearness"]),
        )
        policy, value, result, length = losses
        loss = policy + settings.learning.value_weight * (value + result / 2)
        loss = loss + LENGTH_WEIGHT * length
        rate = settings.learning.learning_rate * min((self.steps + 1) / WARM_UP, 1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.learning.gradient_norm)
        self.optimizer.step()
        self.steps += 1
        decay = min(AVERAGING, self.steps / (self.steps + 10))
        for mean, weights in zip(self.average, self.network.parameters()):
            mean += (1 - decay) * (weights.detach() - mean)
        return [float(each.detach()) for each in losses]


@pytest.mark.parametrize("spec", CASES)
def test_a_seed_draws_the_same_samples_and_learns_the_same_as_plain_steps(spec):
    game = make_game(spec)
    settings = AlphaZeroSettings.for_game(game, {}, (*SMALL, *CASES[spec]))
    learner = AlphaZeroLearner(game, settings, 5, CPU)
    plain = PlainLearner(game, learner, 5)
    arrays = random_positions(game)
    positions = Positions(**{name: torch.from_numpy(values) for name, values in arrays.items()})
    for _ in range(STEPS // 5):
        ours = learner.learn([positions], 5, 0.0)
        theirs = np.mean([plain.step(arrays) for _ in range(5)], axis=0)
        assert list(ours.values()) == pytest.approx(theirs.tolist(), abs=1e-5)
    for ours, theirs in zip(learner.average.parameters(), plain.average):
        assert torch.allclose(ours, theirs, atol=1e-5)


def random_chunk(random, count, keys):
    """A chunk in which the observation is decided by the key."""
    numbers = [random.random(count).astype(np.float32) for _ in range(2)]
    drawn = random.integers(0, keys, count, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    arrays = (
        drawn.view(np.int64),
        (drawn[:, None] >> np.arange(0, 24, 8, dtype=np.uint64)).astype(np.uint8),
        random.random((count, 5)).astype(np.float16),
        random.random((count, 3)).astype(np.float32),
        *numbers,
    )
    return ReplayChunk(*map(torch.from_numpy, arrays))


@pytest.mark.parametrize("keys", [1, 7, 400])
def test_a_window_that_chunks_are_appended_to_is_that_of_all_its_samples(keys):
    random = np.random.default_rng(keys)
    chunks = [random_chunk(random, int(random.integers(1, 90)), keys) for _ in range(12)]
    window = ReplayWindow(CPU)
    for number, chunk in enumerate(chunks):
        window.add(str(number), chunk, 150)
        first, count = int(window.chunks[0][0]), len(window)
        assert count == sum(len(each.keys) for each in chunks[first : number + 1])
        assert count >= min(150, sum(len(each.keys) for each in chunks[: number + 1]))
        whole = ReplayWindow(CPU)
        parts = (torch.cat(part) for part in zip(*chunks[first : number + 1]))
        whole.add("all", ReplayChunk(*parts))
        for ours, theirs in zip(window.positions(), whole.positions()):
            assert torch.equal(ours, theirs)
        assert window.positions().counts.sum() == count
