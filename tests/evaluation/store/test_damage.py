"""Values of the wrong type, and logs that are lost after a process was killed."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import done, invoke
from helpers import run
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.schema import make_tables
from plyground.evaluation.store.store import Store

PLAN = Plan("tic_tac_toe", ("random", "greedy"), pairs=3)
VALUES = {"blob": "x'00ff'", "text": "'many'", "fraction": "1.5", "nothing": "NULL"}
FITTING = {"blob": (), "text": ("TEXT",), "fraction": ("REAL", "TEXT")}  # a TEXT column makes texts


def wrong_values() -> list[tuple[str, str, str]]:
    """Every column of every table, with each kind of value that does not belong there."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_tables(connection)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return [
            (table, column, kind)
            for (table,) in tables.fetchall()
            for _, column, type_, not_null, _, key in connection.execute(
                f"PRAGMA table_info({table})"
            )
            for kind in VALUES
            if (not_null if kind == "nothing" else type_ not in FITTING[kind])
            if not (column == "number" and key == 1)  # SQLite itself keeps it a whole number
        ]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("damage") / "original.db"
    run(PLAN, path)
    return path


def put(path: Path, table: str, column: str, value: str) -> None:
    """Write a value that the table does not take, into one row."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        query = "SELECT sql FROM sqlite_schema WHERE name = ?"
        (sql,) = connection.execute(query, (table,)).fetchone()
        change = "UPDATE sqlite_schema SET sql = ? WHERE name = ?"
        loose = sql.replace("STRICT", "").replace("NOT NULL", "")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(change, (loose, table))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = 1")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(change, (sql, table))


@pytest.mark.fast_cases(25)
@pytest.mark.parametrize(("table", "column", "kind"), wrong_values())
def test_a_value_of_another_type_is_named_in_one_sentence(table, column, kind, original, tmp_path):
    path = Path(shutil.copy(original, tmp_path / "store.db"))
    put(path, table, column, VALUES[kind])
    commands = {
        "verify": ["verify", path, "--games", "0"],
        "report": ["report", path],
        "export": ["export", path],
        "tournament": ["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "9"],
    }
    commands["tournament"] += ["--store", path]
    results = {name: invoke(words) for name, words in commands.items()}
    for name, result in results.items():
        assert "internal error" not in result.output, (name, result.output)
        assert result.exit_code in (0, 1, 2)
        if result.exit_code == 2:
            assert result.stderr.count("\n") == 1
            assert str(path) in result.stderr
    assert results["tournament"].exit_code == 2, results["tournament"].output
    assert results["verify"].exit_code in (1, 2)
    report = results["report"]
    assert report.exit_code == 2 or "failed its checks" in report.stdout.splitlines()[0]


PLAYING = """
import sys
from plyground.evaluation.store.store import Store
from plyground.evaluation.plan import Plan
from plyground.evaluation.tournament import Tournament
with Store(sys.argv[1]) as store:
    tournament = Tournament(Plan("tic_tac_toe", ("random", "greedy"), 400), store)
    tournament.run(lambda game: print("game", flush=True))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A store whose process was killed, and how many games it had counted by then."""
    path = tmp_path_factory.mktemp("killed") / "store.db"
    words = [sys.executable, "-c", PLAYING, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        count = sum(process.stdout.readline() == "game\n" for _ in range(50))
        process.send_signal(signal.SIGKILL)
        count += sum(line == "game\n" for line in process.stdout)
    return path, count


def cut(log: Path) -> None:
    data = log.read_bytes()
    log.write_bytes(data[: len(data) // 2])


def overwrite(log: Path) -> None:
    data = bytearray(log.read_bytes())
    data[len(data) // 2 :: 7] = bytes(len(data[len(data) // 2 :: 7]))
    log.write_bytes(data)


DAMAGES = {
    "removed": Path.unlink,
    "emptied": lambda log: log.write_bytes(b""),
    "cut": cut,
    "overwritten": overwrite,
    "as it was": lambda log: None,
}


@pytest.mark.parametrize("how", DAMAGES)
def test_a_killed_process_loses_no_game_and_without_its_log_the_store_goes_on(
    how, killed, tmp_path
):
    original, count = killed
    for file in original.parent.glob("store.db*"):
        shutil.copy(file, tmp_path)
    path = tmp_path / "store.db"
    DAMAGES[how](tmp_path / "store.db-wal")
    with Store(path) as store:
        assert (len(store.game_keys(1)) < count) == (how != "as it was")
        assert store.all_findings() == []
    words = ["tournament", "tic_tac_toe", "random", "greedy", "--store", path, "--pairs", "30"]
    done(*words)
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]
