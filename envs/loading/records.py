"""JSON files, read strictly: their schema is a Python type.

A NamedTuple, a dataclass or a TypedDict declares the fields of a record, their types and limits
(``Annotated[float, Range(0, 1)]``, or the limits of a settings field), and which are optional.
Everything else is refused in one sentence that names the file, the field, its value and what is
allowed.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Union

from ..specification import (
    SpecificationError,
    check_names,
    plain_text,
    refusing,
)
from .files import read_file
from .numbers import limit_text
from .texts import one_line

NULL = type(None)
GREATEST = 2**63 - 1  # larger whole numbers do not fit into columns and arrays


class Range(NamedTuple):
    """The range of a number, or the allowed texts."""

    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] | None = None


Count = Annotated[int, Range(low=0)]
Share = Annotated[float, Range(0, 1)]


def read_json(path: Path) -> Any:
    """The value in a JSON file; a byte order mark is accepted.

    Raises:
        SpecificationError: the file cannot be read, or is not JSON.
    """
    with refusing(OSError, f"{path} cannot be read"):
        data = read_file(path)
    return parse_json(data, str(path))


def parse_json(data: bytes, place: str) -> Any:
    """The value of a JSON text; ``place`` is its source, such as a file name.

    Each text in it is converted to one line by :func:`.texts.one_line`.

    Raises:
        SpecificationError: it is not JSON in UTF-8.
    """
    with refusing((ValueError, RecursionError), f"{place} is not JSON"):
        value = json.loads(data.decode("utf-8-sig"))
    return one_line(value) if b"\\" in data or not data.isascii() else value


def check_value(value: Any, kind: Any, place: str, field: str = "", more: bool = False) -> None:
    """Refuse a JSON value that is not of a type.

    Args:
        value: the result of :func:`read_json`.
        kind: the type: a record's, ``list[…]``, ``dict[str, …]``, ``tuple[…]``, ``Literal[…]``,
            a number, text, boolean, None, alternatives of these, or Any.
        place: the source of the value, for the error.
        field: its name there; empty for the whole value.
        more: whether records may have fields that are not in their types.

    Raises:
        SpecificationError: it is of another type, out of range, or incomplete.
    """
    if not _is_of(value, kind):
        what = f"{field} is {_text(value)}" if field else f"it holds {_text(value)}"
        raise SpecificationError(f"{place}: {what}; it must be {_words(kind)}")
    inner = f"{field}." if field else ""
    kind = _alternative(value, kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (dict, Mapping):
        for name, each in value.items():
            check_value(each, arguments[1], place, f"{inner}{plain_text(name, 40)}", more)
    elif origin in (list, tuple, Sequence):
        kinds = arguments if _is_fixed(kind) else arguments[:1] * len(value)
        for number, each in enumerate(value):
            check_value(each, kinds[number], place, f"{inner}{number}", more)
    elif fields := fields_of(kind):
        missing = [name for name, (_, required) in fields.items() if required and name not in value]
        if missing:
            raise SpecificationError(f"{place}: {field or 'it'} lacks {', '.join(missing)}")
        if not more:
            check_names(f"{place}: {field or 'it'} cannot have", value, fields)
        for name in value.keys() & fields.keys():
            check_value(value[name], fields[name][0], place, f"{inner}{name}", more)


def check_likeness(value: Any, model: Any, place: str, field: str = "it") -> None:
    """Refuse a state with a structure unlike a model, such as the initial state of the program.

    Values in both must have the same type, and arrays the same shape. What is None or empty in the
    model may have any value and length.

    Raises:
        SpecificationError: something differs.
    """
    if value is None or model is None:
        return
    empty = getattr(model, "shape", (1,))[:1] == (0,)  # its rows are added later
    fits = (
        _is_of(value, float)
        if isinstance(model, float)
        else _nature(value, empty) == _nature(model, empty)
    )
    if not fits:
        raise SpecificationError(
            f"{place}: {field} is {_text(value)}; it must be like {_text(model)}"
        )
    if isinstance(model, dict):
        for name in value.keys() & model.keys():
            check_likeness(value[name], model[name], place, f"{field}.{name}")
    elif isinstance(model, list) and model:
        for number, each in enumerate(value):
            check_likeness(each, model[min(number, len(model) - 1)], place, f"{field}.{number}")


def _nature(value: Any, rows: bool) -> tuple[Any, ...]:
    """The type of a value; for an array its element type and its shape, or that of its rows."""
    shape = getattr(value, "shape", None)
    return type(value), getattr(value, "dtype", None), shape[1:] if rows and shape else shape


def fields_of(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The type of each field of a record, and whether it is required; empty for other types."""
    return _fields_of(kind) if isinstance(kind, type) else {}


@functools.cache
def _fields_of(kind: type) -> dict[str, tuple[Any, bool]]:
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        own: dict[str, tuple[Any, bool]] = {}
        for field in dataclasses.fields(kind):
            if dataclasses.is_dataclass(field.default):  # a part: its fields are among the others
                own |= fields_of(type(field.default))
                continue
            hint: Any = Annotated[hints[field.name], _limits(field.metadata)]
            own[field.name] = hint, field.default is dataclasses.MISSING
        return own
    defaults: Any = getattr(kind, "_field_defaults", {} if typing.is_typeddict(kind) else None)
    if defaults is None:
        return {}
    fields = {}
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        optional = typing.get_origin(hint) is NotRequired
        fields[name] = (
            typing.get_args(hint)[0] if optional else hint,
            not (optional or name in defaults),
        )
    return fields


def _limits(metadata: Mapping[str, Any]) -> Range:
    return Range(*(metadata.get(name, default) for name, default in Range()._asdict().items()))


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, ignoring its content."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return True
    if origin is Annotated:
        return _is_of(value, arguments[0]) and _is_within(value, arguments[1])
    if origin in (Union, types.UnionType):
        return any(_is_of(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if kind is None or kind is types.NoneType:
        return value is None
    if origin in (list, tuple, Sequence):
        length = len(arguments) if _is_fixed(kind) else None
        return isinstance(value, list | tuple) and length in (None, len(value))
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= GREATEST
    if kind is float:
        return math.isfinite(value) if isinstance(value, float) else _is_of(value, int)
    if kind is str:  # lone surrogates cannot be written to files
        return isinstance(value, str) and value == value.encode(errors="replace").decode()
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _is_within(value: Any, limits: Range) -> bool:
    if limits.choices is not None:
        return value in limits.choices
    if isinstance(value, str | bool) or not isinstance(value, int | float):
        return True
    return limits.low <= value <= limits.high


def _is_fixed(kind: Any) -> bool:
    """Whether it is a tuple type of fixed length."""
    return typing.get_origin(kind) is tuple and Ellipsis not in typing.get_args(kind)


def _alternative(value: Any, kind: Any) -> Any:
    """The alternative of a type that a value is of."""
    while (origin := typing.get_origin(kind)) in (Annotated, Union, types.UnionType):
        arguments = typing.get_args(kind)
        of = arguments[:1] if origin is Annotated else arguments
        kind = next(each for each in of if _is_of(value, each))
    return kind


def _words(kind: Any) -> str:
    """The allowed values of a type, in words."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        low, high, choices = arguments[1]
        without_null = [each for each in typing.get_args(arguments[0]) if each is not NULL]
        if len(without_null) == 1:  # a file omits a setting instead of null
            arguments = (without_null[0], arguments[1])
        if choices is not None:
            return "one of " + ", ".join(choices)
        if math.isfinite(high):
            return f"{_words(arguments[0])} from {limit_text(low)} to {limit_text(high)}"
        return _words(arguments[0]) + (
            f" of at least {limit_text(low)}" if math.isfinite(low) else ""
        )
    if origin in (Union, types.UnionType):
        return " or ".join(map(_words, arguments))
    if origin is Literal:
        return "one of " + ", ".join(map(json.dumps, arguments))
    if origin in (list, tuple, Sequence):
        if _is_fixed(kind):
            return f"a list of {len(arguments)}: " + ", ".join(map(_words, arguments))
        return f"a list, each {_words(arguments[0])}"
    plain = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
    if kind is None or kind is types.NoneType:
        return "null"
    return plain.get(kind, "an object of JSON")


def _text(value: Any) -> str:
    with_default = json.dumps(value, default=lambda other: type(other).__name__)
    return plain_text(with_default, 100)
