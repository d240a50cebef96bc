"""Trained policies on the command line: exported, analysed, in a tournament."""

from __future__ import annotations

import json

import pytest
from command_line import done, plyground, refused
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.training.export import export_policy
from plyground.training.sb3 import BoardVecEnv
from sb3_contrib import MaskablePPO

pytestmark = pytest.mark.thorough


def test_the_command_exports_runs_and_models(archive, files, tmp_path):
    load_policy_file(files["connect_four"]).write(tmp_path / "best.onnx")
    for arguments in ((tmp_path,), (archive, "--trained-on", "connect_four")):
        out = tmp_path / "out.onnx"
        result = done("export-policy", *arguments, "--out", out)
        assert f"{out}: a policy for connect_four" in result.stdout
        position = make_game("connect_four").initial_position()
        assert make_agent(f"onnx:{out}").act(position) == make_agent(
            f"onnx:{files['connect_four']}"
        ).act(position)
        out.unlink()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("nowhere --out a.onnx", "there is no policy file or training run 'nowhere'"),
        ("MODEL --out a.onnx", "does not state its game; add --trained-on GAME"),
        ("MODEL --trained-on tic_tac_toe --out a.onnx", "takes observations of shape"),
        (". --trained-on tic_tac_toe --out a.onnx", "states its own game"),
        (". --out a.txt", "must end in .onnx"),
    ],
)
def test_the_command_refuses_bad_input_in_one_sentence(
    words, complaint, archive, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert complaint in refused("export-policy", *words.replace("MODEL", str(archive)).split())
    assert not list(tmp_path.iterdir())


def test_analyse_shows_the_networks_probabilities(files):
    spec = f"onnx:{files['connect_four']}"
    text = plyground("analyse", "connect_four", "--agent", spec)
    assert "network" in text.stdout
    assert text.stdout.count("%") == 7
    data = json.loads(plyground("analyse", "connect_four", "--agent", spec, "--json").stdout)
    assert sum(action["probability"] for action in data["actions"]) == pytest.approx(1)
    assert [action["value"] is None for action in data["actions"]] == [False] + [True] * 6


def test_a_policy_trained_for_a_second_is_exported_and_plays_a_tournament(tmp_path):
    model = MaskablePPO(
        "MlpPolicy",
        BoardVecEnv("tic_tac_toe", 64, "random"),
        n_steps=16,
        batch_size=512,
        gamma=1.0,
        device="cpu",
        seed=1,
    )
    model.learn(16_000)
    export_policy(model, tmp_path / "best.onnx", "tic_tac_toe")
    search = f"mcts:simulations=50,network={tmp_path}"
    options = ("--pairs", "20", "--store", tmp_path / "games.db", "--json")
    result = done("tournament", "tic_tac_toe", f"ppo:{tmp_path}", search, "random", *options)
    scores = {agent["agent"]: agent["score"] for agent in json.loads(result.stdout)["agents"]}
    assert scores[f"ppo:{tmp_path}"] > scores["random"]
    assert scores[search] > scores["random"]
