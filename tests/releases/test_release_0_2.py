"""Files that plyground 0.2.0 wrote are read: a store, policies, datasets, a book, training runs.

They lie in ``data/release_0_2``. The commands that wrote them, with version 0.2.0::

    plyground tournament tic_tac_toe random greedy minimax:depth=2 --pairs 3 --store store.sqlite
    plyground dataset tic_tac_toe --positions 60 --out positions.npz    (and positions.parquet)
    plyground book tic_tac_toe --agent alphabeta:depth=4,values=yes --plies 2 --out opening.book

The runs name theirs in ``run.json``.
"""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import plyground
import pytest
from command_line import plyground as command
from helpers import ROOT
from plyground.evaluation import Store
from plyground.training import TrainingError, train

RELEASE = ROOT / "tests" / "data" / "release_0_2"


@pytest.fixture
def files(tmp_path):
    """A copy that may be written to."""
    return Path(shutil.copytree(RELEASE, tmp_path / "release"))


def test_the_files_are_small():
    assert sum(path.stat().st_size for path in RELEASE.rglob("*") if path.is_file()) < 300_000


def test_the_store_is_reported_and_verified(files):
    with Store(files / "store.sqlite") as store:
        (tournament,) = store.tournaments()
        assert "of plyground 0.2.0" in tournament.settings["rules"]
    report = command(f"report {files / 'store.sqlite'} --json")
    (result,) = json.loads(report.stdout)["tournaments"]
    assert {row["agent"] for row in result["agents"]} == {
        "random",
        "greedy",
        "minimax:depth=2",
    }
    verdict = command(f"verify {files / 'store.sqlite'} --games 0")
    assert (verdict.exit_code, verdict.stderr) == (0, "")


@pytest.mark.parametrize("spec", ["onnx:{}/ppo/best.onnx", "ppo:{}/ppo", "alphazero:{}/alphazero"])
def test_policies_play(files, spec):
    position = plyground.make_game("tic_tac_toe").position(["b2", "a1"])
    decision = plyground.make_agent(spec.format(files)).analyse(position)
    assert decision.action in position.legal_actions()
    assert sum(decision.probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_a_search_takes_their_network(files):
    agent = plyground.make_agent(f"mcts:network={files / 'alphazero'},simulations=20", seed=1)
    assert agent.analyse(plyground.make_game("tic_tac_toe").initial_position()).simulations == 20


def test_datasets_hold_exact_values(files):
    tables = [
        plyground.datasets.load(files / name) for name in ("positions.npz", "positions.parquet")
    ]
    assert [len(table) for table in tables] == [60, 60]
    values = [table.arrays["action_values"] for table in tables]
    for row in (0, 30, 59):
        position = tables[0].position(row)
        solution = plyground.solve(position, moves="all")
        values = {
            a: int(tables[0].arrays["action_values"][row, a]) for a in position.legal_actions()
        }
        assert values == solution.values
    assert np.array_equal(tables[0].arrays["action_values"], tables[1].arrays["action_values"])


def test_the_book_is_played_from(files):
    agent = plyground.make_agent(f"alphabeta:depth=1,book={files / 'opening.book'}", seed=1)
    assert agent.analyse(plyground.make_game("tic_tac_toe").initial_position()).from_book


def steps_of_the_command(folder: Path) -> tuple[list[str], dict]:
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["versions"]["plyground"] == "0.2.0"
    return shlex.split(record["command"]), record["description"]


def test_a_run_goes_on(files):
    words, description = steps_of_the_command(files / "ppo")
    settings = words[words.index("--set") :]
    result = command(
        "train", "ppo", "tic_tac_toe", "--out", str(files / "ppo"), "--steps", "9216",
        "--opponent", "random", "--evaluate", "random", *settings,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert description["steps"] == 8192
    assert (files / "ppo" / "checkpoints" / "000000009216.checkpoint").exists()


@pytest.mark.thorough
def test_a_run_of_alphazero_is_refused_in_a_sentence(files):
    """Its policy plays, see above; it has settings that are none any more."""
    with pytest.raises(TrainingError, match=r"holds another run: .*forced is 2\.0 there and null"):
        train("alphazero", "tic_tac_toe", files / "alphazero", steps=1600)
