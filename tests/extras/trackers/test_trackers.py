"""Trackers keep what runs log: the libraries themselves, without a network."""

from __future__ import annotations

import json
import struct
import sys
from itertools import pairwise

import pytest
from command_line import invoke
from plyground.envs.specification import SpecificationError
from plyground.evaluation import evaluate
from plyground.training import train
from plyground.training.folder import read_metrics
from plyground.training.trackers import Trackers

LIBRARIES = ("tensorboard", "wandb", "mlflow")
BLOCK = 32_768  # bytes of a log of W&B, which no head of a record crosses
HEAD = struct.Struct("<IHB")  # of a record: checksum, bytes, whether it is whole, first, …, last
ENDS = (1, 4)


class Memory:
    """A tracker that remembers, and fails when it is told to."""

    def __init__(self, folder, step, description):
        self.rows, self.is_open = [], True

    def log(self, values, step):
        if "bad" in values:
            raise OSError("the disk is full\nand more")
        self.rows.append((step, values))

    def close(self):
        self.is_open = False


@pytest.fixture
def memory(monkeypatch, tmp_path):
    """Trackers of a run, one of which remembers; what they say."""
    made, notes = [], []
    trackers = Trackers("none", notes.append)
    for name in ("one", "two"):
        trackers._makers[name] = lambda *about: made.append(Memory(*about)) or made[-1]
    trackers.open(tmp_path, 0, {})
    return trackers, made, notes


def test_numbers_go_to_each_tracker_until_it_is_closed(memory):
    trackers, made, notes = memory
    trackers.log({"loss": 1.0}, 5)
    trackers.close()
    assert [(one.rows, one.is_open) for one in made] == 2 * [([(5, {"loss": 1.0})], False)]
    assert notes == []


def test_a_tracker_that_fails_is_left_out_and_the_run_goes_on(memory):
    trackers, made, notes = memory
    trackers.log({"bad": 1.0}, 5)
    trackers.log({"loss": 1.0}, 6)
    assert [one.rows for one in made] == [[], []]
    assert notes == [f"{name} stops logging the run: the disk is full" for name in ("one", "two")]


def test_one_name_several_names_and_none_are_read():
    assert list(Trackers("tensorboard")._makers) == ["tensorboard"]
    assert list(Trackers(["tensorboard"])._makers) == ["tensorboard"]
    assert Trackers("none")._makers == {}
    with pytest.raises(SpecificationError, match=r"there is no tracker 'tensorbord'.*tensorboard"):
        Trackers("tensorbord")


def test_what_is_not_there_is_refused_before_a_folder_is_made(tmp_path, monkeypatch):
    for name in ("wandb", "plyground.extras.trackers.wandb"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "plyground.extras.trackers.wandb")
    command = ["train", "ppo", "tic_tac_toe", "--out", tmp_path / "run", "--log"]
    missing, unknown = invoke([*command, "wandb"]), invoke([*command, "tensorboard,paper"])
    assert (missing.exit_code, unknown.exit_code) == (2, 2)
    assert 'pip install "plyground[trackers]"' in missing.stderr
    assert "there is no tracker 'paper'" in unknown.stderr
    assert not (tmp_path / "run").exists()


# -- a run that stops and goes on, in all three libraries --


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of the run, and the progress that it reported."""
    out, reports = tmp_path_factory.mktemp("tracked") / "run", []

    def stop_once(progress):
        reports.append(progress)
        if len(reports) == 3:
            raise Stop

    def learn():
        train(
            "ppo", "tic_tac_toe", out, log=LIBRARIES, on_progress=stop_once, opponent="random",
            steps=2048, evaluations=4, games=32, rollout=8, batch_size=64, dense="32", epochs=1,
            measure=lambda player: evaluate(
                player, "tic_tac_toe", against=["random", "alphabeta:depth=2"], pairs=5
            ),
        )  # fmt: skip

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
        patch.setenv("WANDB_MODE", "offline")
        patch.setenv("WANDB_SILENT", "true")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{out.parent / 'mlflow.db'}")
        with pytest.raises(Stop):
            learn()
        learn()
        yield out, reports


def rows_of(out):
    """What the run's metrics say, by step: the losses and the scores of some steps."""
    losses = {r["step"]: r["train/loss"] for r in read_metrics(out) if r["kind"] == "update"}
    scores = {
        (row["step"], row["opponent"]): (row["score"], row["low"], row["high"])
        for row in read_metrics(out)
        if row["kind"] == "evaluation"
    }
    assert len(losses) == 8
    assert len(scores) >= 4
    return losses, scores


def assert_same(out, values, escape=lambda name: name):
    """A library has the run's losses and scores; ``values`` gives {step: value} of a name."""
    losses, scores = rows_of(out)
    assert values("train/loss") == pytest.approx(losses, abs=1e-6)
    for place, part in enumerate(("score", "low", "high")):
        for opponent in ("random", "alphabeta:depth=2"):
            expected = {
                step: row[place] for (step, name), row in scores.items() if name == opponent
            }
            got = values(escape(f"evaluation/{opponent}/{part}"))
            assert got == pytest.approx(expected, abs=1e-6)


@pytest.mark.thorough
def test_tensorboard_has_the_losses_and_the_scores_with_their_intervals(run):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(run[0] / "tensorboard"))
    events.Reload()
    assert_same(run[0], lambda name: {each.step: each.value for each in events.Scalars(name)})


def records(path):
    """The records of a log of W&B, which are in the format of LevelDB's."""
    from wandb.proto import wandb_internal_pb2

    data, place, whole = path.read_bytes(), 7, b""
    while place < len(data):
        left = BLOCK - place % BLOCK
        if left < HEAD.size:
            place += left
            continue
        _, length, kind = HEAD.unpack_from(data, place)
        place += HEAD.size + length
        whole += data[place - length : place]
        if kind in ENDS:
            yield wandb_internal_pb2.Record.FromString(whole)
            whole = b""


@pytest.mark.thorough
def test_wandb_has_them_in_one_run_that_was_resumed(run):
    folders = sorted((run[0] / "wandb").glob("offline-run-*"))
    name = (run[0] / "wandb.id").read_text()
    assert [folder.name.rpartition("-")[2] for folder in folders] == [name, name]
    rows, configs = [], []
    for folder in folders:
        for record in records(folder / f"run-{name}.wandb"):
            if record.WhichOneof("record_type") == "history":
                items = record.history.item
                rows.append(
                    {"/".join(each.nested_key): json.loads(each.value_json) for each in items}
                )
            elif record.WhichOneof("record_type") == "run":
                configs.append(
                    {each.key: json.loads(each.value_json) for each in record.run.config.update}
                )
    assert configs[0]["opponent"] == "random"
    assert_same(run[0], lambda name: {row["step"]: row[name] for row in rows if name in row})


@pytest.mark.thorough
def test_mlflow_has_them_in_one_run_that_was_resumed(run):
    import mlflow

    client = mlflow.MlflowClient()
    (found,) = client.search_runs([client.get_experiment_by_name("plyground").experiment_id])
    assert found.info.run_id == (run[0] / "mlflow.id").read_text()
    assert found.info.status == "FINISHED"
    assert found.data.params["opponent"] == "random"
    assert_same(
        run[0],
        lambda name: {each.step: each.value for each in client.get_metric_history(
            found.info.run_id, name)},
        lambda name: name.replace("=", "_"),
    )  # fmt: skip


@pytest.mark.thorough
def test_progress_has_the_interval_of_each_score(run):
    _, scores = rows_of(run[0])
    last = run[1][-1]
    for opponent, score in last.scores.items():
        assert (score, *last.intervals[opponent]) == scores[last.evaluated, opponent]
    assert [a.evaluated <= b.evaluated for a, b in pairwise(run[1])].count(False) <= 1


@pytest.mark.thorough
def test_trackers_are_no_part_of_what_the_run_is(run):
    description = json.loads((run[0] / "run.json").read_text())["description"]
    assert "log" not in description
    train("ppo", "tic_tac_toe", run[0], log="none", opponent="random", steps=2048, evaluations=4,
          games=32, rollout=8, batch_size=64, dense="32", epochs=1)  # fmt: skip


def test_what_runs_share_is_made_by_each_tracker_that_has_such_a_thing(tmp_path):
    trackers, made = Trackers("none"), []
    trackers._makers["one"] = Memory
    trackers.prepare()
    trackers._makers["two"] = type("Shared", (), {"prepare": lambda: made.append("store")})
    trackers.prepare()
    assert made == ["store"]
    trackers._makers["three"] = type("Broken", (), {"prepare": lambda: int("three")})
    with pytest.raises(SpecificationError, match="three cannot log the runs: invalid"):
        trackers.prepare()
