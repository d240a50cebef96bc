"""The precision of self-play: a trial chooses it, a run keeps it, and bytes must serve."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from plyground.agents.policies import trial
from plyground.agents.policies.compiled.tile import FUSES
from plyground.agents.policies.compiled.words import INT8, PRECISIONS
from plyground.training.alphazero.evaluator import make_evaluator, trial_of_precisions
from plyground.training.alphazero.learner import make_network
from plyground.training.alphazero.train import train
from plyground.training.export import random_observations
from plyground.training.folder import TrainingError, read_run
from self_play.runs import CPU, GAME, settings

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not FUSES, reason="the kernel evaluates no network here"),
]
POSSIBLE = [name for name, precision in PRECISIONS.items() if precision.is_possible]


@pytest.fixture
def trials(tmp_path, monkeypatch):
    """The file of the trials, in a folder of its own."""
    file = tmp_path / "trials.json"
    monkeypatch.setattr(trial, "_file", lambda: file)
    return file


def let_be_fastest(trials, name):
    """Write down that a precision was the fastest."""
    trials.write_text(
        json.dumps(
            {key: times | {name: 0.0} for key, times in json.loads(trials.read_text()).items()}
        )
    )


def test_a_trial_times_each_precision_of_the_processor_and_is_kept(trials):
    options = settings()
    first = trial_of_precisions(GAME, options)
    assert [*first.microseconds] == POSSIBLE
    assert all(time > 0 for time in first.microseconds.values())
    assert first.precision == min(POSSIBLE, key=first.microseconds.__getitem__)
    for name in POSSIBLE:
        trials.unlink()
        trial_of_precisions(GAME, options)
        let_be_fastest(trials, name)
        assert trial_of_precisions(GAME, options).precision == name
    others = trial_of_precisions(GAME, settings("hidden=16")).microseconds
    assert min(others.values()) > 0  # another network has a trial of its own
    trials.write_text('{"key": {"float32": "fast"')
    assert min(trial_of_precisions(GAME, options).microseconds.values()) > 0


def test_a_run_names_the_precision_that_was_chosen_and_keeps_it(trials, tmp_path):
    notes, out = [], tmp_path / "run"
    trial_of_precisions(GAME, settings())
    let_be_fastest(trials, "float32")
    train(GAME, settings("steps=500"), 1, out, {}, CPU, on_note=notes.append)
    assert notes[0].startswith("self-play in float32 (µs a position: float32 0.0")
    assert read_run(out)["description"]["precision"] == "float32"
    let_be_fastest(trials, POSSIBLE[-1])
    train(GAME, settings("steps=900"), 1, out, {}, CPU, on_note=notes.append)
    assert read_run(out)["description"]["precision"] == "float32"
    with pytest.raises(TrainingError, match='precision is "float32" there and "bfloat16" here'):
        train(GAME, settings("steps=1200", "precision=bfloat16"), 1, out, {}, CPU)


@pytest.mark.skipif(not INT8.is_possible, reason="the processor does not multiply bytes")
def test_weights_that_bytes_do_not_serve_are_evaluated_in_float32(trials):
    options = settings("trunk=dense", "blocks=0")
    observations = random_observations(GAME, 64)
    network = make_network(GAME, options, 1)
    with torch.no_grad():  # so that outputs differ
        network.policy[2].weight *= 30
        network.judgement.weight *= 30
    served = {name: value.clone() for name, value in network.state_dict().items()}
    rounded = make_evaluator(GAME, options.replace(precision="int8"), CPU)
    exact = make_evaluator(GAME, options.replace(precision="float32"), CPU)

    def answers(weights):
        for each in (rounded, exact):
            each.load(weights)
        return [each.evaluate(observations, 64)[0] for each in (rounded, exact)]

    in_bytes, in_floats = answers(served)
    assert not np.array_equal(in_bytes, in_floats)
    with torch.no_grad():  # one input that nothing reads takes all the bytes
        network.entry.bias[0] = 1e4
        network.policy[0].weight[:, 0] = 0
        network.summary[0].weight[:, 0] = 0
    in_bytes, in_floats = answers(network.state_dict())
    assert np.array_equal(in_bytes, in_floats)
    in_bytes, in_floats = answers(served)
    assert not np.array_equal(in_bytes, in_floats)
