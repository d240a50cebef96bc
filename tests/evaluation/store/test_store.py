"""The results store: what goes in comes out, once; and every place or file that will not do is
refused in one sentence.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from helpers import change_store
from plyground.evaluation.fingerprints import Description
from plyground.evaluation.match import GameResult
from plyground.evaluation.store.schema import FORMAT
from plyground.evaluation.store.store import Store, StoredGame, StoreError

AGENTS = [
    Description("random", {}, "1", label="a"),
    Description("alphabeta:depth=3", {"depth": 3, "ordering": True}, "1", label="b"),
]


def game(pair=0, players=(0, 1), fault=None) -> StoredGame:
    loser = None if fault is None else 1
    result = GameResult((3, 4, 5), (1.0, -1.0), "4 in a row", fault, loser, (0.25, 1e-6), (1, 0))
    return StoredGame(pair, players, (3, 4), (2**63 - 1, 0), result)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store.db") as store:
        yield store


def test_what_goes_in_comes_out(store):
    number = store.enter_tournament("t", {"seed": 1}, AGENTS, 1)
    games = [game(0), game(0, (1, 0), fault="raised"), game(1)]
    assert [store.add(number, one) for one in games] == [True, True, True]
    assert list(store.games(number)) == games
    assert list(store.games(number, pairs=1)) == games[:2]
    assert store.game_keys(number) == {(0, 0, 1), (0, 1, 0), (1, 0, 1)}
    with Store(store.path) as again:
        assert list(again.games(number)) == games


def test_the_same_game_is_never_counted_twice(store):
    number = store.enter_tournament("t", {"seed": 1}, AGENTS, 1)
    first = game()
    assert store.add(number, first)
    other = first._replace(result=first.result._replace(returns=(-1.0, 1.0)))
    assert not store.add(number, other)
    assert list(store.games(number)) == [first]


def test_agents_are_kept_with_all_their_options_and_versions(store):
    number = store.enter_tournament("t", {}, AGENTS, 1)
    query = "SELECT number, label, spec, options, version FROM agents WHERE tournament = ?"
    entry = sqlite3.connect(store.path).execute(query, (number,)).fetchall()
    assert entry == [
        (0, "a", "random", "{}", "1"),
        (1, "b", "alphabeta:depth=3", '{"depth": 3, "ordering": true}', "1"),
    ]


def test_a_tournament_is_entered_once_and_remembers_its_most_pairs(store):
    first = store.enter_tournament("t", {"seed": 1}, AGENTS, 5)
    assert store.enter_tournament("t", {"seed": 1}, AGENTS, 3) == first
    assert store.enter_tournament("u", {"seed": 2}, AGENTS, 3) != first
    query = "SELECT pairs FROM tournaments ORDER BY number"
    assert sqlite3.connect(store.path).execute(query).fetchall() == [(5,), (3,)]


def refusal(path) -> str:
    with pytest.raises(StoreError) as error:
        Store(path).open()
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("number", [0, FORMAT - 1, FORMAT + 1])
def test_a_store_of_another_format_is_refused_and_left_as_it_is(number, tmp_path):
    path = tmp_path / "store.db"
    Store(path).open().close()
    change_store(path, f"PRAGMA user_version = {number}")
    content = path.read_bytes()
    assert f"is a store of format {number}, this plyground reads format {FORMAT};" in refusal(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        b"This is a letter to my aunt, and no store of games at all.\n" * 50,
        b"SQLite format 3\0" + bytes(range(200)),
    ],
)
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(content, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    assert str(path) in refusal(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "other.db"
    change_store(path, "CREATE TABLE recipes (name TEXT)")
    content = path.read_bytes()
    assert "SQLite file of another program" in refusal(path)
    assert path.read_bytes() == content


def test_a_place_that_cannot_hold_a_store_is_refused(tmp_path):
    assert "is a folder" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "missing" / "store.db")
    if Path("/proc/self").exists():
        assert "cannot be opened" in refusal("/proc/store.db")


def test_a_full_disk_is_reported_and_what_was_committed_stays(store):
    number = store.enter_tournament("t", {}, AGENTS, 1000)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    count = 0

    def fill() -> None:
        nonlocal count
        for pair in range(1000):
            store.add(number, game(pair))
            count += 1

    sentence = r"cannot be written: the disk is full .*repeat the command to continue"
    with pytest.raises(StoreError, match=sentence):
        fill()
    with Store(store.path) as again:
        assert len(again.game_keys(number)) == count
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert store.add(number, game(count))


def test_a_store_that_another_process_makes_at_the_same_moment_is_recognised(tmp_path, monkeypatch):
    path, connect_plainly = tmp_path / "store.db", sqlite3.connect

    other = threading.Thread(target=lambda: Store(path).open().close())

    class Interruption(sqlite3.Connection):
        def execute(self, statement, *parameters):
            # between two looks at the file
            if statement == "PRAGMA user_version" and other.ident is None:
                other.start()
                other.join(1.0)
            return super().execute(statement, *parameters)

    def connect(*arguments, **options):
        return connect_plainly(
            *arguments,
            **options,
            factory=sqlite3.Connection if threading.current_thread() is other else Interruption,
        )

    monkeypatch.setattr(sqlite3, "connect", connect)
    with Store(path) as store:
        assert store.enter_tournament("t", {}, AGENTS, 1) == 1
        other.join()
    assert other.ident is not None


def test_a_store_that_is_not_used_leaves_no_file(tmp_path):
    with Store(tmp_path / "store.db"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "store.db"
    path.touch()
    with Store(path) as store:
        assert store.enter_tournament("t", {}, AGENTS, 1) == 1
