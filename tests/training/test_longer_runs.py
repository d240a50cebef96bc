"""Runs that begin with another's weights, runs that become longer, and runs from Python."""

from __future__ import annotations

import json

import pytest
from helpers import SMALL_RUN
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.training import train
from plyground.training.checkpoints import unpack
from plyground.training.dqn.settings import DQNSettings
from plyground.training.folder import TrainingError, begun_settings, newest_checkpoint, read_metrics
from plyground.training.ppo.settings import PPOSettings

pytestmark = pytest.mark.thorough

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # several threads wait for each other where the processor is shared


def weights(folder):
    return unpack(newest_checkpoint(folder))["learner"]["policy"]


def test_a_run_goes_on_with_its_own_settings_whatever_the_defaults_are(tmp_path):
    train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN | {"clip": 0.3, "gamma": 0.9})
    train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN | {"steps": 1024})
    description = json.loads((tmp_path / "run" / "run.json").read_text())["description"]
    assert [description[name] for name in ("clip", "gamma", "steps")] == [0.3, 0.9, 1024]


def test_a_finished_run_goes_on_when_it_is_to_be_longer(tmp_path):
    notes = []
    train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN)
    longer = train(
        "ppo", "tic_tac_toe", tmp_path / "run", on_note=notes.append, **SMALL_RUN | {"steps": 1024}
    )
    assert notes == [f"resumed at step 512 of 1,024 from {tmp_path / 'run'}"]
    assert longer.step == 1024
    steps = [row["step"] for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    assert steps == [256, 512, 768, 1024]
    description = json.loads((tmp_path / "run" / "run.json").read_text())["description"]
    assert description["steps"] == 1024
    with pytest.raises(TrainingError, match="steps is 1024 there and 512 here"):
        train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN)
    with pytest.raises(TrainingError, match="epochs is 1 there and 2 here"):
        train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN | {"steps": 2048, "epochs": 2})


def test_a_run_that_becomes_longer_keeps_what_followed_its_budget(tmp_path):
    game, changes = make_game("connect_four"), SMALL_RUN | {"steps": 256}
    del changes["opponent"]
    train("ppo", game, tmp_path / "run", **changes)
    begun = begun_settings(tmp_path / "run", PPOSettings)
    short, long = PPOSettings.for_game(game, changes), changes | {"steps": 10**8}
    assert PPOSettings.for_game(game, long).opponent != short.opponent
    assert PPOSettings.for_game(game, long, begun=begun).opponent == short.opponent
    train("ppo", game, tmp_path / "run", **changes | {"steps": 512})
    assert begun_settings(tmp_path / "run", DQNSettings) == {}
    assert begun_settings(tmp_path / "none", PPOSettings) == begun_settings(None, PPOSettings) == {}


def test_a_run_that_lacks_a_setting_is_another_run(tmp_path):
    train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN)
    path = tmp_path / "run" / "run.json"
    description = json.loads(path.read_text())
    del description["description"]["initial"]
    path.write_text(json.dumps(description))
    with pytest.raises(TrainingError, match='initial is null there and "" here'):
        train("ppo", "tic_tac_toe", tmp_path / "run", **SMALL_RUN)


def test_a_run_begins_with_the_weights_of_another(tmp_path):
    train("ppo", "tic_tac_toe", tmp_path / "first", **SMALL_RUN | {"learning_rate": 0.01})
    still = SMALL_RUN | {"initial": str(tmp_path / "first"), "learning_rate": 1e-12}
    train("ppo", "tic_tac_toe", tmp_path / "second", seed=2, **still)
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)


def test_weights_that_do_not_fit_or_are_not_there_are_refused(tmp_path):
    train("ppo", "tic_tac_toe", tmp_path / "first", **SMALL_RUN)
    for initial, changes, complaint in (
        ("first", {"dense": "16"}, "its network has another shape; the game and the settings"),
        ("nowhere", {}, "it has no intact checkpoint"),
    ):
        values = SMALL_RUN | changes | {"initial": str(tmp_path / initial)}
        with pytest.raises(TrainingError, match=complaint):
            train("ppo", "tic_tac_toe", tmp_path / complaint[:8], **values)


def test_from_python_what_does_not_exist_is_refused(tmp_path):
    with pytest.raises(SpecificationError, match="there is no algorithm 'reinforce'"):
        train("reinforce", "tic_tac_toe", tmp_path / "run")
    with pytest.raises(SpecificationError, match="there is no setting 'lerning_rate'"):
        train("ppo", "tic_tac_toe", tmp_path / "run", lerning_rate=0.1)
    assert not (tmp_path / "run").exists()
