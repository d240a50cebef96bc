"""Digests of tournaments: a digest noted earlier shows whether a store still has the same games.

There are two. The **digest of the content** covers everything in the store about a tournament,
times included: it identifies this file. The **digest of the games** covers what can be repeated:
settings, agents, openings, moves and results. The same tournament has the same digest of the games
on any machine, with any number of parallel games.

Each is a chain. Every game has a digest of its columns, and a link: the digest of the previous link
and the game's digest. A tournament's digest covers the last link and the tournament's constant
columns. Tournaments and reports show both, and ``--expect DIGEST`` searches the chains for it. The
content is chained in the order in which games were finished: its digest stays valid while the
tournament grows. The games are chained pair by pair: their digest stays valid if whole pairs are
added.

Digests are computed on demand. They are not stored, since a person who changes the file could
change them too.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

BYTES = 16
START = ""  # the link before the first game

# the columns in a game's digest, in this order
GAME_FIELDS = (
    "number, tournament, pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, "
    "return_1, reason, fault, forfeited, seconds_0, seconds_1, decisions_0, decisions_1, finished, "
    "tokens_0, tokens_1, conditions"
)
# the columns that never change after a tournament is entered
IDENTITY_FIELDS = "number, name, settings, created, sources"
AGENT_FIELDS = "number, label, spec, options, version, sources"
# the repeatable columns of a game; the reason of a forfeit may contain a time
PLAY_FIELDS = (
    "pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, return_1, fault, forfeited"
)
# plyground's version: it matters only if it plays differently, which the moves show
_OWN_VERSION = re.compile(r"( of )?plyground [^, ]+(, )?")


def _digest_of_row(values: Iterable[Any]) -> str:
    """A digest of the values of a row: texts, numbers, None."""
    text = repr(tuple(values)).encode(errors="surrogatepass")
    return hashlib.blake2b(text, digest_size=BYTES).hexdigest()


def _digest_of_game(values: Sequence[Any]) -> str:
    """A digest of the values of :data:`GAME_FIELDS`.

    Empty tokens and conditions are left out, so games stored before these columns existed keep
    their digests.
    """
    *others, first, second, conditions = values
    tokens = (first, second) if first or second else ()
    return _digest_of_row((*others, *tokens, *filter(None, [conditions])))


def digests(connection: sqlite3.Connection, tournament: int) -> Iterator[str]:
    """The digests of a tournament's content after 0, 1, …, all games."""
    row = connection.execute(
        f"SELECT {IDENTITY_FIELDS} FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    agents = connection.execute(
        f"SELECT {AGENT_FIELDS} FROM agents WHERE tournament = ? ORDER BY number", (tournament,)
    ).fetchall()
    query = f"SELECT {GAME_FIELDS} FROM games WHERE tournament = ? ORDER BY number"
    games = map(_digest_of_game, connection.execute(query, (tournament,)))
    return _chain(_digest_of_row((row, *agents)), games)


def digests_of_games(connection: sqlite3.Connection, tournament: int) -> Iterator[str]:
    """The digests of a tournament's games after 0, 1, …, all games, pair by pair."""
    (text,) = connection.execute(
        "SELECT settings FROM tournaments WHERE number = ?", (tournament,)
    ).fetchone()
    settings = json.loads(text)
    settings.pop("agent versions", None)  # the agents have them
    agents = connection.execute(
        "SELECT number, label, spec, version FROM agents WHERE tournament = ? ORDER BY number",
        (tournament,),
    )
    identity = json.dumps([settings, *agents], sort_keys=True, ensure_ascii=False)
    query = f"SELECT {PLAY_FIELDS} FROM games WHERE tournament = ? ORDER BY {PLAY_FIELDS}"
    games = map(_digest_of_row, connection.execute(query, (tournament,)))
    return _chain(_digest_of_row([_OWN_VERSION.sub("", identity)]), games)


def _chain(identity: str, games: Iterable[str]) -> Iterator[str]:
    """The digests of a tournament after 0, 1, …, all games."""
    link = START
    yield _digest_of_row((identity, link))
    for game in games:
        link = _digest_of_row((link, game))
        yield _digest_of_row((identity, link))


def count_until(connection: sqlite3.Connection, tournament: int, digest: str) -> int | None:
    """The number of games when the tournament had this digest; None if it never had it."""
    matches = (
        count
        for chain in (digests, digests_of_games)
        for count, each in enumerate(chain(connection, tournament))
        if each == digest
    )
    return next(matches, None)
