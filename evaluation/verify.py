"""Verification: games of a store are played again, to find agents that are not repeatable.

An agent is repeatable if it plays the same with the same seed in the same game.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import NamedTuple

from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from .players import CRASHES, OUT_OF_TIME
from .runners.contest import (
    Arena,
    Conditions,
    Contest,
    ScheduledGame,
)
from .store.store import Store, StoredGame, StoredTournament


class Deviation(NamedTuple):
    """A game that took another course when it was played again.

    It differs from ply ``ply`` on, counted from 0; ``agent`` is the number of the agent to move
    there.
    """

    game: StoredGame
    ply: int
    agent: int


def verify(
    tournament: StoredTournament,
    store: Store,
    games: int,
    isolation: str,
    on_game: Callable[[], None] | None = None,
) -> tuple[int, list[Deviation]]:
    """Play the first games of a tournament again; returns how many, and the deviations.

    Games that a limit or a crash ended are left out: these depend on more than the agents.

    Raises:
        SpecificationError: an agent is no longer the one that played them, or cannot be made.
    """
    labels, specs = (
        tuple(getattr(entry, name) for entry in tournament.agents) for name in ("label", "spec")
    )
    contest = Contest(make_game(tournament.settings["game"]), specs, labels, Conditions(isolation))
    for entry, now in zip(tournament.agents, contest.describe()):
        if entry.version != now.version:
            raise SpecificationError(
                f"{entry.label} is another one now ({now.version}) than in the store "
                f"({entry.version}); its games cannot be verified"
            )
    repeatable = (
        game
        for game in store.games(tournament.number)
        if game.result.fault not in (*CRASHES, OUT_OF_TIME)
    )
    deviations, played = [], 0
    with contextlib.closing(Arena(contest)) as arena:
        for game in itertools.islice(repeatable, games):
            deviation = _replay(arena, game)
            deviations += [] if deviation is None else [deviation]
            played += 1
            if on_game is not None:
                on_game()
    return played, deviations


def _replay(arena: Arena, game: StoredGame) -> Deviation | None:
    result = arena.play(ScheduledGame(game.pair, game.players, game.opening, game.seeds))
    if result.moves == game.result.moves and result.forfeited == game.result.forfeited:
        return None
    pairs = itertools.zip_longest(result.moves, game.result.moves)
    ply = next((ply for ply, (now, then) in enumerate(pairs) if now != then), len(result.moves))
    seat = arena.contest.game.position(result.moves[:ply]).to_move
    return Deviation(game, ply, game.players[seat])
