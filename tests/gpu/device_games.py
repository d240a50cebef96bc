"""The same games on the processor and by code for CUDA, which the processor runs here."""

from __future__ import annotations

import numpy as np
import torch
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.cuda.devices import Processor
from plyground.envs.single_agent.device_batch import DeviceBatch
from plyground.envs.single_agent.game_batch import GameBatch

GAMES, STEPS = 64, 60


def batches(spec, opponent, games=GAMES, **options):
    """The same games on the processor, and by code for CUDA."""
    game = make_game(spec)
    opponents = None if opponent is None else make_opponents(opponent, game)
    return (
        GameBatch(game, games, opponents, **options),
        DeviceBatch(game, games, opponents, device=Processor(), **options),
    )


def check_equality(ours, theirs):
    for name, here in zip(ours.state._fields, ours.state):
        there = getattr(theirs.state, name).numpy()
        if name == "positions":
            here = here.view(np.uint8).reshape(there.shape)
        assert np.array_equal(here, there.view(here.dtype)), name


def play_both(ours, theirs, seed=2):
    """Play random actions, some of them illegal, in both; they stay equal."""
    ours.reset(seed=seed)
    theirs.reset(seed=seed)
    check_equality(ours, theirs)
    random = np.random.default_rng(seed)
    for turn in range(STEPS):
        actions = (random.random(ours.state.masks.shape) * ours.state.masks).argmax(1)
        if turn % 20 == 7:
            actions[::9] = 0
        ours.step(actions)
        theirs.step(torch.as_tensor(actions))
        check_equality(ours, theirs)
    assert ours.state.episodes.sum() > ours.num_games
