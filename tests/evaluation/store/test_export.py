"""Exports of a store: every game once, the same in every format, whole files or none."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pyarrow.parquet
import pytest
from command_line import done, invoke, refused
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.export import COLUMNS, export_games
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament


@pytest.fixture(scope="module")
def store_and_games(tmp_path_factory):
    """A store with forfeits and two tournaments, and its games."""
    path = tmp_path_factory.mktemp("export") / "store.db"
    with Store(path) as store:
        forfeits = Plan("tic_tac_toe", ("random", "python:broken.agents:Raises"), pairs=2)
        plans = forfeits, Plan("connect_four", ("random", "random"), pairs=3)
        tournaments = [Tournament(plan, store) for plan in plans]
        for tournament in tournaments:
            tournament.run()
        return path, [(each, game) for each in tournaments for game in each.played()]


def lines(path) -> list[dict]:
    stream = io.BytesIO()
    with Store(path) as store:
        assert export_games(store, "jsonl", stream) == 10
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_lines_hold_every_game_of_the_store(store_and_games):
    path, games = store_and_games
    for row, (tournament, game) in zip(lines(path), games, strict=True):
        result = game.result
        assert list(row) == list(COLUMNS)
        assert row["game"] == tournament.game.spec
        labels = [tournament.labels[number] for number in game.players]
        assert [row["pair"], row["player_0"], row["player_1"]] == [game.pair, *labels]
        assert (row["opening"], row["moves"]) == (list(game.opening), list(result.moves))
        assert (row["return_0"], row["return_1"], row["reason"]) == (*result.returns, result.reason)
        assert (row["fault"], row["forfeited"]) == (result.fault, result.forfeited)
        assert (row["seed_0"], row["seed_1"]) == game.seeds
        assert (row["seconds_0"], row["seconds_1"]) == result.seconds
        assert (row["decisions_0"], row["decisions_1"]) == result.decisions
    assert any(row["fault"] == "raised" for row in lines(path))


def test_csv_holds_the_same_values_as_text(store_and_games, tmp_path):
    path, _ = store_and_games
    with Store(path) as store:
        export_games(store, "csv", tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))

    def text_of(value):
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    for row, expected in zip(read, lines(path), strict=True):
        assert row.keys() == expected.keys()
        for key, value in expected.items():
            assert row[key] == ("" if value is None else text_of(value)), key


def test_parquet_holds_the_same_values_with_their_types(store_and_games, tmp_path):
    path, _ = store_and_games
    with Store(path) as store:
        export_games(store, "parquet", tmp_path / "games.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "games.parquet").to_pylist() == lines(path)


def test_parquet_without_pyarrow_says_what_to_install_and_leaves_nothing(
    store_and_games, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    sentence = r'Parquet needs pyarrow.*pip install "plyground\[parquet\]"'
    with Store(store_and_games[0]) as store, pytest.raises(SpecificationError, match=sentence):
        export_games(store, "parquet", tmp_path / "games.parquet")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_to_standard_output_or_to_a_file(store_and_games, tmp_path):
    path, _ = store_and_games
    result = invoke(["export", str(path)])
    assert [json.loads(line) for line in result.stdout.splitlines()] == lines(path)
    result = invoke(["export", str(path), "--format", "csv", "--out", str(tmp_path / "games")])
    assert (result.stdout, result.stderr) == ("", f"10 games in {tmp_path / 'games'}\n")
    done("export", path, "--out", tmp_path / "games.csv")
    assert (tmp_path / "games.csv").read_bytes() == (tmp_path / "games").read_bytes()
    said = refused("export", path, "--out", tmp_path / "games.xml")
    assert "ends in none of .jsonl, .csv, .parquet" in said
    assert not (tmp_path / "games.xml").exists()


def test_a_reader_that_has_enough_ends_the_export_quietly(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store:
        # more than a pipe holds
        Tournament(Plan("connect_four", ("random", "random"), pairs=150), store).run()
    command = [sys.executable, "-m", "plyground.cli", "export", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert json.loads(process.stdout.readline())["game"] == "connect_four"
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0
