"""The command ``dataset``."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import invoke
from helpers import run
from plyground.evaluation.plan import Plan
from plyground.extras.perfect_play import datasets


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def dataset(*words):
    return invoke(["dataset", *words])


def test_a_dataset_is_written_and_read():
    result = dataset("tic_tac_toe", "--positions", "50", "--out", "data.parquet")
    assert (result.exit_code, result.stdout) == (0, "data.parquet: 50 positions of tic_tac_toe\n")
    assert len(datasets.load("data.parquet")) == 50


def test_it_says_when_there_are_no_more_positions():
    result = dataset("tic_tac_toe", "--positions", "50", "--plies", "0-2", "--out", "data.npz")
    assert "data.npz: 16 positions of tic_tac_toe (no more were found" in result.stdout


def test_positions_come_from_the_games_of_a_store(tmp_path):
    run(Plan("tic_tac_toe", ("random", "greedy"), pairs=4), tmp_path / "games.db")
    result = dataset(
        *("tic_tac_toe", "--positions", "20", "--from-store", "games.db", "--out", "data.npz")
    )
    assert result.exit_code == 0, result.output
    data = datasets.load("data.npz")
    assert data.metadata["source"] == "games.db"
    assert np.all(data.arrays["ply"] < 9)
