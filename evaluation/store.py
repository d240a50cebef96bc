"""The results store: one SQLite file that holds tournaments, their agents and every finished game.

Each game is one transaction. The file is in write-ahead-log mode: a process killed at any moment loses at most the game it
was playing, several processes can work on one file, and one can read while another writes. The order in which a machine that loses power
had written its last games may cost those games, never the file.
Source: the SQLite documentation, "Write-Ahead Logging" and "PRAGMA synchronous".
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .match import GameResult

APPLICATION_ID = 0x706C7967  # "plyg", in the file's header
SCHEMA_VERSION = 1
BUSY_SECONDS = 30.0

SCHEMA = """
CREATE TABLE tournaments (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,       -- JSON: everything that decides which games are played, except how many
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

GameKey = tuple[int, int, int]  # pair, the agents' numbers by seat


class StoreError(Exception):
    """The store cannot be opened, read or written, or holds something else; the message says what to do."""


class AgentEntry(NamedTuple):
    """An agent of a tournament as the store keeps it: name to show, specification, all options, version."""

    label: str
    spec: str
    options: dict[str, Any]
    version: str


class StoredGame(NamedTuple):
    """A finished game of a tournament: pair, agents' numbers by seat, opening, seeds by seat, and the result."""

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]
    result: GameResult


class StoredTournament(NamedTuple):
    """A tournament as the store keeps it: number, name, what decides which games are played, the most pairs asked for, agents."""

    number: int
    name: str
    settings: dict[str, Any]
    pairs: int
    agents: list[AgentEntry]


class Store:
    """A results store. Usable as a context manager; the file is opened, or made, when it is first needed.

    Raises (all methods):
        StoreError: the place cannot be written, the file is no plyground store or one of another version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._opened: sqlite3.Connection | None = None

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._connect()
        return self._opened

    def _connect(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder; name a file to keep the games in")
        if not self.path.absolute().parent.is_dir():
            raise StoreError(f"the folder {self.path.absolute().parent} for the store does not exist")
        with self._errors("opened"):
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """Check whose file it is, and make the tables of a new one."""
        with _transaction(connection, "DEFERRED"):  # all that is read belongs to one moment
            ours = self._is_ours(connection)
        if not ours:
            with _transaction(connection):
                if not self._is_ours(connection):  # another process may have been quicker
                    for statement in SCHEMA.split(";\n"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is a store of this version (True) or new (False); StoreError if it is anything else."""
        application, version, tables = (
            connection.execute(query).fetchone()[0]
            for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
        )
        if application == APPLICATION_ID and version != SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} is a plyground store of version {version}, this plyground reads version {SCHEMA_VERSION}; "
                "choose another file with --store FILE"
            )
        if application != APPLICATION_ID and tables:
            raise StoreError(f"{self.path} is an SQLite file of another program; choose another file with --store FILE")
        return bool(application == APPLICATION_ID)

    def open(self) -> Store:
        """Open or make the file now; returns this store."""
        assert self._connection
        return self

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        """Turn what SQLite says into one sentence that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            if error.sqlite_errorname == "SQLITE_NOTADB":
                raise StoreError(f"{self.path} is no plyground store; choose another file with --store FILE") from None
            raise StoreError(f"the store {self.path} cannot be {action}: {error}") from error

    def enter_tournament(self, name: str, settings: dict[str, Any], agents: list[AgentEntry], pairs: int) -> int:
        """The number of the tournament of that name, entered now if the store does not hold it yet.

        Raises:
            StoreError: the name belongs to a tournament with other settings.
        """
        with self._errors("written"), _transaction(self._connection):
            row = self._connection.execute("SELECT number, settings FROM tournaments WHERE name = ?", (name,)).fetchone()
            if row is not None:
                self._check_settings(name, json.loads(row[1]), settings)
                self._connection.execute("UPDATE tournaments SET pairs = max(pairs, ?) WHERE number = ?", (pairs, row[0]))
                return int(row[0])
            values = (name, json.dumps(settings), pairs, time.time())
            number = self._connection.execute("INSERT INTO tournaments (name, settings, pairs, created) VALUES (?, ?, ?, ?)", values).lastrowid
            assert number is not None
            rows = [(number, i, a.label, a.spec, json.dumps(a.options), a.version) for i, a in enumerate(agents)]
            self._connection.executemany("INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?)", rows)
            return number

    def _check_settings(self, name: str, held: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key in {**held, **wanted}:
            if held.get(key) != wanted.get(key):
                raise StoreError(
                    f"{self.path} holds another tournament named {name!r}: its {key} {_verb(held.get(key))} {_text(held.get(key))}, not "
                    f"{_text(wanted.get(key))}; choose another name with --name NAME or another file with --store FILE"
                )

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, in the order they were entered.

        Raises:
            StoreError: there is no such file, which is not made for this.
        """
        if not self.path.exists():
            raise StoreError(f"there is no store {self.path}")
        with self._errors("read"), _transaction(self._connection, "DEFERRED"):
            found = self._connection.execute("SELECT number, name, settings, pairs FROM tournaments ORDER BY number").fetchall()
            agents: dict[int, list[AgentEntry]] = {row[0]: [] for row in found}
            query = "SELECT tournament, label, spec, options, version FROM agents ORDER BY tournament, number"
            for tournament, label, spec, options, version in self._connection.execute(query):
                agents[tournament].append(AgentEntry(label, spec, json.loads(options), version))
        return [StoredTournament(row[0], row[1], json.loads(row[2]), row[3], agents[row[0]]) for row in found]

    def finished(self, tournament: int) -> set[GameKey]:
        """The keys of the games that a tournament has."""
        with self._errors("read"):
            return set(self._connection.execute("SELECT pair, player_0, player_1 FROM games WHERE tournament = ?", (tournament,)))

    def add(self, tournament: int, game: StoredGame) -> bool:
        """Commit a finished game; False if the store holds this game already (which then stays as it is)."""
        result = game.result
        row = (
            *(tournament, game.pair, *game.players, _write_actions(game.opening), _write_actions(result.moves), *game.seeds, *result.returns),
            *(result.reason, result.fault, result.forfeited, *result.seconds, *result.decisions, time.time()),
        )
        with self._errors("written"):
            cursor = self._connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(row))}) ON CONFLICT DO NOTHING", row)
        return cursor.rowcount == 1

    def games(self, tournament: int, pairs: int | None = None) -> Iterator[StoredGame]:
        """The games of a tournament, pair by pair; of the first ``pairs`` pairs only, if that is given."""
        query = (
            "SELECT pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, return_1, reason, fault, forfeited, "
            "seconds_0, seconds_1, decisions_0, decisions_1 FROM games WHERE tournament = ? AND pair < ? "
            "ORDER BY pair, player_0, player_1"
        )
        with self._errors("read"):
            for row in self._connection.execute(query, (tournament, 2**62 if pairs is None else pairs)):
                result = GameResult(_read_actions(row[4]), row[7:9], row[9], row[10], row[11], row[12:14], row[14:16])
                yield StoredGame(row[0], row[1:3], _read_actions(row[3]), row[5:7], result)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing; nobody else writes meanwhile (IMMEDIATE), or what others write meanwhile is not seen (DEFERRED)."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _write_actions(actions: tuple[int, ...]) -> str:
    return " ".join(map(str, actions))


def _read_actions(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _verb(value: Any) -> str:
    return "are" if isinstance(value, list) else "is"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
