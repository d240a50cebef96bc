"""Digests of what a store holds, by which edits, deletions and insertions are noticed.

Every game has a digest of all its columns, and a link: the digest of the link before it and its own
digest. So the links of a tournament are a chain in the order in which games were finished. The
tournament keeps the last link, the number of games and a seal: a digest of these and of everything
else that is known of the tournament. The store keeps a digest of which tournaments it holds.

Whoever can write the file and knows this module can forge all of it, or put an older copy in its
place. So a tournament has one digest more, of what never changes of it and of its last link, which
tournaments and reports show. ``plyground verify --expect DIGEST`` looks for it in the chain: who
keeps it elsewhere notices both.
"""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

BYTES = 16
START = ""  # the link before the first game

# what a game's digest covers, in this order
GAME_FIELDS = (
    "number, tournament, pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, "
    "return_1, reason, fault, forfeited, seconds_0, seconds_1, decisions_0, decisions_1, finished, "
    "tokens_0, tokens_1, conditions"
)
# what never changes after a tournament has been entered
IDENTITY_FIELDS = "number, name, settings, created, sources"
AGENT_FIELDS = "number, label, spec, options, version, sources"


class SealColumns(NamedTuple):
    """What the seal of a tournament covers beside that: the columns of these names."""

    pairs: int
    left_out: int
    command: str | None
    games: int
    last_link: str


SEAL_FIELDS = ", ".join(SealColumns._fields)


class Change(NamedTuple):
    """A change that plyground has not made.

    ``game`` is the number of the game that was changed or put in, where it is one.
    """

    what: str
    game: int | None = None


def digest_of_row(values: Iterable[Any]) -> str:
    """A digest of the values of a row: texts, numbers, None."""
    text = repr(tuple(values)).encode(errors="surrogatepass")
    return hashlib.blake2b(text, digest_size=BYTES).hexdigest()


def digest_of_game(values: Sequence[Any]) -> str:
    """A digest of the values of :data:`GAME_FIELDS`.

    Tokens and conditions are left out where there are none: games that were stored before these
    were keep their digests.
    """
    *others, first, second, conditions = values
    tokens = (first, second) if first or second else ()
    return digest_of_row((*others, *tokens, *filter(None, [conditions])))


def link_after(link: str, digest: str) -> str:
    """The link of a game with this digest after another one's link."""
    return digest_of_row((link, digest))


def identity_digest(connection: sqlite3.Connection, tournament: int) -> str:
    """The digest of what never changes of a tournament: settings, agents, sources."""
    row = connection.execute(
        f"SELECT {IDENTITY_FIELDS} FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    agents = connection.execute(
        f"SELECT {AGENT_FIELDS} FROM agents WHERE tournament = ? ORDER BY number", (tournament,)
    ).fetchall()
    return digest_of_row((row, *agents))


def digest_after(identity: str, link: str) -> str:
    """The digest of a tournament with this identity whose games end with this link."""
    return digest_of_row((identity, link))


def count_until(connection: sqlite3.Connection, tournament: int, digest: str) -> int | None:
    """How many games a tournament had when this was its digest; None if it never was."""
    identity = identity_digest(connection, tournament)
    query = "SELECT link FROM games WHERE tournament = ? ORDER BY number"
    links = itertools.chain([(START,)], connection.execute(query, (tournament,)))
    matches = (n for n, (link,) in enumerate(links) if digest_after(identity, link) == digest)
    return next(matches, None)


def seal_of(connection: sqlite3.Connection, tournament: int, identity: str) -> str:
    """The seal of a tournament as it stands."""
    row = connection.execute(
        f"SELECT {SEAL_FIELDS} FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    return seal_for(identity, SealColumns(*row))


def seal_for(identity: str, columns: SealColumns) -> str:
    """The seal of a tournament with this identity and these columns."""
    return digest_of_row((identity, *columns))


def seal(connection: sqlite3.Connection, tournament: int, identity: str) -> None:
    """Seal a tournament after a change of plyground's own, in the open transaction."""
    connection.execute(
        "UPDATE tournaments SET seal = ? WHERE number = ?",
        (seal_of(connection, tournament, identity), tournament),
    )


def digest_of_tournaments(connection: sqlite3.Connection) -> str:
    """The digest of which tournaments there are."""
    return digest_of_row(
        connection.execute("SELECT number, name, created FROM tournaments ORDER BY number")
    )


def update_contents(connection: sqlite3.Connection) -> None:
    """Note which tournaments there are, in the open transaction."""
    connection.execute("UPDATE contents SET tournaments = ?", (digest_of_tournaments(connection),))


def seal_everything(connection: sqlite3.Connection) -> None:
    """Give digests to a store that has none, in the open transaction; it vouches from now on."""
    for (tournament,) in connection.execute("SELECT number FROM tournaments").fetchall():
        link, count = START, 0
        for row in _games(connection, tournament).fetchall():
            digest = digest_of_game(row)
            link, count = link_after(link, digest), count + 1
            connection.execute(
                "UPDATE games SET digest = ?, link = ? WHERE number = ?", (digest, link, row[0])
            )
        connection.execute(
            "UPDATE tournaments SET games = ?, last_link = ? WHERE number = ?",
            (count, link, tournament),
        )
        seal(connection, tournament, identity_digest(connection, tournament))
    update_contents(connection)


def changes_of_store(connection: sqlite3.Connection) -> list[Change]:
    """The changes to the file as a whole and to the list of tournaments."""
    changes = [
        Change(f"the file is damaged: {finding}")
        for (finding,) in connection.execute("PRAGMA integrity_check(3)")
        if finding != "ok"
    ]
    contents = connection.execute("SELECT tournaments FROM contents").fetchall()
    if contents != [(digest_of_tournaments(connection),)]:
        changes.append(Change("tournaments were deleted, put in or renamed"))
    orphans = (
        "SELECT number FROM games WHERE tournament NOT IN (SELECT number FROM tournaments) LIMIT 1"
    )
    for (number,) in connection.execute(orphans):
        changes.append(Change(f"game {number} belongs to no tournament", number))
    return changes


def changes_of_tournament(connection: sqlite3.Connection, tournament: int) -> list[Change]:
    """The changes to a tournament and its games, in the order of the games."""
    games, last_link, old_seal = connection.execute(
        "SELECT games, last_link, seal FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    changes = []
    if seal_of(connection, tournament, identity_digest(connection, tournament)) != old_seal:
        changes.append(Change("its settings, its agents or the number of its games were changed"))
    before, count = START, 0
    for *row, digest, link in _games(connection, tournament, "digest, link"):
        number = row[0]
        count += 1
        follows = link_after(before, digest) == link
        if digest_of_game(row) != digest:
            changes.append(Change(f"game {number} was changed or put in", number))
            if not follows:
                continue  # put in: the game after it is still linked to the one before
        elif not follows:
            changes.append(Change(f"games before game {number} were deleted"))
        before = link
    if before != last_link:
        changes.append(Change("the last games were deleted or put in"))
    if count != games:
        changes.append(Change(f"it holds {count} games, and {games} were stored"))
    return changes


def _games(connection: sqlite3.Connection, tournament: int, more: str = "") -> sqlite3.Cursor:
    """The games of a tournament in the order in which they were finished."""
    fields = f"{GAME_FIELDS}, {more}" if more else GAME_FIELDS
    return connection.execute(
        f"SELECT {fields} FROM games WHERE tournament = ? ORDER BY number", (tournament,)
    )
