"""Sweeps: what is tried and kept, what a stopped one does, and the command that they print."""

from __future__ import annotations

import shlex
import signal
import sys

import optuna
import pytest
from command_line import done, invoke, refused
from plyground.extras.tuning.sweep import STORE, STUDY, Dimension, Sweep
from plyground.training import train
from plyground.training.folder import TrainingError

FEW = {"steps": 8000, "games": 64, "evaluations": 4, "dense": "16"}
RATES = [Dimension("learning_rate", (0.0001, 0.01), True), Dimension("dense", ("16", "8,8"), False)]


def learner(stop_in=""):
    """What trains a small network whose score is what a run's settings say.

    Args:
        stop_in: the run in which Ctrl-C comes at the second evaluation.
    """

    def run(settings, out, follow):
        def show(progress):
            follow(progress)
            if out.name == stop_in and progress.evaluated >= 4000:
                signal.raise_signal(signal.SIGINT)

        score = 0.5 + 10 * settings["learning_rate"]
        row = {"opponent": "x", "score": score, "low": score, "high": score}
        values = FEW | settings
        return train(
            "ppo", "tic_tac_toe", out, measure=lambda player: [row], on_progress=show, **values
        )

    return run


def sweep(folder, ranges=RATES, notes=None, **identity):
    return Sweep(folder, ranges, identity, 1, [].append if notes is None else notes.append)


def trials(folder):
    study = optuna.load_study(study_name=STUDY, storage=f"sqlite:///{folder / STORE}")
    return [(t.state, t.params, t.value, t.intermediate_values) for t in study.trials]


@pytest.mark.thorough
def test_a_stopped_sweep_goes_on_in_the_run_that_it_stopped_and_ends_as_an_undisturbed_one(
    tmp_path,
):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    sweep(whole).run(3, learner())
    with pytest.raises(KeyboardInterrupt):
        sweep(parts).run(3, learner(stop_in="0001"))
    assert [state.name for state, *_ in trials(parts)] == ["COMPLETE", "RUNNING"]
    begun = (parts / "0001" / "metrics.jsonl").read_text().splitlines()
    sweep(parts).run(3, learner())
    assert (parts / "0001" / "metrics.jsonl").read_text().splitlines()[: len(begun)] == begun
    assert trials(parts) == trials(whole)
    assert len({params["learning_rate"] for _, params, *_ in trials(whole)}) == 3
    sweep(parts).run(3, learner())  # there is nothing left to do
    assert len(trials(parts)) == 3


@pytest.mark.thorough
def test_a_curve_below_the_median_ends_its_run_and_the_best_is_kept(tmp_path):
    notes = []
    made = sweep(tmp_path / "s", notes=notes)
    made.run(12, learner())
    pruned = [curve for state, _, _, curve in trials(tmp_path / "s") if state.name == "PRUNED"]
    whole = [value for state, _, value, _ in trials(tmp_path / "s") if state.name == "COMPLETE"]
    assert pruned
    assert {len(curve) for curve in pruned} == {1}
    assert max(curve[0] for curve in pruned) < max(whole)
    best = made.best()
    assert best.score == max(whole)
    assert best.score == pytest.approx(0.5 + 10 * best.settings["learning_rate"])
    assert (best.run / "best.onnx").is_file()
    assert notes[0].startswith("trial 0: learning_rate=0.000")


@pytest.mark.thorough
def test_a_run_that_diverges_is_a_trial_that_failed(tmp_path):
    def diverge(settings, out, follow):
        raise TrainingError("the loss is NaN or infinite")

    notes = []
    made = sweep(tmp_path / "s", notes=notes)
    made.run(2, diverge)
    assert [state.name for state, *_ in trials(tmp_path / "s")] == ["FAIL", "FAIL"]
    assert notes[0].endswith(": the loss is NaN or infinite")
    with pytest.raises(TrainingError, match=r"no trial of .* has finished"):
        made.best()


def test_a_folder_holds_one_sweep(tmp_path):
    sweep(tmp_path / "s", game="tic_tac_toe")
    sweep(tmp_path / "s", game="tic_tac_toe")
    with pytest.raises(TrainingError, match="contains a sweep of other settings"):
        sweep(tmp_path / "s", game="connect_four")
    with pytest.raises(TrainingError, match="contains a sweep of other settings"):
        sweep(tmp_path / "s", RATES[:1], game="tic_tac_toe")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "run.json").touch()
    with pytest.raises(TrainingError, match="is not the folder of a sweep"):
        sweep(tmp_path / "t")
    (tmp_path / "t" / STORE).write_text("no storage of anything " * 100)
    with pytest.raises(ValueError, match="cannot be read by this version of Optuna"):
        sweep(tmp_path / "t")


def test_what_lies_between_ends_far_apart_is_searched_on_a_logarithmic_scale():
    study = optuna.create_study()
    for ends in ((1, 2), (1, 100), (0.0, 0.5), (0.001, 0.5)):
        Dimension(str(ends), ends, True).choose(trial := study.ask())
        distribution = trial.distributions[str(ends)]
        assert (distribution.low, distribution.high) == ends
        assert distribution.log == (ends[0] > 0 and ends[1] >= 10 * ends[0])


TUNE = ("tune", "ppo", "tic_tac_toe", "--out", "s", "--steps", "8k", "--evaluate", "random")


@pytest.mark.thorough
def test_the_printed_command_trains_the_best_run_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sets = ("learning_rate=0.001..0.01", "dense=16|8,8", "evaluations=1", "evaluation_pairs=10")
    words = [*TUNE, *(word for each in sets for word in ("--set", each)), "--trials", 2]
    result = done(*words)
    program, *again = shlex.split(result.stdout)
    assert program == "plyground"
    assert invoke(again).exit_code == 0
    (best,) = {
        path
        for path in tmp_path.glob("s/000?/best.onnx")
        if f"{path.parent.name}:" in result.stderr.splitlines()[-1]
    }
    assert (tmp_path / "s" / "best" / "best.onnx").read_bytes() == best.read_bytes()
    more = done(*words[:-1], 3)
    assert "trial 2: " in more.stderr
    assert "trial 1: " not in more.stderr


def test_without_optuna_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "plyground.extras.tuning.sweep", raising=False)
    monkeypatch.setitem(sys.modules, "optuna", None)
    said = refused(*TUNE, "--set", "layers=0..2")
    assert said == 'plyground: tune needs Optuna: pip install "plyground[tune]"\n'
