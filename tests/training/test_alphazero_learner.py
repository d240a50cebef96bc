"""AlphaZero's replay window, targets and learner."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground.training.alphazero.self_play import targets
from plyground.training.alphazero.window import (
    Canonical,
    Positions,
    ReplayChunk,
    ReplayWindow,
    read_chunk,
    write_chunk,
)
from self_play.runs import CPU, GAME, settings

# -- the window --


def random_play(count, seed=0):
    """Observations and policies of random positions."""
    random = np.random.default_rng(seed)
    observations, policies = [], []
    position = GAME.initial_position()
    for _ in range(count):
        observations.append(position.observation())
        policy = position.action_mask() * random.random(9)
        policies.append(policy / policy.sum())
        position.play(int(random.choice(position.legal_actions())))
        if position.is_over:
            position = GAME.initial_position()
    return torch.from_numpy(np.stack(observations)), torch.tensor(np.stack(policies)).float()


def test_all_images_of_a_position_have_one_canonical_form():
    canonical = Canonical(GAME, CPU)
    observations, policies = random_play(60)
    keys, packed, image_policies = canonical(observations, policies)
    flat = observations.reshape(len(observations), -1)
    for cells, actions in zip(canonical.cells, canonical.actions):
        image = flat[:, cells].reshape(observations.shape)
        image_keys, image_seen, _ = canonical(image, policies[:, actions])
        assert torch.equal(image_keys, keys)
        assert torch.equal(image_seen, packed)
    seen = np.unpackbits(packed.numpy(), axis=1, count=flat.shape[1])
    # a policy never points at an occupied cell of its image
    occupied = seen.reshape(-1, 9, observations.shape[-1])[..., :2].sum(axis=2) > 0
    assert not image_policies[torch.from_numpy(occupied)].any()


def test_positions_are_the_averages_of_their_samples():
    keys, packed, image_policies = Canonical(GAME, CPU)(*random_play(200))
    torch.manual_seed(1)
    results, values, nearness = torch.rand(200, 3), torch.rand(200), torch.rand(200)
    chunk = ReplayChunk(keys, packed, image_policies.half(), results, values, nearness)
    window = ReplayWindow(CPU)
    half = (
        ReplayChunk(*(part[:100] for part in chunk)),
        ReplayChunk(*(part[100:] for part in chunk)),
    )
    for number, part in enumerate(half):
        window.add(str(number), part, 1000)
    positions = Positions(*(part.numpy() for part in window.positions()))
    assert positions.counts.sum() == 200
    assert len(positions.counts) == len(set(keys.tolist()))
    assert positions.counts.max() > 5  # the empty board
    by_key = {}
    for index, key in enumerate(keys.tolist()):
        by_key.setdefault(key, []).append(index)
    for place, key in enumerate(sorted(by_key)):
        members = by_key[key]
        assert positions.counts[place] == len(members)
        assert np.array_equal(positions.observations[place], packed[members[0]].numpy())
        assert positions.values[place] == pytest.approx(float(values[members].mean()), abs=1e-5)
        assert positions.results[place] == pytest.approx(results[members].mean(0).numpy(), abs=1e-5)
        targets_by_hand = chunk.policies[members].float().mean(0).numpy()
        assert positions.policies[place] == pytest.approx(targets_by_hand, abs=1e-3)


def test_the_oldest_samples_leave_a_window_that_grows():
    window_size = settings("window=100,1000").games.window_size
    assert window_size(50) == 100
    sizes = [window_size(count) for count in range(100, 20_000, 100)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 1000
    window = ReplayWindow(CPU)
    for number in range(10):
        part = ReplayChunk(*(torch.zeros(30, dtype=torch.int64) for _ in ReplayChunk._fields))
        window.add(str(number), part, 100)
    assert [name for name, _ in window.chunks] == ["6", "7", "8", "9"]
    assert len(window) == 120


def test_a_chunk_is_read_as_it_was_written():
    parts = [torch.arange(-2, 3), torch.ones((5, 3), dtype=torch.float16)]
    chunk = ReplayChunk(*(parts * 5)[: len(ReplayChunk._fields)])
    again = read_chunk(write_chunk(chunk))
    assert all(torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(chunk, again))


# -- targets --


def samples(**changes):
    marks = {
        "outcome": np.array([1.0, -1.0, 0.0, 1.0], np.float32),
        "root": np.array([0.5, 0.2, 0.1, -0.9], np.float32),
        "left": np.array([3, 2, 5, 4], np.int16),
        "exact": np.array([0, 0, 0, 1], np.int8),
    }
    return marks | changes


def test_values_mix_the_result_with_the_search_and_count_near_results_more():
    results, values, nearness = targets(0.9, GAME, samples())
    assert results.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]]
    targets_by_hand = [0.5 * 0.9**3 + 0.25, -0.5 * 0.9**2 + 0.1, 0.05, -0.9]
    assert values == pytest.approx(targets_by_hand, abs=1e-6)
    assert nearness == pytest.approx([0.9**3, 0.9**2, 0.9**5, 0.9], abs=1e-6)


def test_without_a_discount_results_count_in_full():
    _, values, nearness = targets(1.0, GAME, samples())
    assert values == pytest.approx([0.75, -0.4, 0.05, -0.9])
    assert nearness == pytest.approx([1 - 3 / 9, 1 - 2 / 9, 1 - 5 / 9, 1 - 4 / 9])


# -- the learner --
