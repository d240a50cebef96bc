"""The declaration of a game: name, position record, parameters, facts, board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .pictures.drawing import Area
from .profile import Profile
from .rules_types import Declaration, T, declare, record_type
from .specification import Parameter

NO_PROFILE = Profile()


class Facts(NamedTuple):
    """Facts about a game with given parameters, for agents and environments to check.

    Attributes:
        num_actions: actions are 0 … num_actions − 1.
        longest_game: the maximum number of plies.
        min_return, max_return: range of the returns, zero-sum.
        observation_shape: (rows, columns, planes) of the int8 observation; its values are 0 and 1.
        moves_again: whether a player can move twice in a row.
    """

    num_actions: int
    longest_game: int
    min_return: float
    max_return: float
    observation_shape: tuple[int, int, int]
    moves_again: bool = False


class Place(NamedTuple):
    """A place on the board, one character in the text of a position.

    Attributes:
        name: what people call it.
        row, column: the position of its character in the rows of the board.
        symbols: the characters of its possible contents.
        area: its click area in the board's picture, if any.
    """

    name: str
    row: int
    column: int
    symbols: str
    area: Area | None = None


class Board(NamedTuple):
    """The places and areas of a board and its picture, and the names of actions.

    Attributes:
        places: the places by which positions are written and set up; without places, positions are
            reached by moves only.
        actions: the name of each action.
        kind: what an action is called in the error for a wrong name.
        cells: the row, column and layer of each action on the observed board; empty if none has a
            place there. Layers distinguish actions in one cell, such as a horizontal and a vertical
            edge. An action that is a whole column has row −1; one without a place has all −1.
        areas: the click area of each action in the picture, None for an action without a place,
            such as a pass. They do not overlap, unless their actions have different sources.
            Without areas, actions are buttons.
        second_areas: the areas of player 1, if different: in games that number actions from the
            player's side.
        sources: the place of the piece that each action moves, which is clicked first; None if one
            click plays it; empty if every action is one click.
    """

    places: Sequence[Place] = ()
    actions: Sequence[str] = ()
    kind: str = "action"
    cells: Sequence[tuple[int, int, int]] = ()
    areas: Sequence[Area | None] = ()
    second_areas: Sequence[Area | None] = ()
    sources: Sequence[Place | None] = ()

    def area(self, action: int, player: int) -> Area | None:
        """Where a player clicks to play an action."""
        areas = (self.second_areas if player else ()) or self.areas
        return areas[action] if areas else None

    def area_number(self, action: int, player: int) -> int:
        """The index among the areas of both players, by which pictures get the last action."""
        return action + (len(self.areas) if player and self.second_areas else 0)

    def source(self, action: int) -> Place | None:
        """The place of the piece that an action moves."""
        return self.sources[action] if self.sources else None


def declare_game(
    *,
    name: str,
    version: int,
    position: list[tuple[Any, ...]],
    parameters: tuple[Parameter, ...],
    title: str | None = None,
    heuristics: tuple[str, ...] = (),
    check: Callable[[Any], str | None] = lambda rules: None,
    capacity: Callable[[Any], str | None] = lambda rules: None,
    limits: str = "",
    short_forms: tuple[Parameter, ...] = (),
    expand: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    contract: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    colours: tuple[str, str] | None = None,
    marks: tuple[str, str] = ("X", "O"),
    profile: Profile = NO_PROFILE,
) -> Callable[[T], T]:
    """Class decorator for a rules type: a NamedTuple of whole numbers, validated on construction.

    Args:
        name: the game's id without version, ``connect_four``.
        version: raised by any change of rules, actions, observations or rewards.
        position: the fields of the position record, as for ``np.dtype``.
        parameters: one per field, in order; one with ``choices`` is stored as its text's index.
        title: the game's name for people; None: ``title`` among the profile's words.
        heuristics: the names of heuristics, in the order of the ``heuristic`` argument of
            ``evaluate``.
        check: returns what is wrong with a combination of parameters, or None.
        capacity: the same for boards too large for the record.
        limits: what ``capacity`` allows, in words.
        short_forms: parameters that stand for several others (``size=5`` for ``rows=5,cols=5``).
        expand: replaces short forms among the parameters by what they stand for; None: each passes
            its value to the parameters that it stands for.
        contract: the inverse, applied to all the values when a game is written as text.
        colours: the colours of player_0 and player_1 in pictures of the board, ``#rrggbb``.
        marks: the letters of player_0 and player_1 in the board as text.
        profile: data about the game for the other folders.
    """

    def decorate(rules_type: T) -> T:
        called = title or profile.words_in("en").get("title", name)
        declaration = Declaration(
            name, version, called, record_type(position), parameters, heuristics, short_forms,
            expand, contract, limits, colours, marks, profile, check,
        )  # fmt: skip
        declare(rules_type, declaration, capacity)
        return rules_type

    return decorate
