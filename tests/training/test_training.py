"""Training runs: they learn, resume after any interruption, and end clearly where they cannot go
on.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys

import pytest
from plyground import make_game
from plyground.commands.learning.runs import ProgressBar
from plyground.envs.specification import SpecificationError
from plyground.training.folder import TrainingError, newest_checkpoint, read_metrics
from plyground.training.ppo.settings import PPOSettings

pytest.importorskip("sb3_contrib")
import torch
from plyground.training.checkpoints import pack, unpack
from plyground.training.ppo.train import train
from plyground.training.run import Progress
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
SMALL = (
    *("games=32", "rollout=8", "batch_size=64", "dense=32", "precision=float32", "epochs=2"),
    *("opening_plies=2", "evaluation_pairs=10"),
)
OPPONENT = "mix:0.4 random,0.3 greedy,0.3 self"


def small_settings(steps=2048, opponent=OPPONENT, game="tic_tac_toe", **changes):
    return PPOSettings.for_game(
        make_game(game),
        {"steps": steps, "opponent": opponent},
        [*SMALL, *(f"{name}={value}" for name, value in changes.items())],
    )


def run_in(folder, settings, game="tic_tac_toe", seed=1, **options):
    return train(make_game(game), settings, seed, folder, {}, **options)


def weights(folder):
    return unpack(newest_checkpoint(folder))["learner"]["policy"]


def newest_step(folder):
    return max(int(path.stem) for path in folder.glob("checkpoints/*.checkpoint"))


def assert_same_weights(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def run_and_stop(settings, folder, updates, seed=1):
    """A run that stops dead in the update after some, which ended with a checkpoint."""

    class Stop(Exception):
        pass

    steps = []

    def after(progress):
        steps.append(progress.step)
        if len(steps) > updates:
            raise Stop

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
        with pytest.raises(Stop):
            run_in(folder, settings, seed=seed, on_progress=after)


def test_a_finished_run_says_so_and_changes_nothing(tmp_path):
    settings, notes = small_settings(steps=512), []
    run_in(tmp_path / "run", settings)
    before = weights(tmp_path / "run")
    run = run_in(tmp_path / "run", settings, on_note=notes.append)
    assert notes == ["the run is finished: 512 steps; there is nothing to do"]
    assert not run.finished_now
    assert_same_weights(before, weights(tmp_path / "run"))


def test_another_seed_learns_other_weights(tmp_path):
    settings = small_settings(steps=512)
    run_in(tmp_path / "one", settings, seed=1)
    run_in(tmp_path / "two", settings, seed=2)
    one, two = weights(tmp_path / "one"), weights(tmp_path / "two")
    assert any(not torch.equal(one[name], two[name]) for name in one)


def command(folder, *options):
    settings = [part for text in SMALL for part in ("--set", text)]
    arguments = ["train", "ppo", "tic_tac_toe", "--opponent", OPPONENT, "--evaluate", "random"]
    program = [sys.executable, "-m", "plyground.cli", *arguments]
    return [*program, "--out", str(folder), *settings, *options]


def test_scores_are_printed_once_with_the_step_of_their_policy():
    notes = []
    bar = ProgressBar(lambda progress: "")
    bar.note = notes.append
    for step, evaluated, is_new in ((300, 200, False), (500, 400, True), (600, 400, False)):
        about = {"scores": {"random": 0.5}, "evaluated": evaluated, "has_news": is_new}
        bar.show(Progress(step, 1000, 1.0, "", None, share=0.5, values={}, **about))
    assert notes == ["step 400: 50.0 % against random"]


def test_a_folder_in_which_another_run_trains_is_refused(tmp_path):
    complaints = []

    def train_again(progress):
        with pytest.raises(SpecificationError) as complaint:
            run_in(tmp_path / "run", small_settings(steps=512))
        complaints.append(str(complaint.value))

    run_in(tmp_path / "run", small_settings(steps=512), on_progress=train_again)
    assert len(complaints) == 2
    start = f"{tmp_path / 'run'} is being trained by process {os.getpid()} on "
    assert all(complaint.startswith(start) for complaint in complaints)
    steps = [row["step"] for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    assert steps == [256, 512]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_writes_a_checkpoint_after_the_update_and_ends_the_run(tmp_path, number):
    before = signal.getsignal(number)

    def send(progress):
        os.kill(os.getpid(), number)

    with pytest.raises(KeyboardInterrupt):
        run_in(tmp_path / "run", small_settings(), on_progress=send)
    assert signal.getsignal(number) == before
    assert newest_step(tmp_path / "run") == 256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "tic_tac_toe:size=4"}, "a run of tic_tac_toe, not of tic_tac_toe:size=4; give"),
        ({"game": "connect_four"}, "holds a run of tic_tac_toe, not of connect_four; give another"),
        ({"seed": 2}, "holds another run: seed is 1 there and 2 here"),
        ({"settings": small_settings(steps=512, clip=0.3)}, "clip is 0.2 there and 0.3 here"),
    ],
)
@pytest.mark.fast_cases(2)
def test_the_folder_of_another_run_is_refused_and_kept(tmp_path, change, message):
    settings = small_settings(steps=512)
    run_in(tmp_path / "run", settings)
    before = weights(tmp_path / "run")
    with pytest.raises(TrainingError, match=message):
        run_in(tmp_path / "run", **({"settings": settings} | change))
    assert_same_weights(before, weights(tmp_path / "run"))


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(TrainingError, match="is not the folder of a training run"):
        run_in(tmp_path, small_settings())
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(TrainingError, match=r"run\.json is not JSON"):
        run_in(tmp_path, small_settings())


def test_a_damaged_checkpoint_is_passed_over_for_the_one_before_it(tmp_path):
    settings, notes = small_settings(), []
    run_in(tmp_path / "undisturbed", settings)
    run_and_stop(settings, tmp_path / "run", updates=2)
    run_and_stop(settings, tmp_path / "run", updates=2)
    newest = sorted((tmp_path / "run" / "checkpoints").iterdir())[-1]
    assert int(newest.stem) == 1024
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    run_in(tmp_path / "run", settings, on_note=notes.append)
    assert notes[0] == f"the checkpoint {newest} is damaged; using the one before it"
    assert notes[1].startswith("resumed at step 768")
    assert_same_weights(weights(tmp_path / "undisturbed"), weights(tmp_path / "run"))


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_last_good_checkpoint(tmp_path):
    settings, learn = small_settings(), MaskablePPO.train

    def blow_up(model):
        if model.num_timesteps > 512:
            model.lr_schedule = lambda remaining: 1e30
        learn(model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MaskablePPO, "train", blow_up)
        patch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
        sentence = r"is NaN or infinite after step 512 .*good checkpoint, of step 512, is in"
        with pytest.raises(TrainingError, match=sentence):
            run_in(tmp_path / "run", settings)
    assert all(torch.isfinite(values).all() for values in weights(tmp_path / "run").values())
    run_in(tmp_path / "run", settings)
    assert newest_step(tmp_path / "run") == 2048


@pytest.mark.thorough
def test_a_full_disk_stops_the_run_and_keeps_the_last_good_checkpoint(tmp_path):
    settings = small_settings(evaluate="none")
    run_and_stop(settings, tmp_path / "run", updates=2)
    size = next((tmp_path / "run" / "checkpoints").iterdir()).stat().st_size
    code = (
        "import resource, sys, signal; from plyground.cli import main; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size // 2}, resource.RLIM_INFINITY)); main()"
    )
    arguments = command(tmp_path / "run", "--steps", "2048")[3:]
    arguments[arguments.index("--evaluate") + 1] = "none"
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert process.returncode == 2, process.stderr
    sentence = "could not be written: File too large. The last good checkpoint, of step 512, is in"
    assert sentence in process.stderr
    assert "Traceback" not in process.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != size // 2
    names = [path.name for path in (tmp_path / "run" / "checkpoints").iterdir()]
    assert sorted(names) == ["000000000256.checkpoint", "000000000512.checkpoint"]
    run_in(tmp_path / "run", settings)


def test_reading_a_checkpoint_executes_nothing():
    class Evil:
        def __reduce__(self):
            return os.system, ("true",)

    with pytest.raises(Exception, match=r"(?i)weights.only|unsupported"):
        unpack(pack({"learner": Evil()}))


def test_a_learner_is_paid_by_its_regrets_and_its_games_by_their_results(tmp_path):
    settings = small_settings(steps=512, regret="alphabeta:depth=2", gamma=0.0)
    run = run_in(tmp_path / "run", settings)
    rewards = run.learner.model.rollout_buffer.rewards
    assert rewards.max() <= 0
    assert rewards.min() < -0.1
    returns = [row["rollout/mean_return"] for row in read_metrics(tmp_path / "run")
               if "rollout/mean_return" in row]  # fmt: skip
    assert max(returns) > rewards.mean()
    with pytest.raises(SpecificationError, match="there is no agent 'nobody'"):
        run_in(tmp_path / "none", small_settings(regret="nobody"))
    assert not (tmp_path / "none").exists()
