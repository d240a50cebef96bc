"""The results store: one SQLite file that holds tournaments, their agents and every finished game.

Each game is one transaction. The file is in write-ahead-log mode: a process killed at any moment
loses at most the game it was playing, several processes can work on one file, and one can read
while another writes. The order in which a machine that loses power had written its last games may
cost those games, never the file.

A store of an older version is brought up to date when it is opened. Where nothing can be written (a
medium mounted read-only, a file of another user, a full disk), a store can still be
read, an older one as a copy in memory. Source: the SQLite documentation, "Write-Ahead Logging",
"PRAGMA synchronous" and "URI Filenames".
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..match import GameResult
from .schema import APPLICATION_ID, SCHEMA_VERSION, migrate

BUSY_SECONDS = 30.0
# free space below which an error of input or output is put down to a full disk
FULL_BYTES = 1 << 20

GameKey = tuple[int, int, int]  # pair, the agents' numbers by seat

_GAME_COLUMNS = (
    "pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, return_1, reason, fault, "
    "forfeited, "
    "seconds_0, seconds_1, decisions_0, decisions_1"
)
_INSERT_GAME = (
    f"INSERT INTO games (tournament, {_GAME_COLUMNS}, finished) VALUES (?, "
    f"{', '.join('?' for _ in _GAME_COLUMNS.split(','))}, ?) "
    "ON CONFLICT DO NOTHING"
)


class StoreError(Exception):
    """The store cannot be opened, read or written; the message says what to do."""


class AgentEntry(NamedTuple):
    """An agent of a tournament: its name to show, specification, options and version."""

    label: str
    spec: str
    options: dict[str, Any]
    version: str


class StoredGame(NamedTuple):
    """A finished game: pair, agents by seat, opening, seeds by seat, result."""

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]
    result: GameResult


class StoredTournament(NamedTuple):
    """A tournament as the store keeps it.

    Attributes:
        number: what the store knows it by.
        name: what it is called.
        settings: everything that decides which games are played, except how many.
        pairs: the most pairs that were asked for.
        agents: its agents, in the order of their numbers.
        left_out: how many games of those pairs were not played because deterministic agents would
            have repeated earlier ones.
        command: the latest command that asked for it, if one did.
    """

    number: int
    name: str
    settings: dict[str, Any]
    pairs: int
    agents: list[AgentEntry]
    left_out: int = 0
    command: str | None = None


class Store:
    """A results store, usable as a context manager.

    The file is opened, or made, when it is first needed.

    Raises (all methods):
        StoreError: the place cannot be written, the file is no plyground store or one of another
        version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._opened: sqlite3.Connection | None = None
        self._unwritable: str | None = None  # why the store can only be read, once that is known

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._connect()
        return self._opened

    def _connect(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder; name a file to keep the games in")
        if not self.path.absolute().parent.is_dir():
            raise StoreError(
                f"the folder {self.path.absolute().parent} for the store does not exist"
            )
        with self._errors("opened"):
            try:
                return self._connect_writing()
            except sqlite3.OperationalError as error:
                connection = self._connect_reading()
                if connection is None:
                    raise
                self._unwritable = self._explained(error)
                return connection

    def _connect_writing(self) -> sqlite3.Connection:
        """Open the file, made or brought up to date as it needs."""
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with _transaction(connection, "DEFERRED"):  # all that is read belongs to one moment
                version = self._version(connection)
            if version < SCHEMA_VERSION:
                with _transaction(connection):
                    # asked again: another process may have been quicker
                    migrate(connection, self._version(connection))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_reading(self) -> sqlite3.Connection | None:
        """Open a file that cannot be written, for reading; None if that is not possible either."""
        if not self.path.is_file() or not self.path.stat().st_size:
            return None
        log = self.path.with_name(self.path.name + "-wal")
        # A store in write-ahead-log mode needs a file for locks beside it, unless SQLite is told
        # that no process writes.
        unlogged = () if log.exists() and log.stat().st_size else ("immutable=1",)
        for options in ("mode=ro", *unlogged):
            connection = sqlite3.connect(
                f"file:{urllib.parse.quote(str(self.path.absolute()))}?{options}",
                uri=True,
                isolation_level=None,
            )
            try:
                return self._up_to_date(connection)
            except sqlite3.OperationalError:
                connection.close()
            except BaseException:
                connection.close()
                raise
        return None

    def _up_to_date(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """This connection, or one to an updated copy in memory of a file of an older version."""
        version = self._version(connection)
        if version == SCHEMA_VERSION:
            return connection
        copy = sqlite3.connect(":memory:", isolation_level=None)
        connection.backup(copy)
        connection.close()
        with _transaction(copy):
            migrate(copy, version)
        return copy

    def _version(self, connection: sqlite3.Connection) -> int:
        """The version of the store, 0 for an empty file.

        StoreError if the version is newer than known here, or the file is of another program.
        """
        application, version, tables = (
            connection.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_schema",
            )
        )
        if application == APPLICATION_ID and version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} is a plyground store of version {version}, this plyground knows "
                f"versions up to {SCHEMA_VERSION}; "
                "use a newer plyground, or choose another file with --store FILE"
            )
        if application != APPLICATION_ID and tables:
            raise StoreError(
                f"{self.path} is an SQLite file of another program; choose another file with "
                f"--store FILE"
            )
        return int(version) if application == APPLICATION_ID else 0

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
        """Turn errors of SQLite into one sentence that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            if error.sqlite_errorname == "SQLITE_NOTADB":
                raise StoreError(
                    f"{self.path} is no plyground store; choose another file with --store FILE"
                ) from None
            raise StoreError(
                f"the store {self.path} cannot be {action}: {self._explained(error)}"
            ) from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a body that writes; StoreError if the store can only be read."""
        connection = self._connection
        if self._unwritable is not None:
            raise StoreError(f"the store {self.path} cannot be written: {self._unwritable}")
        with self._errors("written"):
            yield connection

    def _explained(self, error: sqlite3.Error) -> str:
        """An error of SQLite in words that say what can be done about it."""
        name = getattr(error, "sqlite_errorname", "")
        with contextlib.suppress(OSError):
            no_space = (
                name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN"))
                and shutil.disk_usage(self.path.absolute().parent).free < FULL_BYTES
            )
            if name == "SQLITE_FULL" or no_space:
                return (
                    f"the disk is full ({error}); all games counted so far are in it, and when "
                    f"there is space the same command goes on"
                )
        if name.startswith("SQLITE_READONLY"):
            return f"it is read-only ({error})"
        return str(error)

    def enter_tournament(
        self,
        name: str,
        settings: dict[str, Any],
        agents: list[AgentEntry],
        pairs: int,
        command: str | None = None,
    ) -> int:
        """Enter a tournament if the store does not hold it; returns its number.

        See :class:`StoredTournament` for the arguments.

        Raises:
            StoreError: the name belongs to a tournament with other settings.
        """
        with self._writing() as connection, _transaction(connection):
            row = connection.execute(
                "SELECT number, settings FROM tournaments WHERE name = ?", (name,)
            ).fetchone()
            if row is not None:
                self._check_settings(name, json.loads(row[1]), settings)
                update = (
                    "UPDATE tournaments SET pairs = max(pairs, ?), command = coalesce(?, command) "
                    "WHERE number = ?"
                )
                connection.execute(update, (pairs, command, row[0]))
                return int(row[0])
            insert = (
                "INSERT INTO tournaments (name, settings, pairs, created, command) VALUES (?, ?, "
                "?, ?, ?)"
            )
            number = connection.execute(
                insert, (name, json.dumps(settings), pairs, time.time(), command)
            ).lastrowid
            assert number is not None
            rows = [
                (number, i, a.label, a.spec, json.dumps(a.options), a.version)
                for i, a in enumerate(agents)
            ]
            connection.executemany(
                "INSERT INTO agents (tournament, number, label, spec, options, version) VALUES "
                "(?, ?, ?, ?, ?, ?)",
                rows,
            )
            return number

    def _check_settings(self, name: str, held: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key in {**held, **wanted}:
            if held.get(key) != wanted.get(key):
                raise StoreError(
                    f"{self.path} holds another tournament named {name!r}: its {key} "
                    f"{_verb(held.get(key))} {_text(held.get(key))}, not "
                    f"{_text(wanted.get(key))}; choose another name with --name NAME or another "
                    f"file with --store FILE"
                )

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, in the order they were entered.

        Raises:
            StoreError: there is no such file, which is not made for this.
        """
        if not self.path.exists():
            raise StoreError(f"there is no store {self.path}")
        with self._errors("read"), _transaction(self._connection, "DEFERRED"):
            columns = "number, name, settings, pairs, left_out, command"
            found = self._connection.execute(
                f"SELECT {columns} FROM tournaments ORDER BY number"
            ).fetchall()
            agents: dict[int, list[AgentEntry]] = {row[0]: [] for row in found}
            query = (
                "SELECT tournament, label, spec, options, version FROM agents ORDER BY tournament, "
                "number"
            )
            for tournament, label, spec, options, version in self._connection.execute(query):
                agents[tournament].append(AgentEntry(label, spec, json.loads(options), version))
        return [
            StoredTournament(row[0], row[1], json.loads(row[2]), row[3], agents[row[0]], *row[4:])
            for row in found
        ]

    def knows(self, name: str) -> bool:
        """Whether there is a tournament of that name; no file is made for this."""
        if self._opened is None and not self.path.exists():
            return False
        with self._errors("read"):
            return (
                self._connection.execute(
                    "SELECT 1 FROM tournaments WHERE name = ?", (name,)
                ).fetchone()
                is not None
            )

    def openings(self, name: str) -> list[tuple[int, ...]]:
        """The openings of a tournament from its first pair on, as far as they have games.

        Each is listed once; there are none if the store does not know the name.
        """
        if not self.knows(name):
            return []
        query = (
            "SELECT DISTINCT pair, opening FROM games JOIN tournaments ON tournament = number "
            "WHERE name = ? ORDER BY pair"
        )
        found: dict[str, None] = {}
        with self._errors("read"):
            for expected, (pair, opening) in enumerate(self._connection.execute(query, (name,))):
                if pair != expected or opening in found:
                    break
                found[opening] = None
        return [_read_actions(opening) for opening in found]

    def note_left_out(self, tournament: int, games: int) -> None:
        """Note how many games of a tournament are not played because they would repeat others."""
        if games:
            with self._writing() as connection:
                connection.execute(
                    "UPDATE tournaments SET left_out = max(left_out, ?) WHERE number = ?",
                    (games, tournament),
                )

    def finished(self, tournament: int) -> set[GameKey]:
        """The keys of the games that a tournament has."""
        with self._errors("read"):
            return set(
                self._connection.execute(
                    "SELECT pair, player_0, player_1 FROM games WHERE tournament = ?", (tournament,)
                )
            )

    def add(self, tournament: int, game: StoredGame) -> bool:
        """Commit a finished game; False, and no change, if the store holds it already."""
        result = game.result
        row = (
            *(
                tournament,
                game.pair,
                *game.players,
                _write_actions(game.opening),
                _write_actions(result.moves),
                *game.seeds,
                *result.returns,
            ),
            *(
                result.reason,
                result.fault,
                result.forfeited,
                *result.seconds,
                *result.decisions,
                time.time(),
            ),
        )
        with self._writing() as connection:
            cursor = connection.execute(_INSERT_GAME, row)
        return cursor.rowcount == 1

    def games(self, tournament: int, pairs: int | None = None) -> Iterator[StoredGame]:
        """The games of a tournament, pair by pair; ``pairs`` limits them to the first pairs."""
        query = (
            f"SELECT {_GAME_COLUMNS} FROM games WHERE tournament = ? AND pair < ? ORDER BY pair, "
            f"player_0, player_1"
        )
        with self._errors("read"):
            for row in self._connection.execute(
                query, (tournament, 2**62 if pairs is None else pairs)
            ):
                yield _read_game(row)

    def latest(self, tournament: int, agent: int, count: int) -> list[StoredGame]:
        """The games of an agent that were finished last, the last one first, at most ``count``."""
        query = (
            f"SELECT {_GAME_COLUMNS} FROM games NOT INDEXED WHERE tournament = ? AND ? IN "
            f"(player_0, player_1) ORDER BY rowid DESC LIMIT ?"
        )
        with self._errors("read"):
            return [
                _read_game(row)
                for row in self._connection.execute(query, (tournament, agent, count))
            ]


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """A transaction around the body, rolled back if the body raises.

    IMMEDIATE keeps other writers out; DEFERRED reads one state of the file.
    """
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _read_game(row: tuple[Any, ...]) -> StoredGame:
    """A game from the columns of ``_GAME_COLUMNS``."""
    result = GameResult(
        _read_actions(row[4]), row[7:9], row[9], row[10], row[11], row[12:14], row[14:16]
    )
    return StoredGame(row[0], row[1:3], _read_actions(row[3]), row[5:7], result)


def _write_actions(actions: tuple[int, ...]) -> str:
    return " ".join(map(str, actions))


def _read_actions(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _verb(value: Any) -> str:
    return "are" if isinstance(value, list) else "is"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
