"""Policies that do not fit, are damaged or cannot be written are refused in one sentence."""

from __future__ import annotations

import os
import zipfile
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
import torch
from models import new_model
from plyground import make_agent, make_game
from plyground.agents.opponents import make_opponents
from plyground.agents.policies.compiled import program
from plyground.agents.policies.policy_file import TO_COME, load_policy_file, policy_metadata
from plyground.envs.specification import SpecificationError
from plyground.training.export import export_policy
from stable_baselines3 import SAC


def edit(path, target, change):
    """A copy of an ONNX file after a change."""
    model = onnx.load(path)
    change(model)
    onnx.save(model, target)
    return target


def state(**changes):
    """A change of metadata; None removes."""

    def change(model):
        metadata = {entry.key: entry.value for entry in model.metadata_props} | {
            f"plyground.{name}": text for name, text in changes.items()
        }
        del model.metadata_props[:]
        onnx.helper.set_model_props(
            model, {name: text for name, text in metadata.items() if text is not None}
        )

    return change


@pytest.mark.parametrize("spec", ["gomoku:size=9", "connect_four:cols=8"])
def test_another_game_or_board_is_refused_naming_both(spec, files):
    agent, game = f"onnx:{files['connect_four']}", make_game(spec)
    message = f"is for connect_four:rows=6,cols=7,connect=4, not for {game.name}"
    with pytest.raises(SpecificationError, match=message):
        make_agent(agent, spec)
    with pytest.raises(SpecificationError, match="not for"):
        make_agent(agent).act(game.initial_position())
    with pytest.raises(SpecificationError, match="not for"):
        make_opponents(agent, game)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rules": "connect_four_v7"}, "whose rules are not those of connect_four_v0"),
        ({"format": "policy 9"}, "of format 'policy 9', this plyground reads 'policy 1'"),
        ({"format": None}, "is an ONNX file, but not a policy of plyground"),
        ({"kind": None}, "lack plyground.kind"),
        ({"value": "good"}, "lack a known plyground.value"),
        ({"game": "connect_forty"}, "cannot be played here: there is no game 'connect_forty'"),
        ({"game": "connect_four:rows=5"}, r"rows=5: it takes observation \[6, 7, 2\]"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(changes, complaint, files, tmp_path):
    path = edit(files["connect_four"], tmp_path / "edit.onnx", state(**changes))
    with pytest.raises(SpecificationError, match=complaint):
        make_agent(f"onnx:{path}")


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"hello\n",
     lambda data: data[:-1]],
    ids=["cut", "empty", "text", "without its last byte"],
)  # fmt: skip
def test_damaged_files_are_refused_with_their_path(damage, files, tmp_path):
    path = tmp_path / "damaged.onnx"
    path.write_bytes(damage(files["connect_four"].read_bytes()))
    with pytest.raises(SpecificationError, match=rf"^[^\n]*{path}[^\n]*$"):
        make_agent(f"onnx:{path}")


def test_a_model_that_computes_no_numbers_is_refused(files, tmp_path):
    def spoil(model):
        weights = model.graph.initializer[0]
        weights.CopyFrom(
            onnx.numpy_helper.from_array(
                np.full_like(onnx.numpy_helper.to_array(weights), np.nan), weights.name
            )
        )

    path = edit(files["tic_tac_toe"], tmp_path / "edit.onnx", spoil)
    with pytest.raises(SpecificationError, match="returned NaN or infinity"):
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
    recurrent = SimpleNamespace(policy=SimpleNamespace(lstm_actor=None))
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
        (recurrent, "tic_tac_toe", "policies are taken from PPO, MaskablePPO, A2C, DQN and QR-DQN"),
        (spoilt, "tic_tac_toe", "returned NaN or infinity"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            export_policy(model, target, spec)
    assert target.read_bytes() == b"as it was"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(SpecificationError, match="cannot be written: No such file or directory"):
        export_policy(models["tic_tac_toe"], tmp_path / "no" / "policy.onnx", "tic_tac_toe")


def test_a_file_of_which_the_kernel_makes_something_else_is_not_exported(
    models, files, tmp_path, monkeypatch
):
    assert load_policy_file(files["tic_tac_toe"]).evaluator.startswith("compiled kernel")
    monkeypatch.setitem(program.FUNCTIONS, "Tanh", program.e.SIGMOID)
    with pytest.raises(SpecificationError, match="logits of the file and of the model differ"):
        export_policy(models["tic_tac_toe"], tmp_path / "policy.onnx", "tic_tac_toe")
    assert not list(tmp_path.iterdir())


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


def test_a_model_of_another_algorithm_is_refused_by_its_name(tmp_path):
    SAC("MlpPolicy", "Pendulum-v1", buffer_size=10, device="cpu").save(tmp_path / "sac.zip")
    with pytest.raises(SpecificationError, match="was saved by SAC; the models that play from"):
        make_agent(f"sb3:{tmp_path / 'sac.zip'},trained_on=tic_tac_toe")


def test_a_model_with_objects_among_its_weights_is_refused_without_advice_to_load_them(
    archive, tmp_path
):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "hacked"),)

    with zipfile.ZipFile(archive) as model, zipfile.ZipFile(tmp_path / "evil.zip", "w") as evil:
        for name in set(model.namelist()) - {"policy.pth"}:
            evil.writestr(name, model.read(name))
        torch.save({"weights": Evil()}, tmp_path / "policy.pth")
        evil.write(tmp_path / "policy.pth", "policy.pth")
    with pytest.raises(SpecificationError, match="it holds objects of other kinds") as complaint:
        make_agent(f"sb3:{tmp_path / 'evil.zip'},trained_on=(connect_four)")
    assert "weights_only" not in str(complaint.value)
    assert not (tmp_path / "hacked").exists()
