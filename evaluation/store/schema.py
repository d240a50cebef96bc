"""The tables of the results store, and the way there from those of plyground 1.0.

A store is brought up to date in one transaction: it is of the old version or of the new one, never
between them. A change of the tables is one more entry of :data:`STEPS`; those that were released
are never edited.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from ...envs.loading.texts import one_line

APPLICATION_ID = 0x706C7967  # "plyg", in the file's header

_TABLES = """
CREATE TABLE tournaments (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,       -- JSON: what decides the games, except how many
    pairs INTEGER NOT NULL,       -- the most that were asked for
    created REAL NOT NULL,        -- seconds since 1970
    left_out INTEGER NOT NULL DEFAULT 0, -- games that would have repeated earlier ones
    command TEXT,                 -- the latest that asked for the tournament
    sources TEXT                  -- JSON: fingerprints of what decides the games; NULL: not known
) STRICT;
CREATE TABLE agents (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,      -- place in the tournament, from 0
    label TEXT NOT NULL,          -- as the user wrote it
    spec TEXT NOT NULL,           -- the specification that makes it
    options TEXT NOT NULL,        -- JSON: all options, defaults included
    version TEXT NOT NULL,
    sources TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tournament, number)
) STRICT;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,   -- by which people name it: never changed, never given again
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
    tokens_0 INTEGER NOT NULL DEFAULT 0, -- of language models
    tokens_1 INTEGER NOT NULL DEFAULT 0,
    conditions TEXT NOT NULL DEFAULT '', -- JSON, see circumstances.py; empty: not known
    UNIQUE (tournament, pair, player_0, player_1)
) STRICT;
"""

# Stores of 1.0 know no conditions. They hold digests, which are worked out from the contents now:
# what the file said of itself, its owner could renew.
_FROM_1_0 = """
ALTER TABLE games ADD COLUMN conditions TEXT NOT NULL DEFAULT '';
ALTER TABLE tournaments DROP COLUMN games;
ALTER TABLE tournaments DROP COLUMN last_link;
ALTER TABLE tournaments DROP COLUMN seal;
ALTER TABLE games DROP COLUMN digest;
ALTER TABLE games DROP COLUMN link;
DROP TABLE contents;
"""

OLDEST_VERSION = 5  # that of plyground 1.0
STEPS = {OLDEST_VERSION: _FROM_1_0}  # a version, and the step to the next one
SCHEMA_VERSION = OLDEST_VERSION + len(STEPS)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the tables from ``version`` (0: an empty file) to today's, in the open transaction."""
    steps = [STEPS[number] for number in range(version, SCHEMA_VERSION)] if version else [_TABLES]
    for step in steps:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


EARLIER_FORMAT = "schedule"  # a key of the settings of tournaments of 1.0, which has another name
_OPENINGS_OF_1_0 = re.compile(
    r"(?:(?P<random>\d+) random plies|all positions after (?P<all>\d+) plies"
    r"|(?P<swap2>\d+) stones of swap2|(?P<file>file \w+))(?P<transform>, transformed)?"
    r"(?:, balanced by (?P<balanced>.+) within (?P<within>\S+))?"
)
_LIMITS_OF_1_0 = {
    "move_timeout": r"(\S+) s a move",
    "game_time": r"(\S+) s a game",
    "memory_limit": r"(\S+) MiB of memory",
}


def settings_of_1_0(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a tournament as plyground 1.0 wrote them, in today's form.

    It had words in the place of openings and limits. The file keeps them, so that its digests stay.
    """
    own = ("game", "rules", "agents", "agent versions", "seed", "test")
    now = {name: settings[name] for name in own if name in settings}
    now["format"] = str(settings[EARLIER_FORMAT]).replace("round robin", "round-robin")
    for name in ("draw_after", "agreed_after"):
        if (earlier := name.replace("_", " ")) in settings:
            now[name] = settings[earlier]
    openings = _OPENINGS_OF_1_0.fullmatch(str(settings.get("openings")))
    for name, value in ({} if openings is None else openings.groupdict()).items():
        if value is None:
            continue
        if name in ("random", "all", "swap2", "file"):
            now["opening"] = value if name == "file" else f"{name}:{value}"
        else:
            now[name] = {"transform": True, "within": _number(value)}.get(name, value)
    limits = str(settings.get("limits", ""))
    for name, pattern in _LIMITS_OF_1_0.items():
        if (limit := re.search(pattern, limits)) is not None:
            now[name] = f"{limit[1]}M" if name == "memory_limit" else _number(limit[1])
    return now | ({"clock": "cpu"} if limits.endswith("by processor time") else {})


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


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
    """The row, each text in one line; ValueError if a value is not of its column's type.

    SQLite keeps to the types when it writes. A file that was damaged or edited may not.
    """
    for value, types in zip(row, _types_of(table, columns)):
        if type(value) not in types:
            place = [type(value) in types for value, types in zip(row, _types_of(table, columns))]
            name = columns.split(",")[place.index(False)].strip()
            raise ValueError(f"{name} in {table} is {str(value)[:40]!r}")
    return tuple(map(one_line, row))


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
