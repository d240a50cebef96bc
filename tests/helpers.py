"""What tests share: places, and tournaments played to their end."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from plyground.evaluation.runners.contest import Conditions
from plyground.evaluation.runners.runner import Runner
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import Plan, Tournament

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
DATA = TESTS / "data"


def run(plan: Plan, path: Path, name: str | None = None, **conditions) -> list[StoredGame]:
    """Play a tournament to its end; returns the games that the store then holds."""
    with Store(path) as store:
        tournament = Tournament(plan, store, name, conditions=Conditions(**conditions))
        tournament.run()
        return list(tournament.played())


def records(games: list[StoredGame]) -> list[tuple]:
    """Everything about games that the seed decides: all but the times."""
    return [
        (game.pair, game.players, game.opening, game.seeds, *game.result[:5], game.result.decisions)
        for game in games
    ]


def play(plan: Plan, path: Path, runner: Runner, on_game=None, **conditions) -> list[tuple]:
    """Play a tournament on a runner; returns the games that the store then holds."""
    with Store(path) as store, runner:
        tournament = Tournament(plan, store, runner=runner, conditions=Conditions(**conditions))
        tournament.run(on_game)
        return records(list(tournament.played()))


def count_games(path: Path) -> int:
    """How many games a store holds, read from outside."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path, timeout=10)
    try:
        return connection.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # the tables are being made
    finally:
        connection.close()
