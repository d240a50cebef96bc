"""The tables of the results store, as the steps from an empty file to today's version.

A change of the tables is one more step at the end of :data:`STEPS`; steps that have been released
are never edited. A new store goes through all of them, an older one through those it lacks, in one
transaction: it is of the old version or of the new one, never between them.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
from typing import Any

APPLICATION_ID = 0x706C7967  # "plyg", in the file's header

_GAMES_AND_AGENTS = """
CREATE TABLE tournaments (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,       -- JSON: what decides the games, except how many
    pairs INTEGER NOT NULL,       -- the most that were asked for
    created REAL NOT NULL         -- seconds since 1970
) STRICT;
CREATE TABLE agents (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,      -- place in the tournament, from 0
    label TEXT NOT NULL,          -- as the user wrote it
    spec TEXT NOT NULL,           -- the specification that makes it
    options TEXT NOT NULL,        -- JSON: all options, defaults included
    version TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
) STRICT;
CREATE TABLE games (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    pair INTEGER NOT NULL,        -- the games of a pair share the opening
    player_0 INTEGER NOT NULL,    -- the number of the agent in seat 0, who moves first
    player_1 INTEGER NOT NULL,
    opening TEXT NOT NULL,        -- actions, separated by spaces
    moves TEXT NOT NULL,          -- all actions, those of the opening first
    seed_0 INTEGER NOT NULL,      -- what the agent in seat 0 was reset with
    seed_1 INTEGER NOT NULL,
    return_0 REAL NOT NULL,
    return_1 REAL NOT NULL,
    reason TEXT NOT NULL,
    fault TEXT,                   -- the kind of fault that ended the game
    forfeited INTEGER,            -- the seat that committed it
    seconds_0 REAL NOT NULL,      -- thinking time
    seconds_1 REAL NOT NULL,
    decisions_0 INTEGER NOT NULL, -- moves asked for
    decisions_1 INTEGER NOT NULL,
    finished REAL NOT NULL,       -- seconds since 1970
    PRIMARY KEY (tournament, pair, player_0, player_1)
) STRICT;
"""

# How many games were left out because deterministic agents would have repeated earlier ones; the
# latest command that asked for the tournament.
_LEFT_OUT_AND_COMMAND = """
ALTER TABLE tournaments ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tournaments ADD COLUMN command TEXT;
"""

# A number for each game, by which people name it: it never changes, and is never given again.
_NUMBERED_GAMES = """
CREATE TABLE numbered_games (
    number INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments,
    pair INTEGER NOT NULL,
    player_0 INTEGER NOT NULL,
    player_1 INTEGER NOT NULL,
    opening TEXT NOT NULL,
    moves TEXT NOT NULL,
    seed_0 INTEGER NOT NULL,
    seed_1 INTEGER NOT NULL,
    return_0 REAL NOT NULL,
    return_1 REAL NOT NULL,
    reason TEXT NOT NULL,
    fault TEXT,
    forfeited INTEGER,
    seconds_0 REAL NOT NULL,
    seconds_1 REAL NOT NULL,
    decisions_0 INTEGER NOT NULL,
    decisions_1 INTEGER NOT NULL,
    finished REAL NOT NULL,
    UNIQUE (tournament, pair, player_0, player_1)
) STRICT;
INSERT INTO numbered_games SELECT rowid, * FROM games ORDER BY rowid;
DROP TABLE games;
ALTER TABLE numbered_games RENAME TO games;
"""

# The fingerprints of the sources that decide the games, NULL where they are not known; digests of
# what the store holds, which a later step drops.
_SOURCES_AND_DIGESTS = """
ALTER TABLE tournaments ADD COLUMN sources TEXT;
ALTER TABLE tournaments ADD COLUMN games INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tournaments ADD COLUMN last_link TEXT NOT NULL DEFAULT '';
ALTER TABLE tournaments ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN sources TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN link TEXT NOT NULL DEFAULT '';
CREATE TABLE contents (tournaments TEXT NOT NULL) STRICT;
INSERT INTO contents VALUES ('');
"""

# The tokens of language models in a game.
_TOKENS = """
ALTER TABLE games ADD COLUMN tokens_0 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN tokens_1 INTEGER NOT NULL DEFAULT 0;
"""

# Under what a game was played, as JSON; empty where that is not known. See circumstances.py.
# Digests are worked out from the contents: what the file said of itself, its owner could renew.
_CONDITIONS_AND_NO_SEALS = """
ALTER TABLE games ADD COLUMN conditions TEXT NOT NULL DEFAULT '';
ALTER TABLE tournaments DROP COLUMN games;
ALTER TABLE tournaments DROP COLUMN last_link;
ALTER TABLE tournaments DROP COLUMN seal;
ALTER TABLE games DROP COLUMN digest;
ALTER TABLE games DROP COLUMN link;
DROP TABLE contents;
"""

# step n leads from version n to version n + 1
STEPS = (
    _GAMES_AND_AGENTS,
    _LEFT_OUT_AND_COMMAND,
    _NUMBERED_GAMES,
    _SOURCES_AND_DIGESTS,
    _TOKENS,
    _CONDITIONS_AND_NO_SEALS,
)
SCHEMA_VERSION = len(STEPS)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the tables from ``version`` (0: an empty file) to today's, in the open transaction."""
    for step in STEPS[version:]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(STEPS)}")


_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str}


@functools.cache
def _types(table: str) -> dict[str, tuple[type, ...]]:
    """The types that the values of each column may have."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, 0)
        return {
            name: (_TYPES[kind],) if not_null or key else (_TYPES[kind], type(None))
            for _, name, kind, not_null, _, key in connection.execute(f"PRAGMA table_info({table})")
        }


@functools.cache
def _types_of(table: str, columns: str) -> tuple[tuple[type, ...], ...]:
    return tuple(_types(table)[name.strip()] for name in columns.split(","))


def check_types(table: str, columns: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row again; ValueError if a value of these columns is not of its column's type.

    SQLite keeps to the types when it writes. A file that was damaged or edited may not.
    """
    for value, types in zip(row, _types_of(table, columns)):
        if type(value) not in types:
            place = [type(value) in types for value, types in zip(row, _types_of(table, columns))]
            name = columns.split(",")[place.index(False)].strip()
            raise ValueError(f"{name} in {table} is {str(value)[:40]!r}")
    return row


Parts = dict[tuple[str, str], str]  # the SQL that made each table, index, trigger and view


@functools.cache
def _own_parts() -> Parts:
    """The parts of a store as plyground makes them."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, 0)
        return _parts(connection)


def _parts(connection: sqlite3.Connection) -> Parts:
    # Comments have changed with plyground, quotes and spaces with SQLite.
    return {
        (kind, name): "".join(re.sub(r"--.*", "", sql or "").replace('"', "").split())
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
        if not name.startswith("sqlite_stat")  # the statistics of ANALYZE change no answer
    }


def differences(connection: sqlite3.Connection) -> list[str]:
    """The tables, indexes, triggers and views that are not as plyground makes them."""
    own, there = _own_parts(), _parts(connection)
    missing = [f"the {kind} {name} is missing" for kind, name in own if (kind, name) not in there]
    return missing + [
        f"the {kind} {name} " + ("was altered" if (kind, name) in own else "is not plyground's")
        for (kind, name), sql in there.items()
        if own.get((kind, name)) != sql
    ]
