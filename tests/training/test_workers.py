"""Where AlphaZero's self-play takes place: this process and others."""

from __future__ import annotations

import torch
from plyground import make_game
from plyground.envs.workers.jobs import JobPlace
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.train import train

CPU = torch.device("cpu")
GAME = make_game("tic_tac_toe")
QUICK = (
    "hours=0", "steps=3000", "games=16", "simulations_per_update=3000", "simulations=12",
    "first_simulations=8", "fast_simulations=4", "batch_size=64", "units=32", "hidden=8",
    "cache=1", "evaluate=none", "judged=0", "evaluations=2", "window_smallest=500", "workers=3",
)  # fmt: skip


def have_equal_weights(one, other):
    ours, theirs = one.learner.learner.weights(), other.learner.learner.weights()
    return all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_run_ends_with_the_same_weights_wherever_its_chunks_are_played(tmp_path):
    options = AlphaZeroSettings.for_game(GAME, {}, (*QUICK, "steps=1500"))
    places = (JobPlace("local"), JobPlace("processes", concurrency=2), JobPlace())
    runs = [
        train(GAME, options, 3, tmp_path / str(number), {}, CPU, place)
        for number, place in enumerate(places)
    ]
    for other in runs[1:]:
        assert have_equal_weights(other, runs[0])
