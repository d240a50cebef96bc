"""The games of a results store as rows of its table, and back."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from ..circumstances import Circumstances, circumstances_of, text_of
from ..fingerprints import Description
from ..match import REPORTED_BY, GameResult
from .schema import check_types

GAME_COLUMNS = (
    "pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, return_1, reason, fault, "
    "forfeited, seconds_0, seconds_1, decisions_0, decisions_1, tokens_0, tokens_1, conditions"
)


class StoredGame(NamedTuple):
    """A finished game: pair, agents by seat, opening, seeds by seat, result.

    ``circumstances`` is where and how it was played, None where that is not known.
    """

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]
    result: GameResult
    circumstances: Circumstances | None = None


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
        created: when it was entered, in seconds since 1970.
        sources: fingerprints of the other code that decides games, by what it is; None where they
            are not known.
    """

    number: int
    name: str
    settings: dict[str, Any]
    pairs: int
    agents: list[Description]
    left_out: int = 0
    command: str | None = None
    created: float = 0.0
    sources: dict[str, str] | None = None

    @property
    def reported_by(self) -> str:
        """Who has said how its games went, where plyground has not seen them played, or nothing."""
        return str(self.settings.get(REPORTED_BY, ""))


def row_of(tournament: int, game: StoredGame) -> tuple[Any, ...]:
    """A game as the values of ``GAME_FIELDS``, without its number, of the columns' types."""
    result = game.result
    actions = write_actions(game.opening), write_actions(result.moves)
    return (
        *(tournament, game.pair, *game.players, *actions, *game.seeds),
        *(*map(float, result.returns), result.reason, result.fault, result.forfeited),
        *(*map(float, result.seconds), *result.decisions, time.time(), *result.tokens),
        text_of(game.circumstances),
    )


def read_game(row: tuple[Any, ...]) -> StoredGame:
    """A game from the columns of ``GAME_COLUMNS``; ValueError if they make no game."""
    row = check_types("games", GAME_COLUMNS, row)
    fault, loser = row[10:12]
    if (fault is None) != (loser is None) or loser not in (None, 0, 1):
        raise ValueError(f"a game with the fault {fault!r} of seat {loser!r}")
    result = GameResult(
        moves=read_actions(row[4]),
        returns=row[7:9],
        reason=row[9],
        fault=fault,
        forfeited=loser,
        seconds=row[12:14],
        decisions=row[14:16],
        tokens=row[16:18],
    )
    opening, conditions = read_actions(row[3]), circumstances_of(row[18])
    return StoredGame(row[0], row[1:3], opening, row[5:7], result, conditions)


def write_actions(actions: tuple[int, ...]) -> str:
    return " ".join(map(str, actions))


def read_actions(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))
