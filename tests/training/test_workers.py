"""Where AlphaZero's self-play takes place: this process and others."""

from __future__ import annotations

import pytest
from plyground.envs.workers.jobs import JobPlace
from plyground.training.alphazero.train import train
from self_play.runs import CPU, GAME, have_equal_weights, settings

pytestmark = pytest.mark.thorough


def test_a_run_ends_with_the_same_weights_wherever_its_chunks_are_played(tmp_path):
    options = settings("workers=3", "steps=1500")
    places = (JobPlace("local"), JobPlace("processes", concurrency=2), JobPlace())
    runs = [
        train(GAME, options, 3, tmp_path / str(number), {}, CPU, place)
        for number, place in enumerate(places)
    ]
    for other in runs[1:]:
        assert have_equal_weights(other, runs[0])
