"""Positions in requests, and the view of a position that the browser draws."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...agents.lookahead import HOLDS, WINS, grade_actions, new_lookahead
from ...envs import rules as r
from ...envs.boards.rows import FREE
from ...envs.declaration import Place
from ...envs.game import Game, IllegalActionError, IllegalPositionError, Position
from ...envs.pictures.drawing import Area
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from .errors import Refusal, sentence
from .settings import (
    LONGEST_MOVES,
    LONGEST_NAME,
    LONGEST_POSITION,
    LONGEST_SPEC,
    MOST_ACTIONS,
    MOST_MOVES,
)
from .wording.words import Words


def read_game(spec: str) -> Game:
    """The game of a specification; Refusal if there is none, or if its board is too large."""
    if len(spec) > LONGEST_SPEC:
        raise Refusal("long_game", most=LONGEST_SPEC)
    try:
        game = _game(spec)
    except SpecificationError as error:
        raise Refusal("game", reason=sentence(error)) from None
    if game.facts.num_actions > MOST_ACTIONS:
        actions = game.facts.num_actions
        raise Refusal("large_game", game=game.spec, actions=actions, most=MOST_ACTIONS)
    return game


@functools.lru_cache(256)
def _game(spec: str) -> Game:
    return make_game(spec)


def split_moves(game: Game, text: str) -> list[str]:
    """The names of moves in the text of a link.

    They are separated by commas; names of one letter need none: ``ddec``.
    """
    if len(text) > LONGEST_MOVES:
        raise Refusal("long_moves", most=LONGEST_MOVES)
    text = text.strip()
    if not text:
        return []
    if "," not in text and _has_short_names(game) and text.isalpha():
        return list(text)
    return [name.strip() for name in text.split(",")]


@functools.lru_cache(256)
def _has_short_names(game: Game) -> bool:
    """Whether the name of every action is one character."""
    return all(len(game.action_to_text(action)) == 1 for action in range(game.facts.num_actions))


def link_text(game: Game, names: Sequence[str]) -> str:
    """Moves in the format of links; the inverse of :func:`split_moves`."""
    return ("" if _has_short_names(game) else ",").join(names)


def read_position(game: Game, text: str) -> Position:
    """The position of a text, the initial one if it is empty; Refusal if it is invalid."""
    if len(text) > LONGEST_POSITION:
        raise Refusal("long_position", most=LONGEST_POSITION)
    try:
        if text.strip():
            return game.position_from_text(text, check=False)
        return game.initial_position()
    except IllegalPositionError as error:
        raise Refusal("position", reason=error.reason) from None


def read_line(start: Position, names: Sequence[str]) -> LineOfPlay:
    """The moves with these names, played in order; Refusal at the first invalid one."""
    if len(names) > MOST_MOVES:
        raise Refusal("many_moves", most=MOST_MOVES)
    line = LineOfPlay(start)
    for number, name in enumerate(names, 1):
        if len(name) > LONGEST_NAME:
            raise Refusal("long_move", number=number, most=LONGEST_NAME)
        try:
            line.play(start.game.text_to_action(name))
        except IllegalActionError as error:
            raise Refusal("move", number=number, reason=error) from None
    return line


def open_line(spec: str, moves: str = "", start: str = "") -> LineOfPlay:
    """The line of play in the text of a link; Refusal if it is invalid.

    Args:
        spec: the game.
        moves: the moves, in the format of :func:`split_moves`.
        start: the position to play them from; empty for the initial one.
    """
    game = read_game(spec)
    position = read_position(game, start)
    return read_line(position, split_moves(game, moves))


class LineOfPlay:
    """A line of play: its first position and its moves.

    Attributes:
        game: the game.
        start: the first position.
        actions: the moves.
        movers: the player of each.
        position: the last position.
    """

    def __init__(self, start: Position, actions: Sequence[int] = ()) -> None:
        self.game: Game = start.game
        self.start: Position = start
        self.actions: list[int] = []
        self.movers: list[int] = []
        self.position: Position = start.copy()
        for action in actions:
            self.play(action)

    def play(self, action: int) -> None:
        """Play one more move; IllegalActionError if it cannot be played."""
        mover = self.position.to_move
        self.position.play(action)
        self.movers.append(mover)
        self.actions.append(action)

    @property
    def names(self) -> list[str]:
        """The names of the moves."""
        return [self.game.action_to_text(action) for action in self.actions]

    @property
    def start_text(self) -> str:
        """The first position in the format of links: empty if it is the initial one."""
        return "" if self.start == self.game.initial_position() else self.start.to_text()

    def view(self, words: Words, threats: bool = False) -> dict[str, Any]:
        """All data of the position for the browser.

        Coordinates are in the picture: ``width`` by ``height``, y pointing down.

        Args:
            words: the language.
            threats: whether to list actions that win at once, or that parry the opponent's
                immediate wins.
        """
        game, position = self.game, self.position
        names, legal = self.names, position.legal_actions()
        picture = r.picture(game.rules, position.record, None)
        outcome = position.outcome
        return {
            "game": game.spec,
            "title": words.board(game),
            "moves": names,
            "link": link_text(game, names),
            "position": self.start_text,
            "problems": self.start.problems() if self.start_text else [],
            "board": position.to_text() if r.board(game.rules).places else None,
            "movers": self.movers,
            "svg": position.to_svg(self.actions[-1] if self.actions else None),
            "text": str(position),
            "width": picture.width,
            "height": picture.height,
            "background": picture.background,
            "actions": [action_json(position, action, words) for action in legal],
            "marks_legal": _leaves_free_places(position),
            "to_move": position.to_move,
            "players": [
                {
                    "name": words.player(game, player),
                    "colour": (game.declaration.colours or (None, None))[player],
                    "mark": game.declaration.marks[player],
                    "badge": (game.profile.badges or (None, None))[player],
                    "return": position.returns[player],
                    "most": game.facts.max_return,
                }
                for player in (0, 1)
            ],
            "score": r.score(game.rules, position.record),
            "score_unit": words.of_game(game, "score", ""),
            "margin": _lead(position),
            "over": position.is_over,
            "winner": None if outcome is None else outcome.winner,
            "status": (
                words("status.to_move", player=words.player(game, position.to_move))
                if outcome is None
                else words.outcome(position)
            ),
            "said": self._status_text(words),
            "threats": self._threats() if threats and legal else None,
        }

    def _status_text(self, words: Words) -> str:
        """A sentence about the last move, for screen readers."""
        if not self.actions:
            return ""
        player = words.player(self.game, self.movers[-1])
        return words("said.move", player=player, action=words.action(self.game, self.names[-1]))

    def _threats(self) -> dict[str, list[int]]:
        """The actions that win at once, and the ones that parry the opponent's wins."""
        game, buffers = self.game, new_lookahead(self.game, None)
        grade: Callable[..., tuple[int, int]] = grade_actions  # a kernel: no annotations
        number, _ = grade(game.rules, self.position.record, -1, buffers)
        threats = [(int(buffers.actions[i]), int(buffers.grades[i])) for i in range(number)]
        wins = [action for action, grade in threats if grade == WINS]
        holding = [action for action, grade in threats if grade >= HOLDS]
        return {"wins": wins, "holds": holding if 0 < len(holding) < number else []}


def _lead(position: Position) -> list[int] | None:
    """The lead of each player in the game's units, if the game has any."""
    leads = [int(r.margin(position.game.rules, position.record, player)) for player in (0, 1)]
    if leads == [0, 0] and position.game.facts.max_return > 1:
        leads = [int(value) for value in position.returns]
    return leads if any(leads) else None


def action_json(position: Position, action: int, words: Words) -> dict[str, Any]:
    """An action of the player to move as plain data.

    ``stone`` is whether the place of the mover's new stone is known; ``lands`` is the area
    there, None if it is the action's own area.
    """
    game = position.game
    name, area = game.action_to_text(action), _area_of(position, action)
    landing = None if area is None else _landing(position, action, area)
    return {
        "action": action,
        "name": name,
        "label": words.action(game, name),
        "area": _corners(area),
        "from": _piece_json(game, action, words),
        "stone": landing is not None,
        "lands": None if landing == area else _corners(landing),
    }


def _piece_json(game: Game, action: int, words: Words) -> dict[str, Any] | None:
    """The place of the piece that an action moves, to be clicked first; None without a piece."""
    place = r.board(game.rules).source(action)
    if place is None:
        return None
    label = words.place(game, place.name)
    return {"name": place.name, "label": label, "area": _corners(place.area)}


def _landing(position: Position, action: int, area: Area) -> Area | None:
    """The area of the stone that an action places; None without a stone, or if not known."""
    game, mark = position.game, position.game.declaration.marks[position.to_move]
    places = _places(game)
    if area in places:
        return area if mark in places[area].symbols else None
    if not places:
        return None
    # the areas of actions differ from the areas of places, for example if columns are clicked
    before = r.board_rows(game.rules, position.record)
    after = r.board_rows(game.rules, position.after(action).record)
    areas = [
        place.area
        for place in r.board(game.rules).places
        if before[place.row][place.column] != mark == after[place.row][place.column]
    ]
    return areas[0] if len(areas) == 1 else None


def _leaves_free_places(position: Position) -> bool:
    """Whether some free places, where actions are clicked, are not open to the mover."""
    game = position.game
    open_areas = {_area_of(position, action) for action in position.legal_actions()}
    areas = r.board(game.rules).areas
    clicked = [_places(game)[area] for area in areas if area in _places(game)]
    if not clicked:
        return False
    rows = r.board_rows(game.rules, position.record)
    free = {place.area for place in clicked if rows[place.row][place.column] == FREE}
    return bool(free - open_areas)


@functools.lru_cache(256)
def _places(game: Game) -> Mapping[Area | None, Place]:
    """The places of the board by their areas."""
    places = r.board(game.rules).places
    return {place.area: place for place in places if place.area is not None}


def blank_board(game: Game, words: Words) -> dict[str, Any] | None:
    """The data of the position editor; None for a game without set-up positions."""
    places = r.board(game.rules).places
    if not places:
        return None
    initial = game.initial_position()
    return {
        "svg": initial.to_svg(),
        "rows": r.board_rows(game.rules, initial.record),
        "places": [
            {
                "row": place.row,
                "column": place.column,
                "symbols": place.symbols,
                "label": words.place(game, place.name),
                "area": _corners(place.area),
            }
            for place in places
        ],
        "marks": game.declaration.marks,
    }


def _corners(area: Area | None) -> list[float] | None:
    """The corners of an area in SVG format."""
    return None if area is None else [round(value, 3) for point in area.points for value in point]


def _area_of(position: Position, action: int) -> Area | None:
    """Where the player to move clicks to play an action."""
    return r.board(position.game.rules).area(action, position.to_move)
