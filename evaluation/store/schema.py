"""The tables of the results store."""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
from typing import Any

from ...envs.loading.texts import one_line

APPLICATION_ID = 0x706C7967  # "plyg", in the file's header
FORMAT = 6  # raised by a change of the tables; a store of another format is refused

_TABLES = """
CREATE TABLE tournaments (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,       -- JSON: what decides the games, except their number
    pairs INTEGER NOT NULL,       -- the largest number requested
    created REAL NOT NULL,        -- seconds since 1970
    left_out INTEGER NOT NULL DEFAULT 0, -- games that would have repeated earlier ones
    command TEXT,                 -- the latest command that played the tournament
    sources TEXT                  -- JSON: fingerprints of what decides the games; NULL: unknown
) STRICT;
CREATE TABLE agents (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,      -- place in the tournament, from 0
    label TEXT NOT NULL,          -- as the user wrote it
    spec TEXT NOT NULL,           -- the specification
    options TEXT NOT NULL,        -- JSON: all options, including defaults
    version TEXT NOT NULL,
    sources TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tournament, number)
) STRICT;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,   -- shown to users: never changed, never reused
    tournament INTEGER NOT NULL REFERENCES tournaments,
    pair INTEGER NOT NULL,        -- the games of a pair share the opening
    player_0 INTEGER NOT NULL,    -- the number of the agent in seat 0, who moves first
    player_1 INTEGER NOT NULL,
    opening TEXT NOT NULL,        -- actions, separated by spaces
    moves TEXT NOT NULL,          -- all actions, including the opening
    seed_0 INTEGER NOT NULL,      -- the seed of the agent in seat 0
    seed_1 INTEGER NOT NULL,
    return_0 REAL NOT NULL,
    return_1 REAL NOT NULL,
    reason TEXT NOT NULL,
    fault TEXT,                   -- the kind of fault that ended the game
    forfeited INTEGER,            -- the seat that committed it
    seconds_0 REAL NOT NULL,      -- thinking time
    seconds_1 REAL NOT NULL,
    decisions_0 INTEGER NOT NULL, -- moves that the agent chose
    decisions_1 INTEGER NOT NULL,
    finished REAL NOT NULL,       -- seconds since 1970
    tokens_0 INTEGER NOT NULL DEFAULT 0, -- of language models
    tokens_1 INTEGER NOT NULL DEFAULT 0,
    conditions TEXT NOT NULL DEFAULT '', -- JSON, see circumstances.py; empty: unknown
    UNIQUE (tournament, pair, player_0, player_1)
) STRICT;
"""


def make_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of a store in an empty file, in the open transaction."""
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str}


@functools.cache
def _types(table: str) -> dict[str, tuple[type, ...]]:
    """The types that the values of each column may have."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_tables(connection)
        return {
            name: (_TYPES[kind],) if not_null or key else (_TYPES[kind], type(None))
            for _, name, kind, not_null, _, key in connection.execute(f"PRAGMA table_info({table})")
        }


@functools.cache
def _types_of(table: str, columns: str) -> tuple[tuple[type, ...], ...]:
    return tuple(_types(table)[name.strip()] for name in columns.split(","))


def check_types(table: str, columns: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with each text in one line; ValueError if a value has the wrong type.

    SQLite checks the types when it writes, but a file may be damaged or edited.
    """
    for value, types in zip(row, _types_of(table, columns)):
        if type(value) not in types:
            place = [type(value) in types for value, types in zip(row, _types_of(table, columns))]
            name = columns.split(",")[place.index(False)].strip()
            raise ValueError(f"{name} in {table} has the wrong type: {str(value)[:40]!r}")
    return tuple(map(one_line, row))


Parts = dict[tuple[str, str], str]  # the SQL that made each table, index, trigger and view


@functools.cache
def _own_parts() -> Parts:
    """The parts of a new store."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_tables(connection)
        return _parts(connection)


def _parts(connection: sqlite3.Connection) -> Parts:
    # Comments differ between versions of plyground, quotes and spaces between versions of SQLite.
    return {
        (kind, name): "".join(re.sub(r"--.*", "", sql or "").replace('"', "").split())
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
        if not name.startswith("sqlite_stat")  # statistics of ANALYZE
    }


def differences(connection: sqlite3.Connection) -> list[str]:
    """The tables, indexes, triggers and views that differ from the schema."""
    own, there = _own_parts(), _parts(connection)
    missing = [f"the {kind} {name} is missing" for kind, name in own if (kind, name) not in there]
    return missing + [
        f"the {kind} {name} " + ("was altered" if (kind, name) in own else "is unknown")
        for (kind, name), sql in there.items()
        if own.get((kind, name)) != sql
    ]
