"""Replays in a report: the choice of games, and their boards move by move.

Every board is the rules' picture of the position, so the page needs no rules. A picture is a list
of shapes; the shapes of a tournament are numbered once, and each move is stored as a change: the
places of removed shapes, and the places and numbers of added ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...envs import rules as r
from ...envs.game import Game, IllegalActionError
from ...envs.outcome import PLAYERS
from ...envs.pictures.drawing import Picture, to_svg
from ...evaluation.played_game import PlayedGame
from ..statistics.ratings import Ratings
from ..store.store import StoredGame

KEPT_OF_EACH_KIND = 4  # candidates with the same seating and result
MOST_FORFEITS = 4  # shown per agent and kind of fault


class ChosenGame(NamedTuple):
    """A game that is shown, and why it was chosen."""

    game: StoredGame
    why: str


class Gallery:
    """Chooses the games to show in one pass over a tournament, keeping only candidates.

    Args:
        limit: the maximum number of games shown. A tournament with no more games is shown in full,
            repeated games once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._first: list[StoredGame] = []
        self._kinds: dict[tuple[int, int, int, str | None], dict[int, StoredGame]] = {}
        self._sequences: set[int] = set()
        self._shortest: StoredGame | None = None
        self._longest: StoredGame | None = None

    def note(self, game: StoredGame) -> None:
        """Add a game."""
        result = game.result
        won = result.returns[0]
        kind = (*game.players, (won > 0) - (won < 0), result.fault)
        candidates = self._kinds.setdefault(kind, {})
        if len(candidates) < KEPT_OF_EACH_KIND:
            candidates.setdefault(hash(result.moves), game)
        if len(self._sequences) <= self.limit:
            sequence = hash((game.players, result.moves))
            if sequence not in self._sequences:
                self._sequences.add(sequence)
                self._first.append(game)
        if result.fault is None:
            length = len(result.moves)
            if self._shortest is None or length < len(self._shortest.result.moves):
                self._shortest = game
            if self._longest is None or length > len(self._longest.result.moves):
                self._longest = game

    def choose(self, ratings: Ratings | None) -> list[ChosenGame]:
        """The games to show, the most informative first.

        Forfeits, upsets and the shortest and longest games come first, then games of every seating
        and result in turn.
        """
        if len(self._sequences) <= self.limit:
            return [ChosenGame(game, self._why(game, ratings)) for game in self._first]
        choice: dict[tuple[int, int, int], ChosenGame] = {}
        for game in self._candidates(ratings):
            if len(choice) >= self.limit:
                break
            choice.setdefault(
                (game.pair, *game.players), ChosenGame(game, self._why(game, ratings))
            )
        return list(choice.values())

    def _candidates(self, ratings: Ratings | None) -> Iterator[StoredGame]:
        forfeits: dict[tuple[int, str], list[StoredGame]] = {}
        regular = []
        for games in self._kinds.values():
            for game in games.values():
                if game.result.fault is not None and game.result.forfeited is not None:
                    forfeits.setdefault(
                        (game.players[game.result.forfeited], game.result.fault), []
                    ).append(game)
            regular.append(list(games.values()))
        for faulty in forfeits.values():
            yield from faulty[:MOST_FORFEITS]
        if ratings is not None:
            everything = [game for games in regular for game in games]
            upsets = sorted(
                (game for game in everything if _upset(game, ratings) > 0),
                key=lambda game: -_upset(game, ratings),
            )
            yield from upsets[: self.limit // 4]
        yield from (game for game in (self._shortest, self._longest) if game is not None)
        for turn in range(KEPT_OF_EACH_KIND):
            yield from (games[turn] for games in regular if turn < len(games))
        yield from self._first

    def _why(self, game: StoredGame, ratings: Ratings | None) -> str:
        if game.result.fault is not None:
            return "forfeit"
        if ratings is not None and _upset(game, ratings) > 0:
            return "upset"
        if game is self._shortest:
            return "shortest"
        return "longest" if game is self._longest else ""


def _upset(game: StoredGame, ratings: Ratings) -> float:
    """By how many Elo points the winner is rated below the loser; 0 for a draw or a forfeit."""
    winner = game.result.winner
    if winner is None or game.result.fault is not None:
        return 0.0
    return float(ratings.elo[game.players[1 - winner]] - ratings.elo[game.players[winner]])


class Frames:
    """The boards of games of one kind, as shapes and changes of shapes.

    Attributes:
        game: the game.
        shapes: SVG elements; their places are their numbers.
        size: width and height of every board, in the units of the elements.
        background: the colour behind the shapes.
        start: the numbers of the shapes of the initial position, from back to front.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._numbers: dict[tuple[type, Any], int] = {}
        self.shapes: list[str] = []
        picture = r.picture(game.rules, game.initial_position().record, None)
        self._ground = picture._replace(shapes=())
        opening = to_svg(self._ground)
        self._head = opening.index("/>") + 2  # up to the background's rectangle
        self.size: tuple[float, ...] = tuple(
            float(number)
            for number in opening.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split()
        )
        self.background: Any = picture.background
        self.start: list[int] = self._numbers_of(picture)

    def _numbers_of(self, picture: Picture) -> list[int]:
        numbers = []
        for shape in picture.shapes:
            key = (type(shape), shape)
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self.shapes)
                self.shapes.append(
                    to_svg(self._ground._replace(shapes=[shape]))[self._head : -len("</svg>")]
                )
            numbers.append(number)
        return numbers

    def of(self, moves: tuple[int, ...]) -> tuple[list[list[list[int]]], str]:
        """A game move by move.

        Returns:
            the change of each move, and who made it ("0" or "1" for each move). A move that is
            illegal (a game of other rules) ends the sequence.
        """
        position = self.game.initial_position()
        before, changes, movers = self.start, [], ""
        for action in moves:
            mover = position.to_move
            try:
                position.play(action)
            except IllegalActionError:
                break
            number = r.board(self.game.rules).area_number(action, mover)
            after = self._numbers_of(r.picture(self.game.rules, position.record, number))
            changes.append(_change(before, after))
            movers += str(mover)
            before = after
        return changes, movers


def _change(before: list[int], after: list[int]) -> list[list[int]]:
    """The changes from one list to another.

    First the places to delete, ascending; then place and number of each insertion, ascending.
    """
    old, new = set(before) - set(after), set(after) - set(before)
    deletions = [place for place, number in enumerate(before) if number in old]
    insertions = [
        value for place, number in enumerate(after) if number in new for value in (place, number)
    ]
    common = [number for number in before if number not in old]
    # shapes have changed their order, or one occurs twice
    if common != [number for number in after if number not in new]:
        return [list(range(len(before))), [value for pair in enumerate(after) for value in pair]]
    return [deletions, insertions]


def replay_data(game: Game, choices: list[ChosenGame]) -> dict[str, Any]:
    """The games to show as plain data for the browser.

    One set of shapes; for each game its players, result, moves and changes.
    """
    frames, entries = Frames(game), []
    for each, why in choices:
        result, opening = each.result, len(each.opening)
        record = PlayedGame(game, result.moves, PLAYERS, opening, result.winner, result.reason)
        entry = game_entry(frames, record, each.players)
        entries.append(entry | {"why": why, "pair": each.pair})
    return viewer_data(frames, entries)


def game_entry(frames: Frames, record: PlayedGame, players: tuple[int, int]) -> dict[str, Any]:
    """A game as plain data for the browser.

    Args:
        frames: the boards of all games that are shown together.
        record: the game.
        players: the numbers of the players in seats 0 and 1.
    """
    game = frames.game
    changes, movers = frames.of(record.actions)
    count = len(changes)
    note = f"The rules of {game.spec} as installed do not allow move {count + 1} of this game."
    return {
        "players": players,
        "ended": record.ended,
        "winner": record.winner,
        "reason": game.declaration.named(record.reason),
        "why": "",
        "pair": 0,
        "opening": record.opening,
        "moves": [game.action_to_text(action) for action in record.actions[:count]],
        "movers": movers,
        "changes": changes,
        "note": note if count < len(record.actions) else "",
    }


def viewer_data(frames: Frames, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """The data for the viewer of a page: the entries of its games, and their boards."""
    return {
        "size": frames.size,
        "background": frames.background,
        "colours": frames.game.declaration.colours,
        "sides": frames.game.declaration.player_names(),
        "start": frames.start,
        "games": entries,
        "shapes": frames.shapes,
    }
