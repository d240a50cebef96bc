"""PPO goes on from policies that AlphaZero and supervised learning left."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.agents.policies.zoo import ZooNetworks
from plyground.envs import SpecificationError
from plyground.training import TrainingError
from plyground.training.api import train
from plyground.training.export import random_observations

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
GAME = make_game("tic_tac_toe")
RUN = {
    "games": 32, "rollout": 8, "batch_size": 64, "steps": 256,
    "opponent": "mix:0.5 random,0.5 self", "precision": "float32", "log": "none",
}  # fmt: skip


def outputs(network):
    """Probabilities and values in some positions."""
    logits, values = network.evaluate(random_observations(GAME, 50))
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True), values


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """A run of AlphaZero, which ends before it learns much, and its policy."""
    folder = tmp_path_factory.mktemp("left") / "run"
    sizes = {"games": 16, "simulations": "9", "batch_size": 64, "trunk": "dense", "channels": 2}
    train("alphazero", GAME, folder, hours=0, steps=200, workers=1, log="none", **sizes)
    return folder


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("kind", ["file", "zoo", "run"])
def test_it_begins_as_that_policy_and_learns(kind, left, tmp_path):
    source = {"zoo": "zoo:tic_tac_toe", "run": str(left), "file": str(left / "best.onnx")}[kind]
    first = ZooNetworks("tic_tac_toe").for_game(GAME) if kind == "zoo" else load_policy_file(left)
    for rate, changes in (1e-12, False), (0.01, True):
        folder = tmp_path / str(changes)
        train("ppo", GAME, folder, initial=source, learning_rate=rate, **RUN)
        after = outputs(load_policy_file(folder))
        for one, other in zip(outputs(first), after):
            assert np.allclose(one, other, atol=1e-3) != changes


def test_a_run_from_such_a_policy_is_continued(tmp_path):
    """With twice the steps from the start, and with as many in two commands."""
    values = RUN | {"initial": "zoo:tic_tac_toe", "hours": 0}
    train("ppo", GAME, tmp_path / "run", **values)
    before = outputs(load_policy_file(tmp_path / "run"))
    run = train("ppo", GAME, tmp_path / "run", **values | {"steps": 512})
    assert run.step == 512
    after = outputs(load_policy_file(tmp_path / "run"))
    assert not np.allclose(before[0], after[0], atol=1e-6)


def test_what_others_left_for_another_game_is_refused(left, tmp_path):
    with pytest.raises(SpecificationError, match="zoo:connect_four plays connect_four, not tic"):
        train("ppo", GAME, tmp_path / "one", initial="zoo:connect_four", **RUN)
    with pytest.raises(SpecificationError, match="not for tic_tac_toe:rows=4"):
        train("ppo", "tic_tac_toe:size=4", tmp_path / "two", initial=str(left), **RUN)


def test_a_policy_file_of_ppo_is_no_start(tmp_path):
    train("ppo", GAME, tmp_path / "first", dense="16", **RUN)
    source = str(tmp_path / "first" / "best.onnx")
    with pytest.raises(TrainingError, match="it is a run of PPO, or a policy that AlphaZero or"):
        train("ppo", GAME, tmp_path / "second", initial=source, **RUN)
