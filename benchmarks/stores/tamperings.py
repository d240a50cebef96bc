"""Tamperings of a store: which of them ``plyground verify`` detects.

    python benchmarks/stores/tamperings.py

A small store is altered in every way of :data:`TAMPERINGS`, one at a time: values, rows, tables,
the file, older copies. The last line gives the number detected by the contents alone, and the
number detected with ``--expect``; ``-v`` lists the latter. The exit status is 1 if others remain,
except :data:`NO_PART`, which no digest covers.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import cyclopts
from plyground.commands.app import run
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

Tampering = str | Callable[[Path], None]
PLAN = Plan("tic_tac_toe", ("random", "greedy"), pairs=3)
SECOND, MORE = PLAN.replace(seed=2), 4  # a second tournament; its later number of pairs
GAME = "WHERE number = 5"

# a different value for every column of every table
VALUES = {
    "games": {
        "number": "number + 90",
        "tournament": "tournament + 5",
        "pair": "pair + 40",
        "player_0": "1 - player_0",
        "player_1": "1 - player_1",
        "opening": "'8 ' || opening",
        "moves": "moves || ' 8'",
        "seed_0": "seed_0 + 1",
        "seed_1": "seed_1 - 1",
        "return_0": "return_0 - 1",
        "return_1": "return_1 + 1",
        "reason": "'because'",
        "fault": "'raised'",
        "forfeited": "1",
        "seconds_0": "seconds_0 / 2",
        "seconds_1": "9e9",
        "decisions_0": "decisions_0 + 1",
        "decisions_1": "0",
        "finished": "finished - 86400",
        "tokens_0": "70",
        "tokens_1": "tokens_1 + 1",
    },
    "agents": {
        "number": "number + 7",
        "tournament": "tournament + 7",
        "label": "'stockfish'",
        "spec": "'random'",
        "options": "'{\"depth\": 9}'",
        "version": "'plyground 9'",
        "sources": "'feedbeef'",
    },
    "tournaments": {
        "number": "number + 4",
        "name": "name || '!'",
        "settings": "replace(settings, '\"seed\": ', '\"seed\": 1')",
        "pairs": "pairs + 1",
        "created": "created + 1",
        "left_out": "4",
        "command": "'rm -r /'",
        "sources": "'{}'",
    },
}
# unique columns, which cannot be changed in all rows
COLLISIONS = {("games", name) for name in ("number", "player_0", "player_1")}
ROWS = {
    "a game in the middle is deleted": f"DELETE FROM games {GAME}",
    "the first game is deleted": "DELETE FROM games WHERE number = 1",
    "the last game is deleted": "DELETE FROM games WHERE number = (SELECT max(number) FROM games)",
    "a pair is deleted": "DELETE FROM games WHERE tournament = 1 AND pair = 1",
    "lost games are deleted": "DELETE FROM games WHERE return_0 < 0",
    "the games of a tournament are deleted": "DELETE FROM games WHERE tournament = 2",
    "all games are deleted": "DELETE FROM games",
    "an agent is deleted": "DELETE FROM agents WHERE tournament = 1 AND number = 1",
    "all agents are deleted": "DELETE FROM agents",
    "an agent is put in": "INSERT INTO agents VALUES (1, 2, 'a', 'random', '{}', '1', '')",
    "a tournament is deleted": (
        "DELETE FROM games WHERE tournament = 2; DELETE FROM agents WHERE tournament = 2;"
        "DELETE FROM tournaments WHERE number = 2"
    ),
    "only a tournament's row is deleted": "DELETE FROM tournaments WHERE number = 1",
    "a tournament is put in": (
        "INSERT INTO tournaments (name, settings, pairs, created) VALUES ('new', '{}', 1, 0)"
    ),
    "a tournament is doubled": (
        "INSERT INTO tournaments SELECT 9, name || '2', settings, pairs, created, left_out, "
        "command, sources FROM tournaments WHERE number = 1"
    ),
    "everything is deleted": "DELETE FROM games; DELETE FROM agents; DELETE FROM tournaments",
    "a game is doubled": (
        "CREATE TEMP TABLE copy AS SELECT * FROM games WHERE number = 5;"
        "UPDATE copy SET number = 99, pair = 77; INSERT INTO games SELECT * FROM copy"
    ),
    "a game takes another's place": (
        "CREATE TEMP TABLE copy AS SELECT * FROM games WHERE number = 5;"
        "UPDATE copy SET number = 6, pair = (SELECT pair FROM games WHERE number = 6),"
        "player_0 = (SELECT player_0 FROM games WHERE number = 6),"
        "player_1 = (SELECT player_1 FROM games WHERE number = 6);"
        "INSERT OR REPLACE INTO games SELECT * FROM copy"
    ),
    "two games change places": (
        "UPDATE games SET number = 999 WHERE number = 5;"
        "UPDATE games SET number = 5 WHERE number = 6;"
        "UPDATE games SET number = 6 WHERE number = 999"
    ),
    "two games exchange their results": (
        "CREATE TEMP TABLE copy AS SELECT * FROM games;"
        "UPDATE games SET (moves, return_0, return_1, reason) = (SELECT moves, return_0,"
        "return_1, reason FROM copy WHERE number = 11 - games.number) "
        "WHERE number IN (5, 6)"
    ),
    "seats are swapped": (
        f"UPDATE games SET pair = 99 {GAME};"
        f"UPDATE games SET player_0 = player_1, player_1 = player_0 {GAME}"
    ),
    "agents change places": (
        "UPDATE agents SET number = 9 WHERE number = 0; UPDATE agents SET number = 0 WHERE number "
        "= 1; UPDATE agents SET number = 1 WHERE number = 9"
    ),
    "tournaments change names": (
        "UPDATE tournaments SET name = 'x' WHERE number = 1; UPDATE tournaments SET name = (SELECT "
        "name FROM tournaments WHERE number = 1) || 'y' WHERE number = 2"
    ),
    "tournaments change numbers": (
        "UPDATE tournaments SET number = 9 WHERE number = 1;"
        "UPDATE tournaments SET number = 1 WHERE number = 2;"
        "UPDATE tournaments SET number = 2 WHERE number = 9"
    ),
    "a game moves to the other tournament": (f"UPDATE games SET tournament = 2, pair = 50 {GAME}"),
    "a result is turned round": (
        f"UPDATE games SET return_0 = 1 - return_0, return_1 = return_0 - 1 {GAME}"
    ),
    "the labels of agents change places": (
        "UPDATE agents SET label = (SELECT label FROM agents a WHERE a.tournament = "
        "agents.tournament AND a.number = 1 - agents.number)"
    ),
    "a forfeit is made up": f"UPDATE games SET fault = 'hung', forfeited = 0 {GAME}",
    "a result is no number": f"UPDATE games SET return_0 = 9e999 {GAME}",
    "a reason has an end of text in it": (
        f"UPDATE games SET reason = reason || char(0) || 'x' {GAME}"
    ),
    "a text is changed by one sign that is not shown": (
        f"UPDATE games SET reason = reason || char(8203) {GAME}"
    ),
}
IGNORING = "CREATE TRIGGER quiet BEFORE INSERT ON games BEGIN SELECT RAISE(IGNORE); END"
TABLES = {
    "a trigger ignores games": IGNORING,
    **{
        f"a trigger ignores {what} a game": (
            f"CREATE TRIGGER quiet BEFORE {what} ON games BEGIN SELECT RAISE(IGNORE); END"
        )
        for what in ("UPDATE", "DELETE")
    },
    **{
        f"a trigger after {what} of {table} deletes games": (
            f"CREATE TRIGGER loses AFTER {what} ON {table} BEGIN DELETE FROM games WHERE "
            "return_0 < 0; END"
        )
        for what in ("INSERT", "UPDATE")
        for table in ("games", "tournaments", "agents")
    },
    "a trigger turns results": (
        "CREATE TRIGGER turns AFTER INSERT ON games BEGIN UPDATE games SET return_0 = 1 "
        "WHERE number = new.number; END"
    ),
    "an index lets no course be stored twice": "CREATE UNIQUE INDEX once ON games (moves)",
    "an index is put in": "CREATE INDEX quick ON games (finished)",
    "an index of a part is put in": "CREATE INDEX part ON games (pair) WHERE return_0 < 0",
    "a view is put in": "CREATE VIEW won AS SELECT * FROM games WHERE return_0 > 0",
    "a table is put in": "CREATE TABLE notes (text TEXT)",
    "a virtual table is put in": "CREATE VIRTUAL TABLE words USING fts5(text)",
    "games get a column": "ALTER TABLE games ADD COLUMN more TEXT",
    "games get a computed column": (
        "ALTER TABLE games ADD COLUMN more REAL AS (return_0 - return_1) VIRTUAL"
    ),
    "agents get a column": "ALTER TABLE agents ADD COLUMN more TEXT",
    "a column of a tournament is renamed": (
        "ALTER TABLE tournaments RENAME COLUMN left_out TO missing"
    ),
    "a column of games is dropped": "ALTER TABLE games DROP COLUMN finished",
    "tokens are dropped": "ALTER TABLE games DROP COLUMN tokens_1",
    "games are dropped": "DROP TABLE games",
    "agents are dropped": "DROP TABLE agents",
    "games are renamed": "ALTER TABLE games RENAME TO old_games",
    "a view stands in for games": (
        "ALTER TABLE games RENAME TO all_games;"
        "CREATE VIEW games AS SELECT * FROM all_games WHERE return_0 >= 0"
    ),
    "a table without rules stands in for games": (
        "CREATE TABLE copy AS SELECT * FROM games; DROP TABLE games;"
        "ALTER TABLE copy RENAME TO games"
    ),
    "games get a condition": (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
        "'tokens_1 INTEGER', 'tokens_1 INTEGER CHECK (return_0 >= 0)') WHERE name = 'games'"
    ),
    "texts of agents are compared without case": (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
        "'label TEXT', 'label TEXT COLLATE NOCASE') WHERE name = 'agents'"
    ),
    "games lose their rule that each is there once": (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
        "'UNIQUE (tournament, pair, player_0, player_1)', 'CHECK (1)') WHERE name = 'games'"
    ),
    "the version is lowered": "PRAGMA user_version = 4",
    "the version is that of an empty file": "PRAGMA user_version = 0",
    "the version is raised": "PRAGMA user_version = 99",
    "the program's mark is wiped": "PRAGMA application_id = 0",
    "the program's mark is another": "PRAGMA application_id = 77",
}


def _cut(share: float) -> Tampering:
    def cut(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return cut


def _overwrite(place: Callable[[bytes], int], new: bytes) -> Tampering:
    def overwrite(path: Path) -> None:
        data = bytearray(path.read_bytes())
        start = place(bytes(data))
        data[start : start + len(new)] = new
        path.write_bytes(data)

    return overwrite


def _fresh(path: Path) -> None:
    path.unlink()
    Store(path).open().close()


def _another(path: Path) -> None:
    path.unlink()
    with Store(path) as store:
        Tournament(PLAN.replace(agents=("greedy", "greedy")), store).run()


def _earlier(path: Path) -> None:
    shutil.copy(path.with_name("earlier.db"), path)


def _replayed(path: Path) -> None:
    path.unlink()
    with Store(path) as store:
        for plan in (PLAN, SECOND.replace(pairs=MORE)):
            Tournament(plan, store).run()


FILE: dict[str, Tampering] = {
    "the file is emptied": _cut(0),
    "the file is cut after its header": _cut(0.01),
    "half of the file is missing": _cut(0.5),
    "the last page is missing": _cut(0.9),
    "the header is overwritten": _overwrite(lambda data: 0, b"\0" * 100),
    "the first bytes are another format's": _overwrite(lambda data: 0, b"PK\x03\x04"),
    "a page is wiped": _overwrite(lambda data: 4096 * 2, b"\0" * 4096),
    "a byte of a reason is changed": _overwrite(lambda data: data.index(b"board is full"), b"B"),
    "a byte of the settings is changed": _overwrite(lambda data: data.index(b'"game"') + 1, b"G"),
    "a text stands in its place": lambda path: path.write_text("all games were won\n") and None,
    "a new store stands in its place": _fresh,
    "the file is removed": Path.unlink,
}
COPIES: dict[str, Tampering] = {
    "an older copy stands in its place": _earlier,
    "a store of other agents stands in its place": _another,
    "the games were played anew": _replayed,
}
TAMPERINGS: dict[str, Tampering] = {
    **{
        f"{table}.{column} of {where}": f"UPDATE {table} SET {column} = {value}{condition}"
        for table, columns in VALUES.items()
        for column, value in columns.items()
        for where, condition in (
            ("all", ""),
            *([("one game", f" {GAME}")] if table == "games" else []),
        )
        if where != "all" or (table, column) not in COLLISIONS
    },
    **ROWS,
    **TABLES,
    **FILE,
    **COPIES,
}
# columns that do not concern the games: the requested pairs and the command
NO_PART = [
    "tournaments.pairs of all",
    "tournaments.left_out of all",
    "tournaments.command of all",
]


def make_store(path: Path) -> list[str]:
    """Create a store of two tournaments, and an older copy; returns the store's digests.

    Args:
        path: the file; the copy is ``earlier.db`` in the same folder.
    """
    with Store(path) as store:
        for plan in (PLAN, SECOND):
            Tournament(plan, store).run()
    shutil.copy(path, path.with_name("earlier.db"))
    with Store(path) as store:
        Tournament(SECOND.replace(pairs=MORE), store).run()
        return [store.digest(one.number) for one in store.tournaments()]


def apply(path: Path, tampering: Tampering) -> None:
    """Tamper with a store."""
    if not isinstance(tampering, str):
        tampering(path)
        return
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA foreign_keys = OFF;" + tampering)
        connection.commit()


def findings(path: Path, digests: list[str]) -> tuple[int, str]:
    """The exit status and the output of ``verify`` with these expected digests."""
    output = io.StringIO()
    words = ["verify", str(path), "--games", "0", *(f"--expect={one}" for one in digests)]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = run(words)
    return status, output.getvalue()


def main(*, verbose: Annotated[bool, cyclopts.Parameter(alias="-v", negative=())] = False) -> int:
    """Tamper in every way, and print what was detected; returns the exit status.

    Args:
        verbose: also print what only the digests detect
    """
    by_digest, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        original = Path(folder) / "original.db"
        digests = make_store(original)
        assert findings(original, digests)[0] == 0, findings(original, digests)
        for name, tampering in TAMPERINGS.items():
            path = Path(shutil.copy(original, Path(folder) / "store.db"))
            apply(path, tampering)
            status, text = findings(path, [])
            if status == 0:
                status, _ = findings(path, digests)
                by_digest += status != 0
                failures += status == 0 and name not in NO_PART
                if status == 0 or verbose:
                    print(f"{'named by a digest' if status else 'not named'}: {name}")
            elif "internal error" in text:
                failures += 1
                print(f"{name}: {' '.join(text.split())[:160]}")
            for each in Path(folder).glob("store.db*"):
                each.unlink()
    named = len(TAMPERINGS) - by_digest - len(NO_PART) - failures
    print(f"{len(TAMPERINGS)} tamperings, {named} named, {by_digest} more by a digest")
    return 1 if failures else 0


if __name__ == "__main__":
    cyclopts.run(main)
