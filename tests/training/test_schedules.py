"""Every update of every learner moves the weights, at the rates that docs/training.md states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from plyground import make_game
from plyground.extras.perfect_play.datasets.build import build_dataset
from plyground.training.alphazero.learner import WARM_UP
from plyground.training.api import SETTINGS, train
from plyground.training.folder import read_metrics
from plyground.training.run import TrainingRun

pytest.importorskip("sb3_contrib")
import torch

GAME = make_game("tic_tac_toe")
SB3 = {"games": 32, "rollout": 8, "batch_size": 64, "dense": "16", "opponent": "random"}
SIZES = {
    "ppo": SB3,
    "dqn": SB3 | {"first_steps": 32},
    "alphazero": {
        "hours": 0, "games": 64, "simulations_per_update": 64 * 9 * 40, "simulations": "16,9",
        "full_share": 1.0, "batch_size": 64, "trunk": "dense", "channels": 2,
    },
    "supervised": {
        "batch_size": 32, "batches_per_update": 4, "trunk": "dense", "channels": 2, "hidden": 8,
    },
}  # fmt: skip
STEPS = {"ppo": 256, "dqn": 256, "alphazero": 4000, "supervised": 128}  # of an update, about
LENGTHS = (1, 2, 5)  # in updates


def falls_evenly(share):
    return 1 - share


def falls_in_the_second_half(share):
    return 0.02 + 0.49 * (1 + math.cos(math.pi * max(2 * share - 1, 0)))


STATED = {"ppo": falls_evenly, "dqn": falls_evenly}


@pytest.fixture
def seen(monkeypatch):
    """The step, the weights and the rate of learning before the first update and after each."""
    rows = []

    def see(run):
        state = run.learner.state()["learner"]
        network = state["policy"] if "policy" in state else state["network"]
        weights = torch.cat([each.flatten().double() for each in network.values()])
        rate = float(state["optimizer"]["param_groups"][0]["lr"])
        if "policy" not in state:  # these learners raise the rate over their first steps
            rate /= min(max(state["updates"], 1) / WARM_UP, 1.0)
        rows.append((run.learner.step, weights, rate))

    for name in ("resume", "log"):
        method = getattr(TrainingRun, name)
        patched = lambda run, *given, method=method: (method(run, *given), see(run))  # noqa: E731
        monkeypatch.setattr(TrainingRun, name, patched)
    return rows


def sizes_of(algorithm, updates, folder, **changes):
    """Settings of a short run; a dataset is made where one is learnt from."""
    steps = updates * STEPS[algorithm] - (2000 if algorithm == "alphazero" else 0)
    sizes = SIZES[algorithm] | {"steps": steps, "log": "none"} | changes
    if algorithm == "supervised":
        build_dataset(GAME, 100, folder / "data.npz")
        sizes["data"] = str(folder / "data.npz")
    return sizes


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("updates", LENGTHS)
@pytest.mark.parametrize("algorithm", list(SETTINGS))
def test_every_update_moves_the_weights_at_the_stated_rate(
    algorithm, updates, seen, tmp_path, monkeypatch
):
    monkeypatch.setattr("plyground.training.alphazero.settings.SHORT_ROUNDS", 0)
    sizes = sizes_of(algorithm, updates, tmp_path, learning_rate=0.01)
    train(algorithm, GAME, tmp_path / "run", **sizes)
    assert len(seen) == updates + 1
    stated = STATED.get(algorithm, falls_in_the_second_half)
    for before, after in itertools.pairwise(seen):
        assert not torch.equal(before[1], after[1])
        assert after[2] == pytest.approx(0.01 * stated(before[0] / sizes["steps"]))
    if stated is falls_evenly:
        assert seen[-1][2] == pytest.approx(0.01 / updates)


class Stop(Exception):
    pass


# tests/training/test_alphazero.py interrupts runs of AlphaZero, of one worker and of two.
@pytest.mark.parametrize("algorithm", [each for each in SETTINGS if each != "alphazero"])
def test_an_interrupted_run_ends_with_exactly_the_weights_of_an_undisturbed_one(
    algorithm, seen, tmp_path, monkeypatch
):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    itself = {"opponent": "mix:0.5 random,0.5 self"} if "opponent" in SIZES[algorithm] else {}
    if algorithm == "dqn":
        itself["snapshot_every"] = 100
    sizes = sizes_of(algorithm, 5, tmp_path, **itself)
    train(algorithm, GAME, tmp_path / "undisturbed", **sizes)
    undisturbed, reports, notes = [*seen], [], []
    seen.clear()

    def stop(progress):
        reports.append(progress)
        if len(reports) == 3:
            raise Stop

    with pytest.raises(Stop):
        train(algorithm, GAME, tmp_path / "disturbed", on_progress=stop, **sizes)
    np.random.seed(99)  # noqa: NPY002 - another process would have other generators
    torch.manual_seed(99)
    train(algorithm, GAME, tmp_path / "disturbed", on_note=notes.append, **sizes)
    assert any(note.startswith("resumed at step ") for note in notes)
    assert seen[-1][0] == undisturbed[-1][0]
    assert torch.equal(seen[-1][1], undisturbed[-1][1])
    steps = [
        [row["step"] for row in read_metrics(tmp_path / name) if row["kind"] == "update"]
        for name in ("undisturbed", "disturbed")
    ]
    assert steps[0] == steps[1]  # nothing is lost, nothing is there twice


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_a_last_update_that_the_steps_end_in_is_as_long_as_the_others(algorithm, seen, tmp_path):
    sizes = SIZES[algorithm] | {"steps": 2 * 256 + 1, "learning_rate": 0.03}
    train(algorithm, GAME, tmp_path / "run", log="none", **sizes)
    assert [rate for _, _, rate in seen[1:]] == pytest.approx([0.03, 0.02, 0.01])


def test_the_weight_of_the_entropy_falls_as_the_rate_does(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    weights, learn = [], MaskablePPO.train
    monkeypatch.setattr(
        MaskablePPO, "train", lambda model: (weights.append(model.ent_coef), learn(model))
    )
    train("ppo", GAME, tmp_path / "run", log="none", steps=512, entropy=0.04, **SB3)
    assert weights == pytest.approx([0.04, 0.02])


def test_the_share_of_random_actions_falls_to_its_end_in_the_stated_share_of_the_run(tmp_path):
    shares = []
    train(
        "dqn", GAME, tmp_path / "run", log="none", steps=1024, first_steps=0, exploration=0.2,
        on_progress=lambda progress: shares.append(progress.values["rollout/exploration_rate"]),
        **SB3,
    )  # fmt: skip
    assert shares == pytest.approx([0.6, 0.2, 0.2, 0.2])


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_the_shortest_run_with_the_defaults_of_a_game_learns(algorithm, seen, tmp_path):
    train(algorithm, GAME, tmp_path / "run", log="none", steps=4096, evaluations=1)
    for before, after in itertools.pairwise(seen):
        assert not torch.equal(before[1], after[1])
