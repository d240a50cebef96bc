"""Conversion between games and rows of a results store."""

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

    ``circumstances`` says where and how it was played; None if unknown.
    """

    pair: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seeds: tuple[int, int]
    result: GameResult
    circumstances: Circumstances | None = None


class StoredTournament(NamedTuple):
    """A tournament in a store.

    Attributes:
        number: its number in the store.
        name: its name.
        settings: everything that decides which games are played, except the number of pairs.
        pairs: the largest number of pairs requested.
        agents: its agents, in the order of their numbers.
        left_out: number of games not played because deterministic agents would have repeated
            earlier ones.
        command: the latest command that played it, if any.
        created: when it was entered, in seconds since 1970.
        sources: fingerprints of the code other than the agents that decides games, by name; None if
            unknown.
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
        """Who reported its games if plyground did not play them, else an empty string."""
        return str(self.settings.get(REPORTED_BY, ""))


def row_of(tournament: int, game: StoredGame) -> tuple[Any, ...]:
    """The values of ``GAME_FIELDS`` for a game, without its number, in the columns' types."""
    result = game.result
    actions = write_actions(game.opening), write_actions(result.moves)
    return (
        *(tournament, game.pair, *game.players, *actions, *game.seeds),
        *(*map(float, result.returns), result.reason, result.fault, result.forfeited),
        *(*map(float, result.seconds), *result.decisions, time.time(), *result.tokens),
        text_of(game.circumstances),
    )


def read_game(row: tuple[Any, ...]) -> StoredGame:
    """A game from the columns of ``GAME_COLUMNS``; ValueError if they are invalid."""
    row = check_types("games", GAME_COLUMNS, row)
    fault, loser = row[10:12]
    if (fault is None) != (loser is None) or loser not in (None, 0, 1):
        raise ValueError(f"a game has the fault {fault!r} of seat {loser!r}")
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
