"""Digests of tournaments: whoever keeps one elsewhere can ask whether a store still has its games.

Every game has a digest of all its columns, and a link: the digest of the link before it and its own
digest. So the links of a tournament are a chain in the order in which games were finished. Its
digest covers the last link and what never changes of it. Tournaments and reports show it, and
``--expect DIGEST`` looks for it in the chain: it stays good while the tournament grows.

All this is worked out from what the store holds when it is asked for. Nothing of it is kept in the
file, since whoever can change the file could bring that along.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

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


def _digest_of_row(values: Iterable[Any]) -> str:
    """A digest of the values of a row: texts, numbers, None."""
    text = repr(tuple(values)).encode(errors="surrogatepass")
    return hashlib.blake2b(text, digest_size=BYTES).hexdigest()


def _digest_of_game(values: Sequence[Any]) -> str:
    """A digest of the values of :data:`GAME_FIELDS`.

    Tokens and conditions are left out where there are none: games that were stored before these
    were keep their digests.
    """
    *others, first, second, conditions = values
    tokens = (first, second) if first or second else ()
    return _digest_of_row((*others, *tokens, *filter(None, [conditions])))


def digests(connection: sqlite3.Connection, tournament: int) -> Iterator[str]:
    """The digests of a tournament without games, after its first game, …, as it stands."""
    row = connection.execute(
        f"SELECT {IDENTITY_FIELDS} FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    agents = connection.execute(
        f"SELECT {AGENT_FIELDS} FROM agents WHERE tournament = ? ORDER BY number", (tournament,)
    ).fetchall()
    identity, link = _digest_of_row((row, *agents)), START
    yield _digest_of_row((identity, link))
    query = f"SELECT {GAME_FIELDS} FROM games WHERE tournament = ? ORDER BY number"
    for game in connection.execute(query, (tournament,)):
        link = _digest_of_row((link, _digest_of_game(game)))
        yield _digest_of_row((identity, link))


def count_until(connection: sqlite3.Connection, tournament: int, digest: str) -> int | None:
    """How many games a tournament had when this was its digest; None if it never was."""
    matches = (
        count for count, each in enumerate(digests(connection, tournament)) if each == digest
    )
    return next(matches, None)
