"""Games, with their reviews if there are any, as one HTML page without a server or other files.

It is the page that ``plyground replay STORE ID --html FILE`` writes, and what notebooks show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...envs.game import PLAYERS, Game
from ..grades import GRADES, PlayedGame, Review, ReviewedMove
from ..pages import page_of
from .html import render_page
from .replays import Frames, game_entry, viewer_data
from .review_text import Sides, method_text, side_names, totals_rows, value_text, verdict

LINE_SHOWN = 8  # moves of a better line


def review_page(games: Sequence[PlayedGame | Review], title: str = "Review") -> str:
    """The page that shows some games; those of one kind share a list and a board.

    Args:
        games: games, reviewed or not; at least one.
        title: the title of the page.

    Raises:
        SpecificationError: jinja2 is not installed.
    """
    kinds: dict[Game, list[PlayedGame | Review]] = {}
    for each in games:
        kinds.setdefault(_record_of(each).game, []).append(each)
    sections = [
        {
            "title": game.declaration.title,
            "spec": game.spec if game.spec != game.name else "",
            "reviewed": any(isinstance(each, Review) for each in records),
            "data": _section_data(game, records),
        }
        for game, records in kinds.items()
    ]
    return render_page("review.html", title=title, sections=sections)


@page_of.register(PlayedGame)
@page_of.register(Review)
def _page_of_game(game: PlayedGame | Review) -> str:
    return review_page([game], "Review" if isinstance(game, Review) else "Game")


def _record_of(game: PlayedGame | Review) -> PlayedGame:
    return game.played if isinstance(game, Review) else game


def _players_of(record: PlayedGame) -> Sides:
    """The names of the two sides; those that the game has for players without a name."""
    return side_names(record.game) if record.players == PLAYERS else record.players


def _section_data(game: Game, games: Sequence[PlayedGame | Review]) -> dict[str, Any]:
    """What the viewer of the games of one kind needs."""
    players = [_players_of(_record_of(each)) for each in games]
    labels = list(dict.fromkeys(name for names in players for name in names))
    frames, entries = Frames(game), []
    for each, names in zip(games, players):
        first, second = map(labels.index, names)
        entry = game_entry(frames, _record_of(each), (first, second))
        if isinstance(each, Review):
            entry["review"] = _review_data(frames, each)
        entries.append(entry)
    return viewer_data(frames, entries) | {"labels": labels}


def _review_data(frames: Frames, review: Review) -> dict[str, Any]:
    """The values, grades and totals of a game for the viewer."""
    record, facts, sides = review.played, frames.game.facts, side_names(frames.game)
    lowest, highest = facts.min_return, facts.max_return
    return {
        "scores": [
            round((value.value - lowest) / (highest - lowest), 4) for value in review.values
        ],
        "exact": [value.exact for value in review.values],
        "values": [value_text(frames.game, value, sides) for value in review.values],
        "moves": [_move_data(frames, record, move) for move in review.moves],
        "head": ["", *GRADES, "loss, %"],
        "totals": list(totals_rows(review, sides)),
        "method": method_text(review, sides),
    }


def _move_data(frames: Frames, record: PlayedGame, move: ReviewedMove) -> dict[str, Any]:
    """A grade in words, and the boards of the better line."""
    data: dict[str, Any] = {
        "grade": "book" if move.opening else move.grade,
        "text": "opening" if move.opening else verdict(frames.game, move).partition(";")[0],
    }
    if move.better and not move.opening:
        line = move.line[:LINE_SHOWN]
        changes, _ = frames.of(record.actions[: move.ply] + line)
        data["line"] = {
            "names": [frames.game.action_to_text(action) for action in line],
            "changes": changes[move.ply :],
        }
    return data
