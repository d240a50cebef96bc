"""What a run's folder holds is read by the types of its settings; a run is never begun over."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import plyground as command
from command_line import refused
from fuzzing.sound_files import STEPS, training
from plyground.envs.loading.records import check_value
from plyground.envs.loading.settings import parameters_of
from plyground.envs.specification import SpecificationError
from plyground.training.api import SETTINGS
from plyground.training.folder import TrainingError, read_metrics, read_run

RESUME, LONGER = training("ppo", "run"), training("ppo", "run", steps=2 * STEPS["ppo"])
# field, value, what is allowed
EDITS = [
    ("game", ["gomoku"], "a text"),
    ("game_version", True, "a whole number of at least 0"),
    ("seed", 10**30, "a whole number of at least 0"),
    ("learning_rate", float("nan"), "a number of at least 1e-12"),
    ("precision", "int4", "one of auto, float32, bfloat16"),
]


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("field", "value", "allowed"), EDITS)
def test_an_edited_description_is_refused_by_field_value_and_what_is_allowed(
    field, value, allowed, ppo_run
):
    path = ppo_run / "run.json"
    facts = json.loads(path.read_text())
    facts["description"][field] = value
    path.write_text(json.dumps(facts))
    before = contents(ppo_run)
    sentence = f"run/run.json: description.{field} is {json.dumps(value)}; it must be {allowed}\n"
    assert refused(*RESUME).endswith(sentence)
    assert contents(ppo_run) == before


@pytest.mark.parametrize("algorithm", list(SETTINGS))
def test_every_setting_is_checked_as_its_type_declares_it(algorithm):
    kind = SETTINGS.get(algorithm)
    for parameter in parameters_of(kind):
        check_value({parameter.name: parameter.default}, kind, "run.json", more=True)
        wrong = [[], {}, None, float("nan"), 3 if parameter.kind in (str, bool) else "3"]
        wrong += [parameter.low - 1] if parameter.low > -1e300 else []
        wrong += ["other"] if parameter.choices else []
        for value in wrong:
            with pytest.raises(SpecificationError, match=f"^run.json: {parameter.name} is .* must"):
                check_value({parameter.name: value}, kind, "run.json", more=True)


@pytest.mark.parametrize("name", ["algorithm", "game", "game_version", "seed"])
def test_a_description_without_what_every_run_has_is_refused(name, ppo_run):
    facts = json.loads((ppo_run / "run.json").read_text())
    del facts["description"][name]
    (ppo_run / "run.json").write_text(json.dumps(facts))
    with pytest.raises(TrainingError, match=f"run.json: description lacks {name}$"):
        read_run(ppo_run)


@pytest.mark.parametrize("part", ["folder", "content", "file"])
def test_a_run_without_its_checkpoints_is_never_begun_over(part, ppo_run):
    folder = ppo_run / "checkpoints"
    if part == "file":
        for path in folder.iterdir():
            path.write_bytes(b"")
    else:
        shutil.rmtree(folder)
        if part == "content":
            folder.mkdir()
    before = contents(ppo_run)
    sentence = refused(*RESUME)
    assert "has no intact checkpoint" in sentence
    assert "another run would overwrite its metrics.jsonl and best.onnx and snapshots" in sentence
    assert contents(ppo_run) == before


def test_a_run_whose_checkpoint_is_refused_is_not_called_longer(ppo_run):
    path = max((ppo_run / "checkpoints").iterdir())
    path.rename(path.with_name("000000009999.checkpoint"))
    before = contents(ppo_run)
    assert "is no checkpoint of its step, but of 128" in refused(*LONGER)
    assert contents(ppo_run) == before


def test_lines_of_metrics_that_are_no_rows_stay_and_others_are_named(ppo_run):
    path = ppo_run / "metrics.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"\xff?\n", *lines[1:]]) + b'{"step": 1')
    assert command(*RESUME).exit_code == 0
    assert path.read_bytes() == b"".join([lines[0], b"\xff?\n", *lines[1:]])
    path.write_bytes(lines[0] + lines[1].replace(b'"step": ', b'"step": -'))
    with pytest.raises(TrainingError, match=r"metrics.jsonl, line 2: step is -.*at least 0"):
        list(read_metrics(ppo_run))
    before = contents(ppo_run)
    assert "metrics.jsonl, line 2: step is -" in refused(*RESUME)
    assert contents(ppo_run) == before
