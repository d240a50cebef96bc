"""Stores of older versions: a real one is brought up to date with everything that is in it, and
goes on; a step that fails changes nothing.

``data/stores/version-5.sqlite`` was written by plyground at commit 9cfb524, before 1.0, and brought
to the tables of 1.0 by version 1.0: ten of the eighteen
games of Plan("tic_tac_toe", ("random", "greedy", "minimax:depth=2"), pairs=3, seed=5); "with
faults", in which tests/broken/agents.py's Raises forfeits; "with repeats", two deterministic agents
without openings. ``sealed.sqlite`` was written by plyground 1.0.0, which sealed stores: the
games of Plan("tic_tac_toe", ("random", "greedy"), pairs=3), and, as "named", of the same game,
("minimax:depth=2", "greedy"), pairs=2, seed=5.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import invoke
from helpers import OLD_STORE, run
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import report_store
from plyground.evaluation.store import schema as store_schema
from plyground.evaluation.store.store import Store, StoreError


@pytest.fixture
def old(tmp_path):
    """A copy of the store of version 5."""
    return Path(shutil.copy(OLD_STORE, tmp_path / "old.db"))


def plain(path: Path, query: str) -> list[tuple]:
    """What SQLite itself finds in a file, which it leaves as it is."""
    connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def columns(path: Path, table: str) -> list[str]:
    return [row[1] for row in plain(path, f"PRAGMA table_info({table})")]


OLD_GAMES = (
    "SELECT tournament, pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, "
    "reason, fault, seconds_0, finished FROM games"
)


def test_the_data_is_a_store_of_1_0():
    assert plain(OLD_STORE, "PRAGMA user_version") == [(store_schema.OLDEST_VERSION,)]
    assert "conditions" not in columns(OLD_STORE, "games")
    assert plain(OLD_STORE, "SELECT tournament, count(*) FROM games GROUP BY tournament") == [
        (1, 10),
        (2, 4),
        (3, 6),
    ]


@pytest.mark.parametrize("version", range(1, store_schema.OLDEST_VERSION))
def test_a_store_from_before_1_0_is_refused_and_left_as_it_is(old, version):
    connection = sqlite3.connect(old)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    content = old.read_bytes()
    with pytest.raises(StoreError, match=r"before 1\.0; version 1\.0 brings it up to date, or"):
        Store(old).open()
    assert old.read_bytes() == content


def test_an_old_store_is_brought_up_to_date_with_everything_in_it(old):
    with Store(old) as store:
        tournaments = store.tournaments()
        assert [(t.name, t.pairs, len(t.agents), t.left_out, t.command) for t in tournaments] == [
            ("tic_tac_toe 3de798fd", 3, 3, 0, None),
            ("with faults", 2, 2, 0, None),
            ("with repeats", 3, 2, 0, None),
        ]
        assert [sum(1 for _ in store.games(t.number)) for t in tournaments] == [10, 4, 6]
        assert {game.result.fault for game in store.games(2)} == {"raised"}
    assert plain(old, "PRAGMA user_version") == [(store_schema.SCHEMA_VERSION,)]
    assert plain(old, OLD_GAMES) == plain(OLD_STORE, OLD_GAMES)


def test_an_updated_store_has_the_tables_of_a_new_one(old, tmp_path):
    Store(old).open().close()
    Store(tmp_path / "new.db").open().close()
    for table in ("tournaments", "agents", "games"):
        assert columns(old, table) == columns(tmp_path / "new.db", table)


def test_an_old_store_can_be_reported(old):
    with Store(old) as store:
        assert [report.table.games for report in report_store(store)] == [10, 4, 6]
        assert store.all_findings() == []


# as plyground 1.0.0 printed them
SEALED_DIGESTS = ["e75ec02b011a18e98ac315d323999f39", "1ad150a60dd5b60b1a8c70f523eaf0cc"]


def test_a_store_of_1_0_keeps_its_digests_without_its_seals_and_goes_on(tmp_path):
    path = Path(shutil.copy(OLD_STORE.with_name("sealed.sqlite"), tmp_path / "store.db"))
    assert plain(path, "PRAGMA user_version") == [(5,)]
    words = ["verify", path, "--games", "0", *(f"--expect={one}" for one in SEALED_DIGESTS)]
    assert invoke(words).exit_code == 0
    assert plain(path, "PRAGMA user_version") == [(5,)]  # nothing is written for this
    with Store(path) as store:
        assert [store.digest(one.number) for one in store.tournaments()] == SEALED_DIGESTS
        assert store.all_findings() == []
    assert "seal" not in columns(path, "tournaments")
    run(Plan("tic_tac_toe", ("random", "random"), pairs=1), path)
    with Store(path) as store:
        assert len(store.tournaments()) == 3
        assert [store.games_until(digest) for digest in SEALED_DIGESTS] == [
            ("tic_tac_toe f079b097", 6),
            ("named", 4),
        ]


def test_a_step_that_fails_leaves_the_store_as_it_was(old, monkeypatch):
    broken = "ALTER TABLE games ADD COLUMN more TEXT;\nALTER TABLE gmes ADD COLUMN x TEXT"
    monkeypatch.setitem(store_schema.STEPS, store_schema.OLDEST_VERSION, broken)
    with pytest.raises(StoreError, match=r"old\.db cannot be opened: no such table: gmes"):
        Store(old).open()
    assert plain(old, "PRAGMA user_version") == [(store_schema.OLDEST_VERSION,)]
    assert plain(old, "SELECT sql FROM sqlite_schema") == plain(
        OLD_STORE, "SELECT sql FROM sqlite_schema"
    )
    assert plain(old, OLD_GAMES) == plain(OLD_STORE, OLD_GAMES)


@pytest.mark.thorough
@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_bring_a_store_up_to_date_at_the_same_moment_agree(count, old):
    code = (
        "import sys; from plyground.evaluation.store.store import Store; print([t.name for t in "
        "Store(sys.argv[1]).tournaments()])"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(old)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * count, outputs
    assert len({output for output, _ in outputs}) == 1
    assert plain(old, OLD_GAMES) == plain(OLD_STORE, OLD_GAMES)


def test_a_newer_store_is_refused_and_left_as_it_is(old):
    connection = sqlite3.connect(old)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    content = old.read_bytes()
    with pytest.raises(
        StoreError,
        match=(
            f"of version 99, this plyground knows versions up to {store_schema.SCHEMA_VERSION}; "
            f"use a newer plyground"
        ),
    ):
        Store(old).open()
    assert old.read_bytes() == content
