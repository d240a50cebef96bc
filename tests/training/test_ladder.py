"""Snapshots of training runs, and their ratings against each other and the run's opponents."""

from __future__ import annotations

import json
import math
import shutil
import time
from pathlib import Path

import pytest
import torch
from command_line import invoke
from networks import write_network
from plyground import make_game
from plyground.evaluation import Ladder, Store
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.train import train
from plyground.training.curves import draw_curves, read_ratings
from plyground.training.folder import read_metrics, snapshots_in
from plyground.training.measurements import RATING_SHARE

pytestmark = pytest.mark.thorough

GAME = make_game("tic_tac_toe")
QUICK = (
    "steps=1200", "games=16", "simulations_per_update=600", "simulations=8",
    "batch_size=8", "channels=2", "hidden=8",
    "evaluations=1", "evaluation_pairs=2", "window=500,200000",
)  # fmt: skip


def train_quickly(out, *texts, **callbacks):
    settings = AlphaZeroSettings.for_game(
        GAME, {"hours": 0.0, "evaluate": "none"}, (*QUICK, *texts)
    )
    return train(GAME, settings, 1, out, {}, torch.device("cpu"), **callbacks)


def weights(run):
    return run.learner.learner.average.state_dict()


def games_in(store):
    with Store(store, read_only=True) as games:
        return [len(list(games.games(one.number))) for one in games.tournaments()]


@pytest.fixture(scope="module")
def ladder_run(tmp_path_factory):
    """The folder of a run that the command has trained and rated; what it said."""
    out = tmp_path_factory.mktemp("rated") / "run"
    arguments = ["train", "alphazero", "tic_tac_toe", "--out", out, "--hours", "0", "--keep", "3"]
    arguments += ["--workers", "1", "--evaluate", "random;greedy", "--device", "cpu"]
    result = invoke(arguments + [part for text in QUICK for part in ("--set", text)])
    assert result.exit_code == 0, result.stderr
    return out, result


def test_a_run_keeps_snapshots_evenly_and_rates_them_with_intervals(ladder_run):
    out, result = ladder_run
    steps = list(snapshots_in(out))
    updates = [row["step"] for row in read_metrics(out) if row["kind"] == "update"]
    assert steps == [min(step for step in updates if step >= due) for due in (400, 800, 1200)]
    ratings = read_ratings(out)
    assert [row["step"] for row in ratings] == steps
    for row in ratings:
        assert row["low"] < row["elo"] < row["high"]
        assert (row["anchor"], row["games"] >= 2) == ("greedy=0", True)
    for step in steps:
        assert f"step {step:,}: Elo " in result.stderr
    (events,) = (out / "tensorboard").iterdir()
    assert b"rating/elo" in events.read_bytes()


def test_the_ladder_of_a_run_plays_only_what_is_missing(ladder_run, tmp_path):
    out = shutil.copytree(ladder_run[0], tmp_path / "run")
    first = json.loads(invoke(["ladder", out, "--pairs", "4", "--json"]).stdout)
    games_before, rows = games_in(out / "ladder.db"), list(read_metrics(out))
    assert [row["step"] for row in first["ratings"]] == [None, None, *snapshots_in(out)]
    assert first["ratings"][1] | {"elo": 0.0} == first["ratings"][1]  # greedy, the anchor
    again = invoke(["ladder", out, "--pairs", "4", "--json"])
    assert "no new games" in again.stderr
    assert json.loads(again.stdout) == first
    assert games_in(out / "ladder.db") == games_before
    assert list(read_metrics(out)) == rows
    anchored_higher = json.loads(
        invoke(["ladder", out, "--pairs", "4", "--anchor", "random=100", "--json"]).stdout
    )
    assert anchored_higher["ratings"][0]["elo"] == 100
    assert [row["anchor"] for row in read_ratings(out)] == ["random=100"] * 3
    table = invoke(["ladder", out, "--pairs", "4"])
    assert "greedy" in table.stdout
    assert invoke(["report", out / "ladder.db"]).exit_code == 0


def test_processes_play_the_games_of_a_ladder_as_this_process_does(ladder_run, tmp_path):
    pools = []
    for number, options in enumerate(([], ["--concurrency", "2"])):
        run = tmp_path / str(number)
        shutil.copytree(ladder_run[0], run)
        (run / "ladder.db").unlink()
        result = invoke(["ladder", run, "--pairs", "3", "--json", *options])
        assert result.exit_code == 0, result.stderr
        pools.append(json.loads(result.stdout)["ratings"])
    names = ("step", "elo", "low", "high", "games")
    one, other = ([[row[name] for name in names] for row in pool] for pool in pools)
    assert one == other


def test_curves_show_the_ratings(ladder_run, tmp_path):
    out = shutil.copytree(ladder_run[0], tmp_path / "run")
    assert invoke(["curves", out, "--out", tmp_path / "both.png"]).exit_code == 0
    rows = [row for row in read_metrics(out) if row["kind"] != "rating"]
    (out / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    draw_curves([out], tmp_path / "one.png")
    heights = [
        int.from_bytes((tmp_path / name).read_bytes()[20:24]) for name in ("one.png", "both.png")
    ]
    assert heights[1] > 1.5 * heights[0]


def test_snapshots_and_ratings_change_no_weight(tmp_path):
    without = train_quickly(tmp_path / "without", "keep=0")
    budgets = []

    def rate(seconds):
        budgets.append(seconds)
        time.sleep(seconds)

    with_snapshots = train_quickly(tmp_path / "kept", "keep=2", rate=rate)
    assert not snapshots_in(tmp_path / "without")
    assert len(budgets) == len(snapshots_in(tmp_path / "kept")) == 2
    assert 0 < sum(budgets) <= RATING_SHARE * with_snapshots._clock.seconds
    for name, tensor in weights(without).items():
        assert torch.equal(tensor, weights(with_snapshots)[name])


def test_a_resumed_run_drops_the_snapshots_after_its_checkpoint(tmp_path):
    out = tmp_path / "run"
    train_quickly(out, "keep=2")
    steps = list(snapshots_in(out))
    late = out / "snapshots" / "000000999999.onnx"
    shutil.copy(snapshots_in(out)[steps[-1]], late)
    longer = train_quickly(out, "keep=2", "steps=2400")
    assert not late.exists()
    assert longer.step in snapshots_in(out)
    assert list(snapshots_in(out))[:2] == steps


def test_ppo_keeps_snapshots_that_the_ladder_rates(tmp_path):
    arguments = ["train", "ppo", "tic_tac_toe", "--out", tmp_path, "--steps", "2000"]
    small = ("games=8", "rollout=32", "dense=16", "batch_size=128", "evaluation_pairs=2")
    sets = [part for text in (*small, "evaluations=1") for part in ("--set", text)]
    result = invoke([*arguments, "--keep", "2", "--evaluate", "random", *sets])
    assert result.exit_code == 0, result.stderr
    assert [row["step"] for row in read_ratings(tmp_path)] == list(snapshots_in(tmp_path))
    assert len(snapshots_in(tmp_path)) == 2


def test_without_time_one_pair_of_each_meeting_is_played(tmp_path):
    ladder = Ladder(GAME, ["greedy", "random"], tmp_path / "ladder.db", pairs=5)
    files = [
        write_network(tmp_path / f"{name}.onnx", GAME, bias=bias)
        for name, bias in (
            ("weak", [0, 1, 0, 1, 0, 1, 0, 1, 0]),
            ("strong", [2, 1, 2, 1, 3, 1, 2, 1, 2]),
        )
    ]
    game_log = []
    ratings, games = ladder.pool(files, seconds=0, on_game=game_log.append)
    assert ratings.elo[0] == 0
    assert len(game_log) == sum(games) / 2 == 2 * 6  # two games each of six meetings
    assert not math.isnan(ratings.margin(3))
    ladder.pool(files, seconds=0, on_game=game_log.append)
    assert len(game_log) == 12
    ladder.pool(files, on_game=game_log.append)
    assert len(game_log) == 2 * 6 * 5


@pytest.mark.parametrize(
    ("prepare", "arguments", "sentence"),
    [
        (lambda run: shutil.rmtree(run / "snapshots"), [], "has no snapshots"),
        (lambda run: (run / "run.json").unlink(), [], "is not the folder of a training run"),
        (lambda run: None, ["--anchor", "hard=0"], "one of the run's opponents: random, greedy"),
        (lambda run: None, ["--anchor", "greedy"], "an anchor is an agent and its rating"),
        (lambda run: None, ["--pairs", "0"], "pairs"),
    ],
)
def test_what_cannot_be_rated_is_refused_in_a_sentence(
    ladder_run, tmp_path, prepare, arguments, sentence
):
    out = Path(shutil.copytree(ladder_run[0], tmp_path / "run"))
    prepare(out)
    result = invoke(["ladder", out, *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
