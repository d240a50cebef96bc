"""A file of another format is refused in one sentence that says both, and is left as it is."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from command_line import refused
from fuzzing.sound_files import BOOK, STEPS, copy_sound, training

FURTHER = training("ppo", "ppo", steps=2 * STEPS["ppo"])


def policy(path):
    model = onnx.load(path)
    next(one for one in model.metadata_props if one.key == "plyground.format").value = "policy 99"
    onnx.save(model, path)


def dataset(path):
    with np.load(path) as file:
        arrays = dict(file)
    text = json.dumps(json.loads(str(arrays["plyground"])) | {"schema": 99})
    np.savez(path, **arrays | {"plyground": np.array(text)})


def replacing(old, new):
    def replace(path):
        content = path.read_bytes()
        assert old in content
        path.write_bytes(content.replace(old, new, 1))

    return replace


# The file, how another format is made of it, a command that reads it; of stores see
# tests/evaluation/store/test_store.py.
KINDS = {
    "ppo/run.json": (replacing(b'"format": 1', b'"format": 99'), FURTHER),
    "ppo/checkpoints/*": (replacing(b"checkpoint 1", b"checkpoint 99"), FURTHER),
    "ppo/best.onnx": (policy, ["analyse", "tic_tac_toe", "--agent", "onnx:ppo/best.onnx"]),
    "plain.book": (replacing(b'"version": 2', b'"version": 99'), BOOK),
    "plain.npz": (
        dataset,
        ["train", "supervised", "tic_tac_toe", "--data", "plain.npz", "--out", "new"],
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return tmp_path_factory.mktemp("sound")


@pytest.mark.parametrize("name", KINDS)
def test_another_format_is_refused(name, sound, tmp_path):
    spoil, words = KINDS[name]
    copy_sound(sound, tmp_path, name.partition("/")[0])
    path = max(tmp_path.glob(name))
    spoil(path)
    before = path.read_bytes()
    said = refused(*words)
    assert "99" in said
    assert "this plyground reads" in said
    assert path.read_bytes() == before
