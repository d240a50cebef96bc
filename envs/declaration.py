"""What a game declares about itself: name, position record, parameters and facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .pictures.drawing import Area
from .profile import Profile
from .specification import (
    Parameter,
    SpecificationError,
    check_names,
    convert_parameters,
)

T = TypeVar("T", bound=type)

NO_PROFILE = Profile()
LONGEST_SIDE = 200  # of boards whose size is only counted


class Facts(NamedTuple):
    """Facts about a game with given parameters, for agents and environments to check.

    Attributes:
        num_actions: actions are 0 … num_actions − 1.
        longest_game: no game has more plies.
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


class Bound(NamedTuple):
    """A number that tells how large a game is: what is counted, the formula, the number."""

    quantity: str
    formula: str
    value: int


class Complexity(NamedTuple):
    """Bounds that a game declares on its size, for reports.

    Attributes:
        board: the parts of the board.
        states: the most positions there can be; None where no bound is known.
        fewer_each_ply: whether the number of legal actions is at most the longest game at first,
            and at most one less after every ply.
    """

    board: tuple[Bound, ...] = ()
    states: Bound | None = None
    fewer_each_ply: bool = False


class Place(NamedTuple):
    """A place of the board, which the text of a position describes by one character.

    Attributes:
        name: what people call it.
        row, column: where its character stands in the rows of the board.
        symbols: the characters of what it may hold.
        area: where it is clicked on the board's picture, if it can be.
    """

    name: str
    row: int
    column: int
    symbols: str
    area: Area | None = None


class Board(NamedTuple):
    """Where things lie on a board and its picture, and what actions are called.

    Attributes:
        places: those by which a position can be written and set up; a game that names none has
            positions that are reached by moves only.
        actions: the name of each action, as people write it.
        kind: what an action is, in the sentence that refuses a wrong name.
        cells: of each action, its row, column and layer on the observed board; empty if none has a
            place there. Layers tell actions in one cell apart, such as a horizontal and a vertical
            edge. An action that is a whole column has row −1; one without a place is all −1.
        areas: of each action, the area of the picture where a person clicks to play it, None for an
            action without a place, such as a pass. They do not overlap, unless their actions have
            different sources. Without areas, actions are buttons.
        second_areas: those of player 1, if they are others: where actions are counted from the
            player's own side.
        sources: of each action, the place of the piece that it moves, which is clicked first, None
            where one click plays it; empty if every action is one click.
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
        """Which of the areas of both players it is: so pictures are told the last action."""
        return action + (len(self.areas) if player and self.second_areas else 0)

    def source(self, action: int) -> Place | None:
        """The place of the piece that an action moves."""
        return self.sources[action] if self.sources else None


class Declaration(NamedTuple):
    """What :func:`declare_game` records about a rules type."""

    name: str
    version: int
    title: str
    dtype: np.dtype[Any]
    parameters: tuple[Parameter, ...]
    heuristics: tuple[str, ...]
    short_forms: tuple[Parameter, ...]
    expand: Callable[[dict[str, Any]], dict[str, Any]]
    contract: Callable[[dict[str, Any]], dict[str, Any]]
    limits: str
    colours: tuple[str, str] | None
    marks: tuple[str, str]
    profile: Profile
    check: Callable[[Any], str | None]

    def make_rules(
        self, rules_type: type, values: Mapping[str, Any], any_size: bool = False
    ) -> Any:
        """The rules for the parameters given, short forms (``size=``, ``dots=``) included.

        With ``any_size`` they may be of a board that is too large to be played.
        """
        parameters, short_forms = self.parameters, self.short_forms
        if any_size:
            parameters, short_forms = (
                tuple(p._replace(high=LONGEST_SIDE) if p.kind is int else p for p in group)
                for group in (parameters, short_forms)
            )
        check_names(
            f"{self.name} has no parameter", values, [p.name for p in parameters + short_forms]
        )
        for short in short_forms:
            if short.name in values:
                short.convert(values[short.name], self.name)
                beside = [name for name in short.stands_for if name in values]
                if beside:
                    raise SpecificationError(
                        f"{short.name} cannot be given together with {' and '.join(beside)} for "
                        f"{self.name}: {short.name} stands for {' and '.join(short.stands_for)}"
                    )
        values = self.expand(dict(values))
        if not any_size:
            return rules_type(**values)
        complete = convert_parameters(self.name, parameters, values)
        return _checked(
            tuple.__new__(rules_type, (_stored(p, complete[p.name]) for p in parameters)),
            self.name,
            self.check,
        )

    @property
    def game_id(self) -> str:
        """The id with its version, as environments carry it: ``connect_four_v0``."""
        return f"{self.name}_v{self.version}"

    @property
    def readable(self) -> tuple[str, ...]:
        """The ids of the versions whose files are read: today's, and earlier ones."""
        return self.game_id, *self.profile.earlier


def declare_game(
    *,
    name: str,
    version: int,
    title: str,
    position: list[tuple[Any, ...]],
    parameters: tuple[Parameter, ...],
    heuristics: tuple[str, ...] = (),
    check: Callable[[Any], str | None] = lambda rules: None,
    capacity: Callable[[Any], str | None] = lambda rules: None,
    limits: str = "",
    short_forms: tuple[Parameter, ...] = (),
    expand: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values,
    contract: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values,
    colours: tuple[str, str] | None = None,
    marks: tuple[str, str] = ("X", "O"),
    profile: Profile = NO_PROFILE,
) -> Callable[[T], T]:
    """Class decorator for a rules type: a NamedTuple of whole numbers, validated when it is made.

    Args:
        name: the game's id without version, ``connect_four``.
        version: raised by any change of rules, actions, observations or rewards.
        title: the game's name for people.
        position: the fields of the position record, as for ``np.dtype``.
        parameters: one per field, in order; one with ``choices`` is stored as its text's index.
        heuristics: the names ``evaluate`` knows, in the order of its ``heuristic`` argument.
        check: names what is wrong with a combination of parameters, or returns None.
        capacity: the same for boards that the record has no room for.
        limits: what ``capacity`` allows, in words.
        short_forms: parameters that stand for several others (``size=5`` for ``rows=5,cols=5``).
        expand: replaces short forms among the parameters given by what they stand for.
        contract: the inverse, applied to all the values when a game is written as text.
        colours: those of player_0 and player_1 in pictures of the board, ``#rrggbb``.
        marks: the letters of player_0 and player_1 in the board as text.
        profile: what other folders know about the game.
    """

    def decorate(rules_type: T) -> T:
        game_type: Any = rules_type
        game_type.__new__ = _validated_new(rules_type, name, parameters, check, capacity)
        game_type.declaration = Declaration(
            name,
            version,
            title,
            _record_type(position),
            parameters,
            heuristics,
            short_forms,
            expand,
            contract,
            limits,
            colours,
            marks,
            profile,
            check,
        )
        return rules_type

    return decorate


def _validated_new(
    rules_type: Any,
    name: str,
    parameters: tuple[Parameter, ...],
    *checks: Callable[[Any], str | None],
) -> Callable[..., Any]:
    """The constructor of a rules type that converts and checks its parameters."""
    plain_new = rules_type.__new__
    rules_type.wide_types = []  # filled by `wide_record`

    def validated_new(cls: Any, *values: Any, **keywords: Any) -> Any:
        arguments = dict(zip((p.name for p in parameters), values)) | keywords
        if len(values) > len(parameters):
            raise SpecificationError(
                f"{name} has {len(parameters)} parameters, {len(values)} were given"
            )
        texts = {key: _stated(parameters, key, value) for key, value in arguments.items()}
        complete = convert_parameters(name, parameters, texts)
        rules = plain_new(
            cls, *(_stored(parameter, complete[parameter.name]) for parameter in parameters)
        )
        _checked(rules, name, *checks)
        for condition, wide_type in cls.wide_types if cls is rules_type else ():
            if condition(rules):
                return plain_new(wide_type, *rules)
        return rules

    return validated_new


def _checked(rules: Any, name: str, *checks: Callable[[Any], str | None]) -> Any:
    """The rules; SpecificationError if one of the checks names a fault."""
    for check in checks:
        wrong = check(rules)
        if wrong:
            raise SpecificationError(f"{name} cannot be played so: {wrong}")
    return rules


def wide_record(
    *, needed: Callable[[Any], bool], position: list[tuple[Any, ...]]
) -> Callable[[T], T]:
    """Class decorator for a subclass of a declared rules type: the same game with a larger record.

    Making the base type then gives an instance of the subclass wherever ``needed`` is true of the
    parameters. Kernels are compiled for each type of its own, so boards that the small record holds
    lose nothing. The subclass takes over every rule body that is not registered for itself.

    Args:
        needed: whether a board, given as an instance of the base type, needs the larger record.
        position: the fields of the larger record.
    """

    def decorate(wide_type: T) -> T:
        base: Any = wide_type.__base__
        wide: Any = wide_type
        wide.declaration = base.declaration._replace(dtype=_record_type(position))
        base.wide_types.insert(0, (needed, wide_type))  # the larger record is asked for first
        return wide_type

    return decorate


def _record_type(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The aligned dtype of a position's record."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def _stored(parameter: Parameter, value: Any) -> Any:
    """A converted value as the NamedTuple holds it: texts become the index of the choice."""
    return parameter.choices.index(value) if parameter.choices is not None else value


def _stated(parameters: tuple[Parameter, ...], name: str, value: Any) -> Any:
    """A value as a specification states it: an index into the choices becomes the text again."""
    for parameter in parameters:
        if (
            parameter.name == name
            and parameter.choices is not None
            and isinstance(value, int)
            and 0 <= value < len(parameter.choices)
        ):
            return parameter.choices[value]
    return value


def parameter_values(rules: Any) -> dict[str, Any]:
    """The rules' parameters by name, choices as texts."""
    declaration: Declaration = rules.declaration
    return {
        p.name: _stated(declaration.parameters, p.name, value)
        for p, value in zip(declaration.parameters, rules)
    }
