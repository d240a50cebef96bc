"""Opening books: moves played without search, from a rule (``book=centre``) or from a file
(``book=FILE``).

A book file is UTF-8 text, one JSON value on each line. The first line is the header:

    {"format": "plyground opening book", "version": 1, "game": "connect_four", "rules":
    "connect_four_v0", "agent": "alphabeta:depth=12",
     "plyground": "0.1.0", "plies": 4, "scale": "points", "positions": 39, "sha256": "…"}

(on one line); ``sha256`` is the checksum of all the bytes after the header's line. Each further
line is one position:

    {"moves": "d,d", "best": {"d": 12.0}, "exact": false}

``moves`` are names of actions that lead to the position, ``best`` its best actions with their
values from the side of the player to move (null where the agent estimates nothing), the action to
play first; ``exact`` says whether the values are proved. Of positions that are images of each other
under the board's symmetries the book holds one, and all are found.
"""

from __future__ import annotations

import functools
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..envs.canonical import CanonicalForm
from ..envs.game import Game, Position
from ..envs.registry import make_game
from ..envs.rules import action_cells
from ..envs.specification import Parameter, SpecificationError

FORMAT, FORMAT_VERSION = "plyground opening book", 1
CENTRE = "centre"
CENTRE_PLIES = 2

BOOK_PARAMETERS = (
    Parameter(
        "book", str, None, "opening moves without search: centre, or a file made by plyground book"
    ),
    Parameter(
        "book_plies", int, CENTRE_PLIES, "how many plies of the game book=centre decides", 1, 1000
    ),
)


class BookMove(NamedTuple):
    """What a book says of a position: the action to play, and the values of the best actions (None:
    unknown), from the mover's side.
    """

    action: int
    values: Mapping[int, float] | None = None
    scale: Literal["return", "points"] = "return"
    exact: bool = False


class Book(ABC):
    """Where opening moves come from.

    Attributes:
        version: what its moves depend on beside its name; empty for a fixed rule.
    """

    version = ""

    @abstractmethod
    def check_game(self, game: Game) -> None:
        """Refuse a game the book is not for, with a SpecificationError."""

    def prepare(self, game: Game) -> None:
        """Make ready for look-ups in this game."""

    @abstractmethod
    def look_up(self, position: Position) -> BookMove | None:
        """What the book says of a position that is not over, or None."""


def open_book(options: Mapping[str, Any]) -> Book | None:
    """The book that an agent's options ask for; SpecificationError if there is none such, or its
    file is damaged.
    """
    source, plies = options.get("book"), options.get("book_plies", CENTRE_PLIES)
    if source == CENTRE:
        return CentreBook(plies)
    if plies != CENTRE_PLIES:
        raise SpecificationError(
            "book_plies= is for book=centre; a book file says itself which positions it covers"
        )
    return None if source is None else BookFile(source)


class CentreBook(Book):
    """The opening policy of taking the middle: the legal column or cell nearest to the centre, the
    lowest numbered of several.

    It decides the first ``plies`` plies of the game only (by default one move of each player);
    after them the agent searches.
    """

    def __init__(self, plies: int = CENTRE_PLIES) -> None:
        self.plies = plies

    def check_game(self, game: Game) -> None:
        if not _placed_actions(game):
            raise SpecificationError(
                f"book=centre is for games whose actions are columns or cells, {game.name} is none"
            )
        if "ply" not in (game.declaration.dtype.names or ()):
            raise SpecificationError(
                f"book=centre is for games whose positions count plies, {game.name} is none"
            )

    def look_up(self, position: Position) -> BookMove | None:
        if position.record.ply >= self.plies:
            return None
        places = _placed_actions(position.game)
        return BookMove(
            min(
                (action for action in position.legal_actions() if action in places),
                key=places.__getitem__,
            )
        )


@functools.cache
def _placed_actions(game: Game) -> dict[int, int]:
    """Four times the squared distance from the centre, of each action that is a column or a cell.

    Empty where several actions lie in one place.
    """
    rows, cols, _ = game.facts.observation_shape
    cells = action_cells(game.rules)
    if cells[:, 2].max() > 0:
        return {}
    return {
        action: ((2 * row - rows + 1) ** 2 if row >= 0 else 0) + (2 * column - cols + 1) ** 2
        for action, (row, column, _) in enumerate(cells.tolist())
        if column >= 0
    }


class BookFile(Book):
    """A book read from a file. The header and the checksum are checked at once, the positions read
    by :meth:`prepare`.

    Attributes:
        path: the file.
        header: its first line.
        game: the game it is for.

    Raises:
        SpecificationError: no such file, not a book, a damaged book, or one for a game that is not
            known here.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            first, newline, self._body = self.path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            raise SpecificationError(
                f"there is no opening book {str(path)!r}; give centre, or a file made by: "
                f"plyground book GAME"
            ) from None
        except OSError as error:
            raise SpecificationError(
                f"the opening book {path} cannot be read: {error.strerror}"
            ) from None
        self.header = self._check_header(first)
        self._check_body(bool(newline))
        self.version = f"book {self.header['sha256'][:12]}"
        self.game = make_game(str(self.header["game"]))
        if self.game.declaration.game_id != self.header["rules"]:
            raise SpecificationError(
                f"the opening book {path} is for {self.header['rules']}, whose rules are not those "
                f"of {self.game.declaration.game_id}"
            )
        self._entries: dict[bytes, BookMove] | None = None

    def _check_header(self, line: bytes) -> dict[str, Any]:
        try:
            header = json.loads(line)
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise SpecificationError(
                f"{self.path} is no opening book: its first line is not the header of one"
            )
        if header.get("version") != FORMAT_VERSION:
            raise SpecificationError(
                f"{self.path} is an opening book of format version {header.get('version')}, this "
                f"plyground reads version {FORMAT_VERSION}"
            )
        missing = [
            name for name in ("game", "rules", "scale", "positions", "sha256") if name not in header
        ]
        if missing or header["scale"] not in ("return", "points"):
            raise SpecificationError(
                f"the header of the opening book {self.path} lacks "
                f"{', '.join(missing) or 'a known scale'}"
            )
        return header

    def _check_body(self, ended: bool) -> None:
        if ended and hashlib.sha256(self._body).hexdigest() == self.header["sha256"]:
            return
        there = self._body.count(b"\n")
        cut = (
            f"it ends after {there} of {self.header['positions']} positions"
            if there != self.header["positions"]
            else "its checksum is wrong"
        )
        raise SpecificationError(f"the opening book {self.path} is damaged ({cut}); make it anew")

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
            try:
                key, move = self._read(line)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise SpecificationError(
                    f"line {number} of the opening book {self.path} describes no position of "
                    f"{self.game.spec}: {error}"
                ) from None
            self._entries[key] = move

    def _read(self, line: bytes) -> tuple[bytes, BookMove]:
        """One position: its canonical form, and what to play there."""
        entry = json.loads(line)
        moves, best = entry["moves"], entry["best"]
        position = self.game.position(moves.split(",") if moves else ())
        key, image_of = self._canon(position)
        values: dict[int, float | None] = {}
        for name, value in best.items():
            action = self.game.text_to_action(name)
            if not position.is_legal(action):
                raise ValueError(f"{name} is not legal there")
            values[int(image_of[action])] = None if value is None else float(value)
        if not values:
            raise ValueError("it has no best action")
        known = {action: value for action, value in values.items() if value is not None}
        return key, BookMove(
            next(iter(values)), known or None, self.header["scale"], bool(entry["exact"])
        )

    def look_up(self, position: Position) -> BookMove | None:
        self.prepare(position.game)
        assert self._entries is not None
        key, image_of = self._canon(position)
        move = self._entries.get(key)
        if move is None:
            return None
        # the inverse permutation: from actions of the canonical image back to those here
        original = np.argsort(image_of)
        values = (
            None
            if move.values is None
            else {int(original[action]): value for action, value in move.values.items()}
        )
        return move._replace(action=int(original[move.action]), values=values)
