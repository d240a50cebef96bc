"""Games to step through in notebooks, without files, servers or requests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..envs.game import Game
from ..envs.loading.files import written_whole
from ..envs.outcome import PLAYERS
from ..envs.specification import SpecificationError
from .match import GameResult
from .pages import frame
from .played_game import PlayedGame
from .report.game_page import game_page
from .reviews import GameReview, make_reviewer
from .store.store import Store, StoreError

GAMES_SHOWN = 20


class Widget:
    """A page that a notebook shows.

    Attributes:
        page: the self-contained HTML page.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with written_whole(Path(path)) as file:
            file.write(self.page.encode())

    def _repr_html_(self) -> str:
        """Notebooks show the page."""
        return frame(self.page)

    def __repr__(self) -> str:
        return f"<plyground page of {len(self.page) // 1000} kB; a notebook shows it>"


def show(
    what: GameReview | PlayedGame | Store | Game | str | os.PathLike[str],
    moves: GameResult | Sequence[int | str] | None = None,
    *,
    players: tuple[str, str] = PLAYERS,
    review: bool | None = None,
    agent: str | None = None,
    games: int = GAMES_SHOWN,
) -> Widget:
    """A game, or the games of a store, to step through in a notebook; with grades if reviewed.

    Args:
        what: a review, a played game, a store or its file; or a game or its specification, with
            ``moves``.
        moves: the moves of the game (numbers or names), or the result of a match.
        players: the names of the two sides, for ``moves``.
        review: whether to grade moves; by default the moves of a single game are graded.
        agent: the agent that estimates positions that no solver can solve.
        games: number of games of a store to show, the latest first.

    Raises:
        SpecificationError: there is nothing to show, or jinja2 is not installed.
        IllegalActionError: the moves cannot be played.
        StoreError: the store cannot be read.
    """
    if isinstance(what, GameReview):
        return Widget(game_page([what]))
    if not isinstance(what, PlayedGame | Store | Game | str | os.PathLike):
        raise TypeError(f"only a review, a game or a store can be shown, not {type(what).__name__}")
    if isinstance(what, Game) or (isinstance(what, str) and moves is not None):
        what = _record_of(what, () if moves is None else moves, players)
    records = [what] if isinstance(what, PlayedGame) else _stored_games(what, games)
    with_grades = review if review is not None else isinstance(what, PlayedGame)
    if with_grades:
        return Widget(game_page([make_reviewer(each.game, agent).review(each) for each in records]))
    return Widget(game_page(records, "Games"))


def _record_of(
    game: Game | str, moves: GameResult | Sequence[int | str], players: tuple[str, str]
) -> PlayedGame:
    if not isinstance(moves, GameResult):
        return PlayedGame.of_actions(game, moves, players)
    record = PlayedGame.of_actions(game, moves.moves, players)
    return PlayedGame(record.game, moves.moves, players, winner=moves.winner, reason=moves.reason)


def _stored_games(source: Store | str | os.PathLike[str], count: int) -> list[PlayedGame]:
    """The games of a store that are shown."""
    if not isinstance(source, Store):
        with Store(source) as store:
            return _stored_games(store, count)
    tournaments = {tournament.number: tournament for tournament in source.tournaments()}
    games: list[PlayedGame] = []
    for _, number, entry in source.numbered_games():
        if len(games) == count:
            break
        tournament = tournaments[number]
        first, second = (tournament.agents[player].label for player in entry.players)
        try:
            games.append(PlayedGame.of_stored(tournament.settings["game"], entry, (first, second)))
        except (SpecificationError, KeyError, ValueError):
            continue  # a game, or rules, that are not installed
    if not games:
        raise StoreError(f"{source.path} holds no games that can be shown")
    return games
