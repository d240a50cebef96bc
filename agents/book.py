"""Opening books: moves played without search, by a rule (``book=centre``) or from a file.

A book file is UTF-8 text, one JSON value on each line. The first line is the header:

    {"format": "plyground opening book", "version": 2, "game": "connect_four",
     "rules": "connect_four_v0", "agent": "alphabeta:depth=12", "plyground": "0.1.0",
     "plies": 4, "positions": 39, "sha256": "…"}

(on one line); ``sha256`` is the checksum of all bytes after the header line. Each further line is
one position:

    {"moves": "d,d", "best": {"d": {"value": 12.0, "unit": "points", "kind": "estimate",
     "plies": null}}}

(on one line). ``moves`` are names of actions that lead to the position, ``best`` its best actions,
the action to play first, each with its score from the side of the player to move (the fields of
:class:`~plyground.agents.score.Score`; null where the agent estimates nothing). Of positions that
are equal under the board's symmetries the book holds one; lookups find all of them.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from ..envs.canonical import CanonicalForm
from ..envs.game import Game, Position
from ..envs.loading.files import read_file
from ..envs.loading.records import check_value, parse_json
from ..envs.optional.defaults import action_cells
from ..envs.registry import game_of_file
from ..envs.specification import Parameter, SpecificationError, refusing
from .decision import Score

FORMAT, FORMAT_VERSION = "plyground opening book", 2
CENTRE = "centre"
CENTRE_PLIES = 2

BOOK = Parameter(
    "book", str, None, "opening moves without search: centre, or a file made by plyground book"
)


class Header(TypedDict):
    """The fields of a book's header that are read."""

    game: str
    rules: str
    positions: int
    sha256: str


class BookMove(NamedTuple):
    """A book's entry for a position: the action to play, and the scores of the best actions.

    Scores are from the side of the player to move; None if the book states none.
    """

    action: int
    scores: Mapping[int, Score] | None = None


class OpeningBook(ABC):
    """A source of opening moves.

    Attributes:
        version: what its moves depend on in addition to its name; empty for a fixed rule.
    """

    version = ""

    @abstractmethod
    def check_game(self, game: Game) -> None:
        """Refuse a game the book is not for, with a SpecificationError."""

    def prepare(self, game: Game) -> None:
        """Prepare lookups in this game."""

    @abstractmethod
    def look_up(self, position: Position) -> BookMove | None:
        """The book's entry for a position that is not over, or None."""


def open_book(options: Mapping[str, Any]) -> OpeningBook | None:
    """The book that an agent's options ask for.

    None if the options name no book. Raises SpecificationError if a file is missing or damaged.
    """
    source = options.get("book")
    if source == CENTRE:
        return CentreBook()
    return None if source is None else BookFile(source)


def centre_actions(position: Position) -> list[int]:
    """The legal actions nearest to the centre of the board, ascending.

    Distance is measured within an action's layer of the board's ``cells``; in a layer of columns
    only the column counts. Actions without a cell are returned only if no other is legal.

    Raises:
        NotImplementedError: the game does not declare the cells of its actions.
    """
    cells = action_cells(position.game.rules)
    if (cells < 0).all():
        raise NotImplementedError(f"{position.game.name} declares no cells of its actions")
    distances = np.full(len(cells), np.iinfo(np.int64).max)
    for layer in range(cells[:, 2].max() + 1):
        within = cells[:, 2] == layer
        places = cells[within, :2].astype(np.int64)
        middle = places.min(axis=0) + places.max(axis=0)
        distances[within] = ((2 * places - middle) ** 2).sum(axis=1)
    legal = np.array(position.legal_actions(), np.int64)
    nearest: list[int] = legal[distances[legal] == distances[legal].min()].tolist()
    return nearest


class CentreBook(OpeningBook):
    """The centre policy for openings: the legal action nearest to the centre of the board.

    Ties go to the lowest action in the canonical image of the position, so that the move in a
    mirrored position is the mirrored move. It decides only the first move of each player; after
    that the agent searches.
    """

    def __init__(self) -> None:
        self._canon: CanonicalForm | None = None

    def check_game(self, game: Game) -> None:
        try:
            centre_actions(game.initial_position())
        except NotImplementedError:
            raise SpecificationError(
                f"book=centre needs a board with a centre, and {game.name} does not say where its "
                f"actions are on the board"
            ) from None

    def prepare(self, game: Game) -> None:
        if self._canon is None or self._canon.game != game:
            self._canon = CanonicalForm(game)
            self._canon(game.initial_position())

    def look_up(self, position: Position) -> BookMove | None:
        self.prepare(position.game)
        assert self._canon is not None
        try:
            is_opening = position.ply < CENTRE_PLIES
        except NotImplementedError:  # neither the record nor the history says
            is_opening = False
        if not is_opening:
            return None
        nearest = centre_actions(position)
        if len(nearest) > 1:
            _, image_of = self._canon(position)
            nearest.sort(key=lambda action: image_of[action])
        return BookMove(nearest[0])


class BookFile(OpeningBook):
    """A book read from a file.

    The header and the checksum are checked immediately; :meth:`prepare` reads the positions.

    Attributes:
        path: the file.
        header: its first line.
        game: the game it is for.

    Raises:
        SpecificationError: the file does not exist, is not a book, is damaged, or is for an unknown
            game.
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Path = Path(path)
        with refusing(OSError, f"the opening book {path} cannot be read"):
            if not self.path.exists():
                raise SpecificationError(
                    f"there is no opening book {str(path)!r}; give centre, or a file made by: "
                    f"plyground book GAME"
                )
            # without the byte order mark that some editors write
            content = read_file(self.path).removeprefix(codecs.BOM_UTF8)
        first, newline, self._body = content.partition(b"\n")
        self.header: dict[str, Any] = self._check_header(first)
        self._check_body(bool(newline))
        self.version: str = f"book {self.header['sha256'][:12]}"
        with refusing(SpecificationError, f"the opening book {path} cannot be used"):
            self.game: Game = game_of_file(self.header["game"], self.header["rules"])
        self._entries: dict[bytes, BookMove] | None = None

    def _check_header(self, line: bytes) -> dict[str, Any]:
        header = None
        with contextlib.suppress(SpecificationError):
            header = parse_json(line, str(self.path))
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise SpecificationError(
                f"{self.path} is not an opening book: its first line is not a header"
            )
        if header.get("version") != FORMAT_VERSION:
            raise SpecificationError(
                f"{self.path} is an opening book of format version {header.get('version')}, this "
                f"plyground reads version {FORMAT_VERSION}; make it again"
            )
        check_value(header, Header, f"the header of the opening book {self.path}", more=True)
        return header

    def _check_body(self, has_newline: bool) -> None:
        if has_newline and hashlib.sha256(self._body).hexdigest() == self.header["sha256"]:
            return
        there = self._body.count(b"\n")
        cut = (
            f"it ends after {there} of {self.header['positions']} positions"
            if there != self.header["positions"]
            else "its checksum is wrong"
        )
        raise SpecificationError(f"the opening book {self.path} is damaged ({cut}); make it again")

    def check_game(self, game: Game) -> None:
        if game != self.game:
            raise SpecificationError(
                f"the opening book {self.path} is for {self.game.spec}, not for {game.spec}"
            )

    def prepare(self, game: Game) -> None:
        if self._entries is not None:
            return
        self._canon = CanonicalForm(self.game)
        self._entries = {}
        for number, line in enumerate(self._body.splitlines(), 2):
            with refusing(
                (ValueError, LookupError, TypeError, AttributeError, RecursionError),
                f"line {number} of the opening book {self.path} describes no position of "
                f"{self.game.spec}",
            ):
                key, move = self._read(line)
                self._entries[key] = move

    def _read(self, line: bytes) -> tuple[bytes, BookMove]:
        """One position: its canonical form, and what to play there."""
        entry = json.loads(line)
        moves, best = entry["moves"], entry["best"]
        position = self.game.position(moves.split(",") if moves else ())
        key, image_of = self._canon(position)
        scores: dict[int, Score | None] = {}
        for name, score in best.items():
            action = self.game.text_to_action(name)
            if not position.is_legal(action):
                raise ValueError(f"{name} is not legal there")
            scores[int(image_of[action])] = None if score is None else Score.from_json(score)
        if not scores:
            raise ValueError("it has no best action")
        stated_scores = {action: score for action, score in scores.items() if score is not None}
        return key, BookMove(next(iter(scores)), stated_scores or None)

    def look_up(self, position: Position) -> BookMove | None:
        self.prepare(position.game)
        assert self._entries is not None
        key, image_of = self._canon(position)
        move = self._entries.get(key)
        if move is None:
            return None
        # the inverse permutation: from actions of the canonical image to actions of the position
        original = np.argsort(image_of)
        scores = (
            None
            if move.scores is None
            else {int(original[action]): score for action, score in move.scores.items()}
        )
        return move._replace(action=int(original[move.action]), scores=scores)
