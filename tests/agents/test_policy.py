"""Trained policies as agents: exported exactly, played without torch, refused where they do not
fit.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import plyground
import pytest
import torch
from command_line import invoke
from helpers import ROOT
from models import Convolutions, new_model
from plyground import make_agent, make_game
from plyground.agents.opponents import make_opponents
from plyground.agents.policies.policy_file import (
    FORMAT,
    TO_COME,
    load_policy_file,
    policy_metadata,
)
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.specification import SpecificationError
from plyground.training.export import PolicyExporter, export_policy, random_observations
from plyground.training.sb3 import BoardVecEnv
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=7,connect=4",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("policies")


@pytest.fixture(scope="module")
def models():
    return {
        spec: new_model(spec, features_extractor_class=Convolutions)
        if "four" in spec
        else new_model(spec)
        for spec in GAMES
    }


@pytest.fixture(scope="module")
def files(models, folder):
    """A policy file for each game."""
    paths = {spec: folder / f"{number}.onnx" for number, spec in enumerate(GAMES)}
    for spec, path in paths.items():
        export_policy(models[spec], path, spec)
    return paths


def torch_outputs(model, observations):
    """What SB3 itself makes of observations: logits relative to each other, and values."""
    model.policy.set_training_mode(False)
    tensor = torch.as_tensor(observations)
    with torch.no_grad():
        return model.policy.get_distribution(
            tensor
        ).distribution.logits.numpy(), model.policy.predict_values(tensor).numpy()[:, 0]


def relative(logits):
    """Logits as log-probabilities."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def assert_agrees(model, path, spec):
    observations = random_observations(make_game(spec), 1000)
    logits, values = load_policy_file(path).evaluate(observations)
    wanted_logits, wanted_values = torch_outputs(model, observations)
    assert np.ptp(wanted_logits) > 0.5
    assert np.allclose(relative(logits), wanted_logits, rtol=1e-5, atol=1e-5)
    assert np.allclose(values, wanted_values, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("spec", GAMES)
def test_the_file_computes_what_the_model_computes(spec, models, files):
    assert_agrees(models[spec], files[spec], spec)


def test_a_model_without_masks_and_with_two_extractors_is_exported_too(tmp_path):
    model = new_model(
        "connect_four", PPO, features_extractor_class=Convolutions, share_features_extractor=False
    )
    export_policy(model, tmp_path / "policy.onnx", "connect_four")
    assert_agrees(model, tmp_path / "policy.onnx", "connect_four")


def test_a_model_that_was_trained_on_is_exported_as_it_is_then(tmp_path):
    model = new_model("connect_four", features_extractor_class=Convolutions)
    exporter = PolicyExporter(model, "connect_four")
    exporter.write(tmp_path / "policy.onnx")
    first = (tmp_path / "policy.onnx").read_bytes()
    model.learn(128)
    exporter.write(tmp_path / "policy.onnx")
    assert_agrees(model, tmp_path / "policy.onnx", "connect_four")
    assert (tmp_path / "policy.onnx").read_bytes() != first


def test_a_file_that_computes_something_else_is_not_written(tmp_path, monkeypatch):
    model = new_model("tic_tac_toe")
    exporter = PolicyExporter(model, "tic_tac_toe")
    exporter.write(tmp_path / "policy.onnx")
    before = (tmp_path / "policy.onnx").read_bytes()
    model.learn(64)
    monkeypatch.setattr(exporter, "_refresh_weights", lambda: None)
    with pytest.raises(
        SpecificationError, match="of the file differ from those of the model by up to"
    ):
        exporter.write(tmp_path / "policy.onnx")
    assert (tmp_path / "policy.onnx").read_bytes() == before


def test_exporting_leaves_the_model_as_it_was(tmp_path):
    model = new_model("connect_four", features_extractor_class=Convolutions)
    model.policy.set_training_mode(True)
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    export_policy(model, tmp_path / "policy.onnx", "connect_four")
    assert model.policy.training
    assert all(
        torch.equal(value, before[name]) for name, value in model.policy.state_dict().items()
    )
    model.learn(64)


def test_the_file_states_what_it_is_for(files):
    stated = {entry.key: entry.value for entry in onnx.load(files[GAMES[2]]).metadata_props}
    assert stated == {
        "plyground.format": FORMAT,
        "plyground.game": "dots_and_boxes:rows=2,cols=2,reward=margin,start=empty",
        "plyground.rules": "dots_and_boxes_v0",
        "plyground.version": plyground.__version__,
        "plyground.kind": "ppo",
        "plyground.value": "to come",
    }


# -- playing --


@pytest.mark.parametrize("spec", GAMES)
def test_the_most_probable_legal_action_is_played_and_analysed(spec, models, files):
    agent, position = make_agent(f"onnx:{files[spec]}", spec), make_game(spec).initial_position()
    while not position.is_over:
        decision = agent.analyse(position)
        legal = position.legal_actions()
        logits, values = torch_outputs(models[spec], position.observation()[None])
        weights = np.exp(logits[0][legal])
        assert list(decision.probabilities) == legal
        assert np.allclose(
            list(decision.probabilities.values()), weights / weights.sum(), atol=1e-5
        )
        assert decision.action == legal[int(np.argmax(weights))]
        assert decision.principal_variation == (decision.action,)
        low, high = position.game.facts.min_return, position.game.facts.max_return
        banked = position.returns[position.to_move]
        assert decision.value == pytest.approx(np.clip(values[0] + banked, low, high), abs=1e-5)
        position.play(decision.action)


@pytest.mark.parametrize("spec", GAMES)
def test_with_symmetries_images_are_played_alike(spec, files):
    agent, game = make_agent(f"onnx:{files[spec]},symmetries=yes", spec), make_game(spec)
    position = game.initial_position()
    for action in (1, 3):
        position.play(action)
    plain = agent.analyse(position)
    for number, permutation in enumerate(game.symmetries):
        image = agent.analyse(position.transformed(number))
        assert image.value == pytest.approx(plain.value, abs=1e-5)
        for action, probability in plain.probabilities.items():
            assert image.probabilities[int(permutation[action])] == pytest.approx(
                probability, abs=1e-5
            )
    assert (
        make_agent(f"onnx:{files[spec]}", spec).analyse(position).probabilities
        != plain.probabilities
    )


def test_a_temperature_draws_actions_as_often_as_the_probabilities_say(files):
    agent, position = (
        make_agent(f"onnx:{files['connect_four']},temperature=2"),
        make_game("connect_four").initial_position(),
    )
    expected = np.array(list(agent.analyse(position).probabilities.values())) ** 0.5
    counts = np.bincount([agent.act(position) for _ in range(4000)], minlength=7)
    assert np.allclose(counts / 4000, expected / expected.sum(), atol=0.03)
    agent.reset(5)
    first = [agent.act(position) for _ in range(20)]
    agent.reset(5)
    assert [agent.act(position) for _ in range(20)] == first


class OneByOne:
    """An agent without its way to answer for many games at once."""

    def __init__(self, agent):
        self.agent = agent
        self.reset, self.act = agent.reset, agent.act

    @property
    def rng(self):
        return self.agent.rng

    @rng.setter
    def rng(self, stream):
        self.agent.rng = stream


@pytest.mark.parametrize(
    "options", ["", ",symmetries=yes", ",temperature=1", ",temperature=0.5,symmetries=yes"]
)
@pytest.mark.parametrize("spec", GAMES)
def test_a_batch_of_games_is_played_as_one_by_one(spec, options, files):
    game = make_game(spec)
    opponents = make_opponents(f"onnx:{files[spec]}{options}", game)
    batched = GameBatch(game, 16, opponents)
    single = GameBatch(game, 16, [one._replace(player=OneByOne(one.player)) for one in opponents])
    batched.reset(seed=5)
    single.reset(seed=5)
    stream = new_stream(1)
    for _ in range(40):
        for name, left, right in zip(batched.state._fields, batched.state, single.state):
            assert np.array_equal(left, right), name
        actions = batched.draw_actions(stream)
        batched.step(actions)
        single.step(actions)
    assert batched.state.episodes.min() > 1


def test_copies_and_pickles_play_on(files):
    agent, position = (
        make_agent(f"onnx:{files['connect_four']}", "connect_four"),
        make_game("connect_four").initial_position(),
    )
    wanted = dataclasses.replace(agent.analyse(position), seconds=0)
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert dataclasses.replace(twin.analyse(position), seconds=0) == wanted


def test_another_content_is_another_version(files):
    versions = {make_agent(f"onnx:{path}").version for path in files.values()}
    assert len(versions) == len(files)


# -- where policies come from --


@pytest.fixture(scope="module")
def archive(models, folder):
    """A model as SB3 saves it."""
    models["connect_four"].save(folder / "model.zip")
    return folder / "model.zip"


def test_a_model_of_sb3_plays_as_its_policy_file_does(archive, files):
    saved, exported = (
        make_agent(f"ppo:{archive},trained_on=(connect_four)"),
        make_agent(f"onnx:{files['connect_four']}"),
    )
    position = make_game("connect_four").initial_position()
    while not position.is_over:
        decision, other = saved.analyse(position), exported.analyse(position)
        assert decision.action == other.action
        assert decision.value == pytest.approx(other.value, abs=1e-5)
        position.play(decision.action)


def test_a_run_folder_plays_its_best_policy(files, tmp_path):
    load_policy_file(files["connect_four"]).write(tmp_path / "best.onnx")
    run, file = (
        make_agent(f"ppo:{tmp_path}", "connect_four"),
        make_agent(f"onnx:{files['connect_four']}"),
    )
    assert run.version == file.version
    assert str(run) == f"ppo:{tmp_path}"
    assert make_agent(f"ppo:{tmp_path},temperature=1").spec == f"ppo:{tmp_path},temperature=1"


BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "onnx"):
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Block())
def refuse(event, arguments):
    if event == "pickle.find_class" and armed:
        raise RuntimeError("something was unpickled: " + str(arguments))
armed = False
sys.addaudithook(refuse)
import plyground
position = plyground.make_game("connect_four").initial_position()
position.play(3)
plyground.make_agent("random").act(position)
agent = plyground.make_agent(sys.argv[1], "connect_four")
agent.get_ready(position.game)
armed = True
agent = plyground.make_agent(sys.argv[1], "connect_four")
print(agent.act(position))
"""


def test_a_policy_file_is_played_without_torch_and_nothing_is_unpickled(files):
    spec = f"onnx:{files['connect_four']}"
    path = os.pathsep.join([str(Path(plyground.__file__).parent.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, spec],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    position = make_game("connect_four").position([3])
    assert int(done.stdout) == make_agent(spec).act(position)


def test_without_onnxruntime_the_error_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        SpecificationError, match=r'needs onnxruntime: pip install "plyground\[policy\]"'
    ):
        make_agent(f"onnx:{files['connect_four']}")


# -- what is refused --


def edited(path, target, change):
    """A copy of an ONNX file after a change."""
    model = onnx.load(path)
    change(model)
    onnx.save(model, target)
    return target


def state(**changes):
    """A change of metadata; None removes."""

    def change(model):
        stated = {entry.key: entry.value for entry in model.metadata_props} | {
            f"plyground.{name}": text for name, text in changes.items()
        }
        del model.metadata_props[:]
        onnx.helper.set_model_props(
            model, {name: text for name, text in stated.items() if text is not None}
        )

    return change


def test_another_game_or_board_is_refused_naming_both(files):
    for spec in ("gomoku:size=9", "connect_four:cols=8"):
        with pytest.raises(
            SpecificationError,
            match=r"is for connect_four:rows=6,cols=7,connect=4, not for "
            + spec.split(":", maxsplit=1)[0],
        ):
            make_agent(f"onnx:{files['connect_four']}", spec)
        with pytest.raises(SpecificationError, match="not for"):
            make_agent(f"onnx:{files['connect_four']}").act(make_game(spec).initial_position())
        with pytest.raises(SpecificationError, match="not for"):
            make_opponents(f"onnx:{files['connect_four']}", make_game(spec))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"rules": "connect_four_v7"},
            "is for connect_four_v7, whose observations or rules are not those of connect_four_v0",
        ),
        (
            {"format": "policy 9"},
            "is a policy file of format 'policy 9', this plyground reads 'policy 1'",
        ),
        ({"format": None}, "is an ONNX file, but no policy of plyground"),
        ({"kind": None}, "lack plyground.kind"),
        ({"value": "good"}, "lack a known plyground.value"),
        (
            {"game": "connect_forty"},
            "is for connect_forty, which cannot be played here: there is no game 'connect_forty'",
        ),
        (
            {"game": "connect_four:rows=5,cols=7,connect=4"},
            r"does not fit its game connect_four:rows=5: it takes observation \[6, 7, 2\]",
        ),
    ],
)
def test_metadata_that_do_not_fit_are_refused(changes, complaint, files, tmp_path):
    path = edited(files["connect_four"], tmp_path / "edited.onnx", state(**changes))
    with pytest.raises(SpecificationError, match=complaint):
        make_agent(f"onnx:{path}")


def test_files_that_are_damaged_missing_or_no_policies_are_refused(files, tmp_path):
    data = files["connect_four"].read_bytes()
    for name, content in (
        ("cut", data[: len(data) // 2]),
        ("empty", b""),
        ("text", b"hello\n"),
        ("tail", data[:-1]),
    ):
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(content)
        with pytest.raises(SpecificationError) as caught:
            make_agent(f"onnx:{path}")
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    for spec, complaint in (
        ("onnx:nowhere.onnx", "there is no policy file 'nowhere.onnx'"),
        (f"onnx:{tmp_path}", "cannot be read: Is a directory"),
        ("onnx", "write onnx:FILE"),
        ("ppo", "write ppo:RUN"),
        ("ppo:nowhere", "there is no training run 'nowhere'"),
        (f"ppo:{tmp_path}", "has no best.onnx"),
        ("ppo:nowhere.zip", "does not state its game; add trained_on="),
        ("ppo:nowhere.zip,trained_on=connect_four", "there is no file 'nowhere.zip'"),
        (
            f"ppo:{tmp_path},trained_on=connect_four",
            "trained_on=connect_four is for models of stable-baselines3",
        ),
        (
            f"onnx:{files['connect_four']},temperature=-1",
            "temperature must be a number from 0 to 100",
        ),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            make_agent(spec)


def test_a_model_that_computes_no_numbers_is_refused(files, tmp_path):
    def spoil(model):
        weights = model.graph.initializer[0]
        weights.CopyFrom(
            onnx.numpy_helper.from_array(
                np.full_like(onnx.numpy_helper.to_array(weights), np.nan), weights.name
            )
        )

    path = edited(files["tic_tac_toe"], tmp_path / "edited.onnx", spoil)
    with pytest.raises(SpecificationError, match="not all finite numbers"):
        make_agent(f"onnx:{path}")


def test_outputs_of_other_shapes_are_refused(tmp_path):
    nodes = [
        onnx.helper.make_node("Flatten", ["observation"], ["logits"]),
        onnx.helper.make_node("ReduceMax", ["logits"], ["value"]),
    ]
    tensors = [
        onnx.helper.make_tensor_value_info("observation", onnx.TensorProto.FLOAT, ["n", 3, 3, 2])
    ]
    outputs = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        for name in ("logits", "value")
    ]
    model = onnx.helper.make_model(
        onnx.helper.make_graph(nodes, "odd", tensors, outputs),
        ir_version=10,
        opset_imports=[onnx.helper.make_opsetid("", 20)],
    )
    onnx.helper.set_model_props(model, policy_metadata(make_game("tic_tac_toe"), "odd", TO_COME))
    onnx.save(model, tmp_path / "odd.onnx")
    with pytest.raises(SpecificationError, match=r"gives logits of shape \(2, 18\)"):
        make_agent(f"onnx:{tmp_path / 'odd.onnx'}")


def test_models_that_are_no_policies_or_of_another_board_are_not_exported(models, tmp_path):
    target = tmp_path / "policy.onnx"
    target.write_bytes(b"as it was")
    dqn = DQN("MlpPolicy", BoardVecEnv("tic_tac_toe", 1, "random"), buffer_size=10)
    spoilt = new_model("tic_tac_toe")
    with torch.no_grad():
        spoilt.policy.action_net.bias.fill_(float("nan"))
    for model, spec, complaint in (
        (
            models["connect_four"],
            "connect_four:rows=5",
            r"takes observations of shape \(6, 7, 2\) and has 7 actions; connect_four:rows=5 is "
            r"observed",
        ),
        (dqn, "tic_tac_toe", "is a DQN; policies are taken from PPO and MaskablePPO"),
        (spoilt, "tic_tac_toe", "not all finite numbers"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            export_policy(model, target, spec)
    assert target.read_bytes() == b"as it was"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(SpecificationError, match="cannot be written: No such file or directory"):
        export_policy(models["tic_tac_toe"], tmp_path / "no" / "policy.onnx", "tic_tac_toe")


def test_a_full_disk_leaves_the_last_good_file(models, files, tmp_path, monkeypatch):
    target = tmp_path / "policy.onnx"
    load_policy_file(files["tic_tac_toe"]).write(target)
    before = target.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpecificationError, match="cannot be written: No space left on device"):
        export_policy(models["tic_tac_toe"], target, "tic_tac_toe")
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


# -- the command line --


def run_command(*arguments):
    return invoke(arguments)


def test_the_command_exports_runs_and_models(archive, files, tmp_path):
    load_policy_file(files["connect_four"]).write(tmp_path / "best.onnx")
    for arguments in ((tmp_path,), (archive, "--trained-on", "connect_four")):
        out = tmp_path / "out.onnx"
        result = run_command("export-policy", *arguments, "--out", out)
        assert result.exit_code == 0, result.output
        assert f"{out}: a policy for connect_four" in result.stdout
        position = make_game("connect_four").initial_position()
        assert make_agent(f"onnx:{out}").act(position) == make_agent(
            f"onnx:{files['connect_four']}"
        ).act(position)
        out.unlink()


def test_the_command_refuses_bad_input_in_one_sentence(archive, tmp_path):
    for arguments, complaint in (
        (("nowhere", "--out", tmp_path / "a.onnx"), "there is no training run 'nowhere'"),
        ((archive, "--out", tmp_path / "a.onnx"), "does not state its game; add --trained-on GAME"),
        (
            (archive, "--trained-on", "tic_tac_toe", "--out", tmp_path / "a.onnx"),
            "takes observations of shape",
        ),
        (
            (tmp_path, "--trained-on", "tic_tac_toe", "--out", tmp_path / "a.onnx"),
            "states its own game",
        ),
        ((tmp_path, "--out", tmp_path / "a.txt"), "must end in .onnx"),
    ):
        result = run_command("export-policy", *arguments)
        assert result.exit_code == 2
        assert complaint in result.stderr
        assert result.stderr.count("\n") == 1
    assert not (tmp_path / "a.onnx").exists()


def test_analyse_shows_the_networks_probabilities(files):
    spec = f"onnx:{files['connect_four']}"
    shown = run_command("analyse", "connect_four", "--agent", spec)
    assert "network" in shown.stdout
    assert shown.stdout.count("%") == 7
    known = json.loads(run_command("analyse", "connect_four", "--agent", spec, "--json").stdout)
    assert sum(action["probability"] for action in known["actions"]) == pytest.approx(1)
    assert [action["value"] is None for action in known["actions"]] == [False] + [True] * 6


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
    guided = f"mcts:simulations=50,network={tmp_path}"
    options = ("--pairs", "20", "--store", tmp_path / "games.db", "--json")
    result = run_command("tournament", "tic_tac_toe", f"ppo:{tmp_path}", guided, "random", *options)
    assert result.exit_code == 0, result.output
    scores = {agent["agent"]: agent["score"] for agent in json.loads(result.stdout)["agents"]}
    assert scores[f"ppo:{tmp_path}"] > scores["random"]
    assert scores[guided] > scores["random"]


def test_the_example_compares_a_policy_with_search(files, capsys):
    spec = importlib.util.spec_from_file_location(
        "policy_against_search", ROOT / "examples" / "policy_against_search.py"
    )
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    table = example.main(["--policy", str(files["tic_tac_toe"]), "--pairs", "2"])
    assert table.games > 0
    assert "policy in mcts" in capsys.readouterr().out
