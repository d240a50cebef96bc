"""Exports of a store: every game once, the same in every format, whole files or none."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pyarrow.parquet
import pytest
from command_line import invoke
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.export import COLUMNS, export_games
from plyground.evaluation.store.store import Store, StoreError
from plyground.evaluation.tournament import Tournament


@pytest.fixture(scope="module")
def store_and_games(tmp_path_factory):
    """A store with forfeits and two tournaments, and its games."""
    path = tmp_path_factory.mktemp("export") / "store.db"
    with Store(path) as store:
        tournaments = [
            Tournament(
                Plan("tic_tac_toe", ("random", "python:broken.agents:Raises"), pairs=2), store
            ),
            Tournament(Plan("connect_four", ("random", "random"), pairs=3), store),
        ]
        for tournament in tournaments:
            tournament.run()
        return path, [
            (tournament, game) for tournament in tournaments for game in tournament.played()
        ]


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
        assert (row["pair"], row["player_0"], row["player_1"]) == (
            game.pair,
            *(tournament.labels[number] for number in game.players),
        )
        assert (row["opening"], row["moves"]) == (list(game.opening), list(result.moves))
        assert (row["return_0"], row["return_1"], row["reason"]) == (*result.returns, result.reason)
        assert (row["fault"], row["forfeited"]) == (result.fault, result.forfeited)
        assert (row["seed_0"], row["seed_1"], row["seconds_0"], row["seconds_1"]) == (
            *game.seeds,
            *result.seconds,
        )
        assert (row["decisions_0"], row["decisions_1"]) == result.decisions
    assert any(row["fault"] == "raised" for row in lines(path))


def test_csv_holds_the_same_values_as_text(store_and_games, tmp_path):
    path, _ = store_and_games
    with Store(path) as store:
        export_games(store, "csv", tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    expected = [
        {
            key: ""
            if value is None
            else " ".join(map(str, value))
            if isinstance(value, list)
            else str(value)
            for key, value in row.items()
        }
        for row in lines(path)
    ]
    assert read == expected


def test_parquet_holds_the_same_values_with_their_types(store_and_games, tmp_path):
    path, _ = store_and_games
    with Store(path) as store:
        export_games(store, "parquet", tmp_path / "games.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "games.parquet").to_pylist() == lines(path)


def test_parquet_without_pyarrow_says_what_to_install_and_leaves_nothing(
    store_and_games, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        Store(store_and_games[0]) as store,
        pytest.raises(
            SpecificationError, match=r'Parquet needs pyarrow.*pip install "plyground\[parquet\]"'
        ),
    ):
        export_games(store, "parquet", tmp_path / "games.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_does_not_exist_is_refused(store_and_games):
    with (
        Store(store_and_games[0]) as store,
        pytest.raises(
            SpecificationError, match="the format is one of jsonl, csv, parquet, not 'xml'"
        ),
    ):
        export_games(store, "xml", io.BytesIO())


def test_a_file_that_cannot_be_written_gives_one_sentence(store_and_games, tmp_path):
    with (
        Store(store_and_games[0]) as store,
        pytest.raises(StoreError, match=r"games\.csv cannot be written: No such file or directory"),
    ):
        export_games(store, "csv", tmp_path / "missing" / "games.csv")


def test_the_command_writes_to_standard_output_or_to_a_file(store_and_games, tmp_path):
    path, _ = store_and_games
    result = invoke(["export", str(path)])
    assert [json.loads(line) for line in result.stdout.splitlines()] == lines(path)
    result = invoke(["export", str(path), "--format", "csv", "--out", str(tmp_path / "games")])
    assert (result.stdout, result.stderr) == ("", f"10 games in {tmp_path / 'games'}\n")
    result = invoke(["export", str(path), "--out", str(tmp_path / "games.csv")])
    assert result.exit_code == 0
    assert (tmp_path / "games.csv").read_bytes() == (tmp_path / "games").read_bytes()
    result = invoke(["export", str(path), "--out", str(tmp_path / "games.xml")])
    assert result.exit_code == 2
    assert "ends in none of .jsonl, .csv, .parquet" in result.stderr
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
