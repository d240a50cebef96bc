"""Rules types: the declaration, and the constructor that checks parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .profile import Profile
from .specification import Parameter, SpecificationError, check_names, convert_parameters

T = TypeVar("T", bound=type)

LONGEST_SIDE = 200  # for boards that are only counted, not played
SEAT = r"\bplayer_([01])(?= \(| wins$| left | ran )"  # in the reasons of results


class Declaration(NamedTuple):
    """The declaration of a rules type by :func:`~plyground.envs.declaration.declare_game`."""

    name: str
    version: int
    title: str
    dtype: np.dtype[Any]
    parameters: tuple[Parameter, ...]
    heuristics: tuple[str, ...]
    short_forms: tuple[Parameter, ...]
    expand: Callable[[dict[str, Any]], dict[str, Any]] | None
    contract: Callable[[dict[str, Any]], dict[str, Any]] | None
    limits: str
    colours: tuple[str, str] | None
    marks: tuple[str, str]
    profile: Profile
    check: Callable[[Any], str | None]

    def make_rules(
        self, rules_type: type, values: Mapping[str, Any], any_size: bool = False
    ) -> Any:
        """The rules for these parameters, short forms (``size=``, ``dots=``) included.

        With ``any_size`` the board may be too large to play.
        """
        parameters, short_forms, values = self.parameters, self.short_forms, dict(values)
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
                if self.expand is None:
                    values |= dict.fromkeys(short.stands_for, values.pop(short.name))
        values = values if self.expand is None else self.expand(values)
        if not any_size:
            return rules_type(**values)
        complete = convert_parameters(self.name, parameters, values)
        return _checked(
            tuple.__new__(rules_type, (_stored(p, complete[p.name]) for p in parameters)),
            self.name,
            self.check,
        )

    def check_keywords(self, names: Iterable[str], options: Iterable[str]) -> None:
        """Refuse names that are neither an option of an environment nor a parameter of its game."""
        parameters = [each.name for each in self.parameters + self.short_forms]
        check_names(
            f"the environment of {self.name} got an unexpected keyword argument",
            names,
            [*options, *parameters],
        )

    def stated(self, rules: Any) -> dict[str, Any]:
        """The parameters that differ from their defaults, in the short form if possible."""
        usual, values = {p.name: p.default for p in self.parameters}, parameter_values(rules)
        for short in () if self.expand or self.contract else self.short_forms:
            sides = short.stands_for
            same = len({values[name] for name in sides}) == 1
            if same and values[sides[0]] != usual[sides[0]]:
                rest = {name: each for name, each in values.items() if name not in sides}
                values = {short.name: values[sides[0]]} | rest
        values = values if self.contract is None else self.contract(values)
        return {name: value for name, value in values.items() if value != usual.get(name)}

    def player_names(self, language: str = "en", marked: bool = False) -> tuple[str, str]:
        """The names of the players by the game's words; their marks if it has none.

        Args:
            language: the language of the words.
            marked: add the letters used in text boards: ``Red (X)``.
        """
        words, (first, second) = self.profile.words_in(language), self.marks
        return (
            _player_name(words.get("player.0", first), first, marked),
            _player_name(words.get("player.1", second), second, marked),
        )

    def named(self, text: str) -> str:
        """A stored reason with the names of the players instead of their seats."""
        names = self.player_names()
        return re.sub(SEAT, lambda seat: names[int(seat[1])], text)

    @property
    def game_id(self) -> str:
        """The id with its version, as in environments: ``connect_four_v0``."""
        return f"{self.name}_v{self.version}"


def _player_name(name: str, mark: str, marked: bool) -> str:
    return f"{name} ({mark})" if marked and name != mark else name


def declare(
    rules_type: Any, declaration: Declaration, capacity: Callable[[Any], str | None]
) -> None:
    """Set a rules type's declaration, and a constructor that converts and checks parameters.

    Args:
        rules_type: the type, which is modified.
        declaration: the declaration of its game.
        capacity: returns the problem of boards too large for the record.
    """
    parameters, name = declaration.parameters, declaration.name
    plain_new, rules_type.wide_types = rules_type.__new__, []  # filled by `wide_record`

    def validated_new(cls: Any, *values: Any, **keywords: Any) -> Any:
        arguments = dict(zip((p.name for p in parameters), values)) | keywords
        if len(values) > len(parameters):
            raise SpecificationError(
                f"{name} has {len(parameters)} parameters, {len(values)} were given"
            )
        texts = {key: _stated(parameters, key, value) for key, value in arguments.items()}
        complete = convert_parameters(name, parameters, texts)
        rules = plain_new(cls, *(_stored(p, complete[p.name]) for p in parameters))
        _checked(rules, name, declaration.check, capacity)
        for condition, wide_type in cls.wide_types if cls is rules_type else ():
            if condition(rules):
                return plain_new(wide_type, *rules)
        return rules

    rules_type.__new__, rules_type.declaration = validated_new, declaration


def _checked(rules: Any, name: str, *checks: Callable[[Any], str | None]) -> Any:
    """The rules; SpecificationError if one of the checks fails."""
    for check in checks:
        wrong = check(rules)
        if wrong:
            raise SpecificationError(f"{name} cannot be played so: {wrong}")
    return rules


def wide_record(
    *, needed: Callable[[Any], bool], position: list[tuple[Any, ...]]
) -> Callable[[T], T]:
    """Class decorator for a subclass of a declared rules type: the same game with a larger record.

    Making the base type then returns an instance of the subclass if ``needed`` is true for the
    parameters. Kernels are compiled for each type separately, so boards that fit the small record
    lose no speed. The subclass inherits every rule body that is not registered for itself.

    Args:
        needed: whether a board, given as an instance of the base type, needs the larger record.
        position: the fields of the larger record.
    """

    def decorate(wide_type: T) -> T:
        base: Any = wide_type.__base__
        wide: Any = wide_type
        wide.declaration = base.declaration._replace(dtype=record_type(position))
        base.wide_types.insert(0, (needed, wide_type))  # the larger record is tried first
        return wide_type

    return decorate


def record_type(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The aligned dtype of a position's record."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def _stored(parameter: Parameter, value: Any) -> Any:
    """A converted value as stored in the NamedTuple: texts become the index of the choice."""
    return parameter.choices.index(value) if parameter.choices is not None else value


def _stated(parameters: tuple[Parameter, ...], name: str, value: Any) -> Any:
    """A value as in a specification: an index into the choices becomes the text again."""
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
