"""Short runs of AlphaZero at tic-tac-toe."""

from __future__ import annotations

import torch
from plyground import make_game
from plyground.training.alphazero.settings import AlphaZeroSettings

CPU = torch.device("cpu")
GAME = make_game("tic_tac_toe")
QUICK = (
    "hours=0", "steps=3000", "games=16", "simulations_per_update=3000", "simulations=8,12",
    "batch_size=16", "channels=4", "hidden=8",
    "evaluate=none", "evaluations=2", "window=500,200000",
)  # fmt: skip


def settings(*texts):
    return AlphaZeroSettings.for_game(GAME, {}, (*QUICK, *texts))


def have_equal_weights(one, other):
    ours, theirs = one.learner.learner.weights(), other.learner.learner.weights()
    return all(torch.equal(ours[name], theirs[name]) for name in ours)
