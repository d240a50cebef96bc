"""The results store: one SQLite file that holds tournaments, their agents and every finished game.

Games that finish together are one transaction: a killed process loses at most the games that it was
playing.

Nothing is added to a store that fails its checks, and reports list the failures. The checks cover
the tables, the type of every value, and every game against the rules, the schedule and the agents
of its tournament. Some edits pass these checks: renamed agents, changed times, deleted games and
tournaments. ``--expect`` with a tournament's earlier digest detects them.

:mod:`.connection` opens the file, :mod:`.schema` defines its tables, :mod:`.checks` checks it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from ...envs.loading.texts import one_line
from ..fingerprints import Description
from .checks import Finding, check_file, check_games
from .connection import StoreError, StoreFile, transaction
from .digests import GAME_FIELDS, count_until, digests, digests_of_games
from .rows import (
    GAME_COLUMNS,
    StoredGame,
    StoredTournament,
    read_actions,
    read_game,
    row_of,
    write_actions,
)
from .schema import check_types

__all__ = ["Finding", "GameKey", "Store", "StoreError", "StoredGame", "StoredTournament"]

NEVER = "an older copy, or changed: no tournament in it ever had the digest"
GameKey = tuple[int, int, int]  # pair, the agents' numbers by seat

_INSERT_GAME = (
    f"INSERT INTO games ({GAME_FIELDS}) VALUES ({', '.join('?' for _ in GAME_FIELDS.split(','))}) "
    f"ON CONFLICT DO NOTHING"
)
_HAS_GAME = (
    "SELECT 1 FROM games WHERE tournament = ? AND pair = ? AND player_0 = ? AND player_1 = ?"
)


class Store(StoreFile):
    """A results store: see :class:`StoreFile` for how it is opened and closed."""

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        super().__init__(path, read_only=read_only)
        self._committed: set[int] = set()  # the numbers of the added games

    def enter_tournament(
        self,
        name: str,
        settings: dict[str, Any],
        agents: list[Description],
        pairs: int,
        command: str | None = None,
        sources: dict[str, str] | None = None,
    ) -> int:
        """Enter a tournament if it is new; returns its number.

        See :class:`StoredTournament` for the arguments.

        Raises:
            StoreError: the name belongs to a tournament with other settings.
        """
        with self._writing() as connection, transaction(connection):
            row = connection.execute(
                "SELECT number, settings FROM tournaments WHERE name = ?", (name,)
            ).fetchone()
            if row is not None:
                self._check_settings(name, _read_table(row[1]), settings)
                update = (
                    "UPDATE tournaments SET pairs = max(pairs, ?), command = coalesce(?, command) "
                    "WHERE number = ?"
                )
                connection.execute(update, (pairs, command, row[0]))
                return int(row[0])
            insert = (
                "INSERT INTO tournaments (name, settings, pairs, created, command, sources) VALUES "
                "(?, ?, ?, ?, ?, ?)"
            )
            origins = None if sources is None else json.dumps(sources)
            number = connection.execute(
                insert, (name, json.dumps(settings), pairs, time.time(), command, origins)
            ).lastrowid
            assert number is not None
            rows = [
                (number, i, a.label, a.spec, json.dumps(a.options), a.version, a.sources)
                for i, a in enumerate(agents)
            ]
            connection.executemany(
                "INSERT INTO agents (tournament, number, label, spec, options, version, sources) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
            return number

    def _check_settings(self, name: str, present: dict[str, Any], expected: dict[str, Any]) -> None:
        for key in {**present, **expected}:
            if present.get(key) != expected.get(key):
                raise StoreError(
                    f"{self.path} holds another tournament named {name!r}: its {key} "
                    f"{'are' if isinstance(present.get(key), list) else 'is'} "
                    f"{_text(present.get(key))}, not "
                    f"{_text(expected.get(key))}; choose another name with --name NAME or another "
                    f"file with --store FILE"
                )

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, in the order they were entered.

        Raises:
            StoreError: there is no such file; it is not created.
        """
        if not self._file.exists():
            raise StoreError(f"there is no store {self.path}")
        with self._reading() as connection:
            columns = "number, name, settings, pairs, left_out, command, created, sources"
            query = f"SELECT {columns} FROM tournaments ORDER BY number"
            rows = [check_types("tournaments", columns, row) for row in connection.execute(query)]
            agents: dict[int, list[Description]] = {row[0]: [] for row in rows}
            entry_columns = "tournament, label, spec, options, version, sources"
            query = f"SELECT {entry_columns} FROM agents ORDER BY tournament, number"
            for row in connection.execute(query):
                tournament, label, spec, options, version, sources = check_types(
                    "agents", entry_columns, row
                )
                entry = Description(
                    spec, _read_table(options), version, sources=sources, label=label
                )
                agents.setdefault(tournament, []).append(entry)
            return [
                StoredTournament(
                    *(number, name, _read_table(settings), pairs, agents[number]),
                    *(*others, None if sources is None else _read_table(sources)),
                )
                for number, name, settings, pairs, *others, sources in rows
            ]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a body that reads one state of the file."""
        with self._errors("read"):
            if self._connection.in_transaction:
                yield self._connection
                return
            with transaction(self._connection, "DEFERRED"):
                yield self._connection

    def has_tournament(self, name: str) -> bool:
        """Whether there is a tournament of that name; creates no file."""
        if self._opened is None and not self._file.exists():
            return False
        query = "SELECT 1 FROM tournaments WHERE name = ?"
        with self._errors("read"):
            return self._connection.execute(query, (name,)).fetchone() is not None

    def tournament(self, name: str) -> StoredTournament | None:
        """The tournament of that name, or None; creates no file."""
        if not self.has_tournament(name):
            return None
        return next((each for each in self.tournaments() if each.name == name), None)

    def openings(self, name: str) -> list[tuple[int, ...]]:
        """The openings of a tournament, from the first pair to the first pair without games.

        Each is listed once; the list is empty if there is no such tournament.
        """
        if not self.has_tournament(name):
            return []
        query = (
            "SELECT DISTINCT pair, opening FROM games JOIN tournaments "
            "ON tournament = tournaments.number "
            "WHERE name = ? ORDER BY pair"
        )
        openings: dict[str, None] = {}
        with self._errors("read"):
            for expected, (pair, opening) in enumerate(self._connection.execute(query, (name,))):
                if pair != expected or opening in openings:
                    break
                openings[opening] = None
            return [read_actions(opening) for opening in openings]

    def set_left_out(self, tournament: int, games: int) -> None:
        """Store the number of games that are not played because they would repeat others."""
        if games:
            with self._writing() as connection, transaction(connection):
                connection.execute(
                    "UPDATE tournaments SET left_out = max(left_out, ?) WHERE number = ?",
                    (games, tournament),
                )

    def game_keys(self, tournament: int) -> set[GameKey]:
        """The keys of a tournament's games."""
        query = "SELECT pair, player_0, player_1 FROM games WHERE tournament = ?"
        with self._errors("read"):
            return set(self._connection.execute(query, (tournament,)))

    def add(self, tournament: int, game: StoredGame) -> bool:
        """Commit a finished game; False if the store already holds it."""
        return bool(self.add_all(tournament, [game]))

    def add_all(self, tournament: int, games: Sequence[StoredGame]) -> list[StoredGame]:
        """Commit finished games together; returns the new ones."""
        added: list[StoredGame] = []
        with self._writing() as connection, transaction(connection):
            first = self._next_number(connection)
            for game in games:
                if self._insert(connection, first + len(added), tournament, game):
                    added.append(game)
        self._committed.update(range(first, first + len(added)))
        self.check_in_place()
        return added

    def _next_number(self, connection: sqlite3.Connection) -> int:
        query = "SELECT coalesce(max(number), 0) + 1 FROM games"
        return int(connection.execute(query).fetchone()[0])

    def _insert(
        self, connection: sqlite3.Connection, number: int, tournament: int, game: StoredGame
    ) -> bool:
        """Add a game of this number, in the open transaction; False if the store already holds it.

        The statements are few because a tournament of fast agents spends much of its time here.
        """
        if connection.execute(_INSERT_GAME, (number, *row_of(tournament, game))).rowcount == 0:
            if connection.execute(_HAS_GAME, (tournament, game.pair, *game.players)).fetchone():
                return False
            raise StoreError(
                f"the store {self.path} does not accept the game of pair {game.pair} between "
                f"agents {game.players[0]} and {game.players[1]}: its schema was changed; "
                f"plyground verify lists the changes"
            )
        return True

    def _compare_with(self, again: sqlite3.Connection) -> None:
        there = {number for (number,) in again.execute("SELECT number FROM games")}
        if missing := len(self._committed - there):
            raise StoreError(
                f"the store {self.path} lacks {missing} of the {len(self._committed)} committed "
                f"games"
            )

    def games(self, tournament: int, pairs: int | None = None) -> Iterator[StoredGame]:
        """The games of a tournament, pair by pair; ``pairs`` limits them to the first pairs."""
        query = (
            f"SELECT {GAME_COLUMNS} FROM games WHERE tournament = ? AND pair < ? ORDER BY pair, "
            f"player_0, player_1"
        )
        with self._errors("read"):
            agents = "SELECT count(*) FROM agents WHERE tournament = ?"
            (agent_count,) = self._connection.execute(agents, (tournament,)).fetchone()
            for row in self._connection.execute(
                query, (tournament, 2**62 if pairs is None else pairs)
            ):
                game = read_game(row)
                first, second = game.players
                if first == second or not (0 <= first < agent_count and 0 <= second < agent_count):
                    raise ValueError(
                        f"a game has the agents {game.players} of {agent_count} agents"
                    )
                yield game

    def add_next(self, tournament: int, game: StoredGame) -> int:
        """Commit a game without a schedule as a new pair; returns its number.

        Its ``pair`` is ignored and becomes the next free one.
        """
        with self._writing() as connection, transaction(connection):
            (pair,) = connection.execute(
                "SELECT coalesce(max(pair) + 1, 0) FROM games WHERE tournament = ?", (tournament,)
            ).fetchone()
            connection.execute(
                "UPDATE tournaments SET pairs = max(pairs, ?) WHERE number = ?",
                (pair + 1, tournament),
            )
            number = self._next_number(connection)
            self._insert(connection, number, tournament, game._replace(pair=pair))
        self._committed.add(number)
        return number

    def digest(self, tournament: int) -> str:
        """The digest of a tournament's content; see :mod:`.digests`."""
        with self._reading() as connection:
            return [*digests(connection, tournament)][-1]

    def games_digest(self, tournament: int) -> str:
        """The digest of a tournament's games; see :mod:`.digests`."""
        with self._reading() as connection:
            return [*digests_of_games(connection, tournament)][-1]

    def findings(self, tournament: StoredTournament | None = None) -> list[Finding]:
        """The failed checks of a tournament's games; of the whole file for None."""
        with self._reading() as connection:
            if tournament is None:
                return check_file(connection)
            return check_games(tournament, self.games_by_number(tournament.number))

    def all_findings(self) -> list[Finding]:
        """All failed checks, from one consistent read."""
        with self._reading():
            return self.findings() + [
                finding._replace(what=f"{tournament.name}: {finding.what}")
                for tournament in self.tournaments()
                for finding in self.findings(tournament)
            ]

    def _check_contents(self) -> None:
        certain = [finding for finding in self.all_findings() if not finding.unchecked]
        if certain:
            raise StoreError(
                f"the store {self.path} failed its checks, so nothing is added: "
                f"{certain[0].what}; plyground verify lists all failures; choose another file "
                f"with --store FILE"
            )

    def expect(self, expected: Sequence[str]) -> Self:
        """This store; StoreError if one of these digests matches no tournament."""
        if expected and not self._file.exists():
            raise StoreError(f"there is no store {self.path}")
        for digest in expected:
            if self.games_until(digest) is None:
                raise StoreError(f"the store {self.path} is {NEVER} {digest}")
        return self

    def games_until(self, digest: str) -> tuple[str, int] | None:
        """The tournament that had this digest, and its number of games then; None if none had."""
        with self._reading() as connection:
            for number, name in connection.execute("SELECT number, name FROM tournaments"):
                games = count_until(connection, number, digest)
                if games is not None:
                    return one_line(name), games
        return None

    def games_by_number(self, tournament: int) -> Iterator[tuple[int, StoredGame | None]]:
        """The numbers and games of a tournament, in the order in which they were finished.

        None is a game that cannot be read.
        """
        query = f"SELECT number, {GAME_COLUMNS} FROM games WHERE tournament = ? ORDER BY number"
        with self._errors("read"):
            for number, *row in self._connection.execute(query, (tournament,)):
                try:
                    yield number, read_game(tuple(row))
                except ValueError:
                    yield number, None

    def games_with(
        self, courses: Iterable[tuple[int, ...]]
    ) -> Iterator[tuple[dict[str, Any], tuple[str, str], tuple[int, ...]]]:
        """Settings, labels by seat and moves of all games with one of these move sequences."""
        query = (
            "SELECT settings, a.label, b.label, moves FROM games "
            "JOIN tournaments AS t ON t.number = games.tournament "
            "JOIN agents AS a ON a.tournament = t.number AND a.number = player_0 "
            "JOIN agents AS b ON b.tournament = t.number AND b.number = player_1 "
            "WHERE moves IN (SELECT value FROM json_each(?))"
        )
        texts = json.dumps([write_actions(moves) for moves in courses])
        with self._errors("read"):
            for settings, first, second, moves in self._connection.execute(query, (texts,)):
                yield _read_table(settings), (str(first), str(second)), read_actions(moves)

    def numbered_games(self) -> Iterator[tuple[int, int, StoredGame]]:
        """All games, latest first: game number, tournament number, game."""
        query = f"SELECT number, tournament, {GAME_COLUMNS} FROM games ORDER BY number DESC"
        with self._errors("read"):
            for number, tournament, *row in self._connection.execute(query):
                yield number, tournament, read_game(tuple(row))

    def game(self, number: int) -> tuple[StoredTournament, StoredGame]:
        """A game by its number, and its tournament.

        Raises:
            StoreError: there is no such game.
        """
        tournaments = {tournament.number: tournament for tournament in self.tournaments()}
        query = f"SELECT tournament, {GAME_COLUMNS} FROM games WHERE number = ?"
        possible = 0 < number < 2**63  # SQLite raises an error for others
        with self._errors("read"):
            row = self._connection.execute(query, (number,)).fetchone() if possible else None
            most = self._connection.execute("SELECT max(number) FROM games").fetchone()[0]
        if row is None:
            numbers = f"its games have numbers from 1 to {most}" if most else "it holds no games"
            raise StoreError(f"{self.path} holds no game {number}; {numbers}")
        if row[0] not in tournaments:
            raise StoreError(f"game {number} of {self.path} belongs to no tournament")
        with self._errors("read"):
            return tournaments[row[0]], read_game(row[1:])

    def finish_time(self, number: int) -> float:
        """When a game was finished, in seconds since 1970."""
        with self._errors("read"):
            query = "SELECT finished FROM games WHERE number = ?"
            return float(self._connection.execute(query, (number,)).fetchone()[0])

    def latest(self, tournament: int, agent: int, count: int) -> list[StoredGame]:
        """The latest games of an agent, latest first, at most ``count``."""
        query = (
            f"SELECT {GAME_COLUMNS} FROM games NOT INDEXED WHERE tournament = ? AND ? IN "
            f"(player_0, player_1) ORDER BY rowid DESC LIMIT ?"
        )
        with self._errors("read"):
            rows = self._connection.execute(query, (tournament, agent, count))
            return [read_game(row) for row in rows]


def _read_table(text: str) -> dict[str, Any]:
    """A JSON object; ValueError for other text."""
    table = one_line(json.loads(text))
    if not isinstance(table, dict):
        raise ValueError(f"{text} is not a JSON object")
    return table


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
