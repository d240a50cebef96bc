"""Games, with their reviews if there are any, as one self-contained HTML page.

``plyground replay STORE ID --html FILE`` writes this page, and notebooks show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...envs.game import Game
from ...envs.outcome import PLAYERS
from ..pages import page_of
from ..played_game import PlayedGame
from ..reviews import GameReview
from .html import render_page
from .replays import Frames, game_entry, viewer_data


def game_page(games: Sequence[PlayedGame | GameReview], title: str = "Review") -> str:
    """The page that shows some games; games of one kind share a list and a board.

    Args:
        games: games, reviewed or not; at least one.
        title: the title of the page.

    Raises:
        SpecificationError: jinja2 is not installed.
    """
    kinds: dict[Game, list[PlayedGame | GameReview]] = {}
    for each in games:
        kinds.setdefault(_record_of(each).game, []).append(each)
    sections = [
        {
            "title": game.declaration.title,
            "spec": game.spec if game.spec != game.name else "",
            "reviewed": any(isinstance(each, GameReview) for each in records),
            "data": _section_data(game, records),
        }
        for game, records in kinds.items()
    ]
    return render_page("games.html", title=title, sections=sections)


@page_of.register(PlayedGame)
def _page_of_game(game: PlayedGame) -> str:
    return game_page([game], "Game")


def _record_of(game: PlayedGame | GameReview) -> PlayedGame:
    return game.played if isinstance(game, GameReview) else game


def _players_of(record: PlayedGame) -> tuple[str, str]:
    """The names of the two sides; the game's own for players without a name."""
    names = record.game.declaration.player_names()
    return names if record.players == PLAYERS else record.players


def _section_data(game: Game, games: Sequence[PlayedGame | GameReview]) -> dict[str, Any]:
    """The viewer's data for the games of one kind."""
    players = [_players_of(_record_of(each)) for each in games]
    labels = list(dict.fromkeys(name for names in players for name in names))
    frames, entries = Frames(game), []
    for each, names in zip(games, players):
        first, second = map(labels.index, names)
        entry = game_entry(frames, _record_of(each), (first, second))
        if isinstance(each, GameReview):
            entry["review"] = each.viewer_data(frames)
        entries.append(entry)
    return viewer_data(frames, entries) | {"labels": labels}
