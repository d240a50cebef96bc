"""What is measured: snapshots, by a process of their own in long runs, without a change of the
run's course.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from measuring import judges, runs
from measuring.judges import GAME, judge, random_observations
from measuring.runs import Learner, run
from plyground import make_agent
from plyground.envs.specification import SpecificationError
from plyground.training import clock, measurements
from plyground.training.checkpoints import newest_checkpoint, unpack
from plyground.training.folder import MEASURING, read_metrics, snapshots_in


@pytest.fixture
def long(monkeypatch):
    """Every run is long."""
    monkeypatch.setattr(clock, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(measurements, "MEASURING_SHARE", 1e9)  # measuring takes all the time


def rows_of(folder):
    return [row for row in read_metrics(folder) if row["kind"] == "evaluation"]


def steps_of(folder):
    return [row["step"] for row in rows_of(folder)]


def first_move(folder):
    return make_agent(f"policy:{folder}", GAME).act(GAME.initial_position())


def has_ended(pid):
    """Whether a process has ended, or ends within a minute."""
    try:
        psutil.Process(pid).wait(60)
    except psutil.NoSuchProcess:
        return True
    return not psutil.pid_exists(pid)


# -- what is measured --


def test_a_snapshot_is_measured_and_the_best_one_kept(tmp_path):
    made = run(tmp_path / "run", judge, steps=9, evaluations=9)
    assert [row["move"] for row in rows_of(tmp_path / "run")] == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert first_move(tmp_path / "run") == 8
    best = json.loads((tmp_path / "run" / "best.json").read_text())
    assert (best["step"], best["mean_score"]) == (8, 1.0)
    assert made.best_rows == best["scores"]
    assert not (tmp_path / "run" / MEASURING).exists()


def test_what_has_not_learnt_since_the_last_measurement_is_not_measured(tmp_path):
    run(tmp_path / "run", judge, Learner(idle={1, 4, 5, 8}), 8, evaluations=8, keep=8)
    assert steps_of(tmp_path / "run") == list(snapshots_in(tmp_path / "run")) == [2, 3, 6, 7]
    run(tmp_path / "idle", judge, Learner(idle={1, 2, 3, 4}))
    assert steps_of(tmp_path / "idle") == [4]  # the only policy that there is


@pytest.mark.parametrize("algorithm", ["ppo", "dqn", "alphazero"])
@pytest.mark.thorough
def test_the_file_answers_as_its_learner_does(algorithm, tmp_path):
    pytest.importorskip("sb3_contrib")
    from plyground.training import train
    from plyground.training.players import NetworkPlayer

    small = {"steps": 512, "evaluate": "none", "batch_size": 32}
    if algorithm == "alphazero":
        small |= {"games": 16, "simulations": 8, "simulations_per_update": 600, "hours": 0.0}
    else:
        small |= {"games": 16, "rollout": 8, "dense": "16", "opponent": "random"}
    small |= {"first_steps": 0} if algorithm == "dqn" else {}
    made = train(algorithm, GAME, tmp_path / "run", log="none", **small)
    learner = made.learner
    here = learner.learner if algorithm == "alphazero" else NetworkPlayer(learner.policy)
    there = measurements.SnapshotPlayer(str(tmp_path / "run" / "best.onnx"))
    seen = random_observations(GAME, 400)
    assert (here.act_batch(*seen) == there.act_batch(*seen)).all()


# -- in a process of its own --


@pytest.mark.thorough
def test_a_process_of_its_own_measures_long_runs_without_torch(long, tmp_path):
    run(tmp_path / "run", judge)
    rows = rows_of(tmp_path / "run")
    assert [row["step"] for row in rows][-1] == 4
    assert [row["move"] for row in rows] == [row["step"] for row in rows]
    assert {row["pid"] for row in rows}.isdisjoint({os.getpid()})
    assert {row["torch"] for row in rows} == {False}
    assert all(row["nice"] > os.nice(0) or row["nice"] == 19 for row in rows)
    assert all(has_ended(row["pid"]) for row in rows)


@pytest.mark.thorough
def test_the_learner_goes_on_while_it_is_measured_and_waits_at_the_end(long, tmp_path):
    seen, file = [], tmp_path / "go"

    def see(progress):
        seen.append((progress.step, progress.evaluated, progress.has_news))
        if progress.step == 4:
            file.write_text("")  # the first measurement waits for the last update

    run(tmp_path / "run", partial(judges.judge_when, file), on_progress=see)
    assert seen[:4] == [(1, 0, False), (2, 0, False), (3, 0, False), (4, 0, False)]
    assert seen[-1] == (4, 4, True)
    assert steps_of(tmp_path / "run") == [2, 4]
    assert first_move(tmp_path / "run") == 4


@pytest.mark.thorough
def test_only_the_end_is_measured_where_there_is_no_time_for_more(long, tmp_path, monkeypatch):
    monkeypatch.setattr(measurements, "MEASURING_SHARE", -1.0)
    run(tmp_path / "run", judge, steps=8, evaluations=8)
    assert steps_of(tmp_path / "run") == [8]


@pytest.mark.thorough
def test_what_the_first_evaluation_prepares_leaves_the_time_for_others(long, tmp_path):
    run(tmp_path / "run", judges.judge_preparing)
    first, last = rows_of(tmp_path / "run")
    spent, _ = unpack(newest_checkpoint(tmp_path / "run"))["measuring"]
    assert first["pid"] == last["pid"]
    assert spent < last["cpu"] - 0.5


def test_what_another_process_cannot_call_is_called_here(long, tmp_path):
    run(tmp_path / "run", lambda player: [*judge(player)])
    assert [(row["step"], row["pid"]) for row in rows_of(tmp_path / "run")] == [
        (2, os.getpid()),
        (4, os.getpid()),
    ]


@pytest.mark.thorough
def test_ratings_are_made_there_too(long, tmp_path):
    from plyground.commands.learning.ladder import rate_newest

    notes, folder = [], tmp_path / "run"
    rate = partial(rate_newest, folder)
    run(folder, judge, keep=1, rate=rate, on_note=notes.append)
    assert list(snapshots_in(folder)) == [4]
    assert [row["step"] for row in read_metrics(folder) if row["kind"] == "rating"] == [4]
    assert notes[-1].startswith("step 4: Elo ")


# -- interruptions --


class Stop(Exception):
    pass


@pytest.mark.thorough
def test_a_measurement_that_was_interrupted_is_made_after_resuming(long, tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    file, waits = tmp_path / "go", tmp_path / "go.pid"

    def stop(progress):
        if progress.step == 3:
            while not waits.exists():
                time.sleep(0.01)
            raise Stop

    with pytest.raises(Stop):
        run(tmp_path / "run", partial(judges.judge_when, file), on_progress=stop)
    assert has_ended(int(waits.read_text()))
    assert steps_of(tmp_path / "run") == []
    assert [path.stem for path in (tmp_path / "run" / MEASURING).iterdir()] == ["000000000002"]
    file.write_text("")
    run(tmp_path / "run", partial(judges.judge_when, file))
    assert [(row["step"], row["move"]) for row in rows_of(tmp_path / "run")] == [(2, 2), (4, 4)]


def test_scores_that_no_checkpoint_knows_are_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")

    def stop(progress):
        if progress.has_news:
            raise Stop

    with pytest.raises(Stop):
        run(tmp_path / "run", judge, on_progress=stop)
    assert steps_of(tmp_path / "run") == [2]
    run(tmp_path / "run", judge)
    assert steps_of(tmp_path / "run") == [2, 4]


@pytest.mark.thorough
def test_ctrl_c_at_the_end_leaves_the_last_measurement_to_the_next_run(long, tmp_path):
    file, waits = tmp_path / "go", tmp_path / "go.pid"

    def press():
        while not waits.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run", partial(judges.judge_when, file), evaluations=1)
    thread.join()
    assert has_ended(int(waits.read_text()))
    file.write_text("")
    made = run(tmp_path / "run", partial(judges.judge_when, file), evaluations=1)
    assert steps_of(tmp_path / "run") == [4]
    assert made.finished_now
    notes = []
    run(tmp_path / "run", judge, evaluations=1, on_note=notes.append)
    assert notes == ["the run is finished: 4 steps; there is nothing to do"]


@pytest.mark.thorough
def test_a_killed_run_leaves_no_process(tmp_path):
    file, waits = tmp_path / "go", tmp_path / "go.pid"
    script = Path(runs.__file__).parent.parent
    words = [sys.executable, "-m", "measuring.runs", tmp_path / "run", file]
    paths = os.pathsep.join([str(script), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(words, env=os.environ | {"PYTHONPATH": paths}) as process:
        while not waits.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert has_ended(int(waits.read_text()))


# -- failures --


@pytest.mark.thorough
def test_a_process_that_dies_is_noted_once_and_the_run_measures_by_itself(long, tmp_path):
    notes = []
    evaluate = partial(judges.die_elsewhere, os.getpid())
    run(tmp_path / "run", evaluate, on_note=notes.append)
    assert notes == [
        "the process that measures was killed by signal 9 (SIGKILL); from now on the run measures "
        "by itself"
    ]
    assert [row["move"] for row in rows_of(tmp_path / "run")] == [2, 4]


@pytest.mark.thorough
def test_an_opponent_that_fails_ends_the_run_and_is_named(long, tmp_path):
    notes, sentence = [], "my_agent raised ZeroDivisionError: division by zero"
    with pytest.raises(SpecificationError, match=sentence):
        run(tmp_path / "run", judges.refuse, on_note=notes.append)
    assert [sentence in note for note in notes] == [True]
