"""`--seeds` trains several seeds in one command, each as a command of its own would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import invoke
from plyground.commands import app
from plyground.commands.app import words_with
from plyground.commands.learning.runs import RunOptions
from plyground.training.checkpoints import unpack
from plyground.training.folder import newest_checkpoint, read_run
from plyground.training.ppo.settings import PPOSettings

pytest.importorskip("sb3_contrib")
QUICK = ("games=32", "rollout=8", "batch_size=64", "dense=32", "evaluation_pairs=2", "epochs=1")
START_SECONDS = 120


def command(out, *options, steps="512"):
    words = ["train", "ppo", "tic_tac_toe", "--out", str(out), "--opponent", "random"]
    words += ["--steps", steps, "--evaluate", "random", "--log", "none", *options]
    return words + [part for text in QUICK for part in ("--set", text)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("train --seeds 3 --out a --set x=1", "train --set x=1 --seed 2 --out b"),
        ("train --seeds=3 --out=a --seed 7 --set x=1", "train --set x=1 --seed 2 --out b"),
        ("train --set x=1 --set x=1", "train --set x=1 --set x=1 --seed 2 --out b"),
    ],
)
def test_a_command_line_gets_other_values_of_options(given, expected):
    token = app._words.set(tuple(given.split()))
    try:
        words = words_with({"--seed": "2", "--out": "b", "--seeds": None})
    finally:
        app._words.reset(token)
    assert words == expected.split()


def test_one_seed_has_the_folder_itself_and_several_have_folders_in_it(tmp_path):
    assert RunOptions(out=tmp_path, seed=4).folders() == {4: tmp_path}
    several = RunOptions(out=tmp_path, seed=4, seeds=2).folders()
    assert several == {4: tmp_path / "seed_4", 5: tmp_path / "seed_5"}
    assert RunOptions().begun(PPOSettings) == {}


def weights(run: Path):
    return unpack(newest_checkpoint(run))["learner"]["policy"]


@pytest.mark.thorough
def test_seeds_learn_what_commands_of_their_own_learn_and_go_on_where_they_ended(tmp_path):
    import torch

    both = invoke([*command(tmp_path / "both"), "--seeds", "2", "--seed", "3", "--json"])
    assert both.exit_code == 0, both.stderr
    results = json.loads(both.stdout)
    assert [(each["seed"], each["steps"]) for each in results] == [(3, 512), (4, 512)]
    alone = invoke([*command(tmp_path / "alone"), "--seed", "4", "--json"])
    assert json.loads(alone.stdout)["scores"] == results[1]["scores"]
    one, other = weights(tmp_path / "both" / "seed_4"), weights(tmp_path / "alone")
    assert all(torch.equal(one[name], other[name]) for name in one)
    # longer: each goes on with the settings that it began with
    longer = invoke([*command(tmp_path / "both", steps="768"), "--seeds", "2", "--seed", "3"])
    assert longer.exit_code == 0, longer.stderr
    assert longer.stdout.splitlines()[0].startswith("seed 3: random: ")
    assert "seed 4: resumed at step 512 of 768" in longer.stderr
    assert read_run(tmp_path / "both" / "seed_3")["description"]["steps"] == 768


@pytest.mark.thorough
def test_a_seed_that_fails_is_named_and_the_others_come_to_their_end(tmp_path):
    (tmp_path / "runs" / "seed_1").mkdir(parents=True)
    (tmp_path / "runs" / "seed_1" / "letter.txt").write_text("no run")
    result = invoke([*command(tmp_path / "runs"), "--seeds", "2"])
    assert result.exit_code == 2
    assert "seed 1: plyground: " in result.stderr
    assert "is not the folder of a training run" in result.stderr
    assert "plyground: seed 1: the run did not finish" in result.stderr
    assert "The same command resumes it: plyground train ppo" in result.stderr
    assert newest_checkpoint(tmp_path / "runs" / "seed_2") is not None


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows passes no signal on")
def test_ctrl_c_lets_every_seed_write_a_checkpoint(tmp_path):
    words = command(tmp_path / "runs", "--seeds", "2", steps="100M")
    with subprocess.Popen(
        [sys.executable, "-m", "plyground.cli", *words], stderr=subprocess.PIPE, text=True
    ) as process:
        metrics = [tmp_path / "runs" / f"seed_{seed}" / "metrics.jsonl" for seed in (1, 2)]
        until = time.monotonic() + START_SECONDS
        begun = metrics if len(os.sched_getaffinity(0)) > 1 else metrics[:1]
        while not all(path.exists() for path in begun) and time.monotonic() < until:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert f"stopped; the checkpoints are in {tmp_path / 'runs'}. To go on:" in said
    for path in begun:
        steps = [int(each.stem) for each in (path.parent / "checkpoints").iterdir()]
        assert max(steps) == json.loads(path.read_text().splitlines()[-1])["step"] > 0
