"""One number of threads: the command and train() learn the same weights, and put torch's back."""

from __future__ import annotations

import pytest
import torch
from command_line import done
from helpers import SMALL_RUN
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.extras.perfect_play.datasets.build import build_dataset
from plyground.training import train
from plyground.training.api import SETTINGS
from plyground.training.checkpoints import unpack
from plyground.training.folder import newest_checkpoint

pytestmark = pytest.mark.thorough

QUICK = {
    "ppo": SMALL_RUN | {"learning_rate": 1e-2, "opponent": "mix:0.5 greedy,0.5 self"},
    "dqn": {
        "steps": 1024, "games": 32, "first_steps": 64, "batch_size": 64, "minibatches": 4,
        "dense": "32", "opponent": "mix:0.5 greedy,0.5 self",
    },
    "alphazero": {
        "hours": 0.0, "steps": 1500, "workers": 1, "keep": 0, "games": 8, "simulations": 8,
        "simulations_per_update": 512, "channels": 8, "batch_size": 8,
    },
    "supervised": {"steps": 2048, "batch_size": 64, "batches_per_update": 16, "channels": 8},
}  # fmt: skip


@pytest.fixture
def threads_of_torch():
    """The number that a program has chosen for itself."""
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(1)


@pytest.mark.parametrize("algorithm", list(SETTINGS))
def test_the_command_and_the_function_learn_the_same_weights(algorithm, tmp_path, threads_of_torch):
    settings = QUICK[algorithm] | {"evaluate": "random", "evaluation_pairs": 2, "evaluations": 2}
    options, threads = [], set()
    if algorithm == "supervised":
        build_dataset(make_game("tic_tac_toe"), 300, tmp_path / "perfect.npz")
        options = ["--data", tmp_path / "perfect.npz"]
    for name, value in settings.items():
        options += ["--set", f"{name}={value}"]
    done(*("train", algorithm, "tic_tac_toe", "--seed", 7, "--out", tmp_path / "command"), *options)
    assert torch.get_num_threads() == threads_of_torch
    if algorithm == "supervised":
        settings |= {"data": str(tmp_path / "perfect.npz")}

    def see(progress):
        threads.add(torch.get_num_threads())

    run = train(
        algorithm, "tic_tac_toe", tmp_path / "function", seed=7, on_progress=see, **settings
    )
    assert run.learner.updates > 1
    assert threads == {1}
    assert torch.get_num_threads() == threads_of_torch
    one, other = (
        unpack(newest_checkpoint(tmp_path / name))["learner"] for name in ("command", "function")
    )
    tensors = [tensors_of(learner) for learner in (one, other)]
    assert tensors[0].keys() == tensors[1].keys()
    assert len(tensors[0]) > 4
    for name, tensor in tensors[0].items():
        assert torch.equal(tensor, tensors[1][name]), name


def tensors_of(state, name=""):
    """All tensors of a state, by their place in it: weights, optimiser, games, generators."""
    if isinstance(state, torch.Tensor):
        return {name: state}
    if isinstance(state, (list, tuple)):
        state = dict(enumerate(state))
    parts = state.items() if isinstance(state, dict) else ()
    return {
        place: tensor
        for key, part in parts
        for place, tensor in tensors_of(part, f"{name}.{key}").items()
    }


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_torch_has_its_own_number_of_threads(error, tmp_path, threads_of_torch):
    def stop(progress):
        assert torch.get_num_threads() == 2
        raise error

    with pytest.raises(error):
        train("ppo", "tic_tac_toe", tmp_path / "run", threads=2, on_progress=stop, **SMALL_RUN)
    assert torch.get_num_threads() == threads_of_torch


def test_a_number_of_threads_that_is_not_possible_is_refused(tmp_path):
    with pytest.raises(SpecificationError, match=r"threads=0 is not possible .* at least 1"):
        train("ppo", "tic_tac_toe", tmp_path / "run", threads=0, **SMALL_RUN)
    assert not (tmp_path / "run").exists()
