"""Specifications: the strings that name a game or an agent, ``name:key=value,...``.

A name has declared parameters, which the specification may set.

``connect_four``, ``gomoku:size=10,rule=caro`` and ``alphabeta:depth=6`` all follow the same
grammar: a name, then after a colon parameters separated by commas. A value may hold commas inside
brackets (``dots=(5,5)``) and inside quotes. One parameter without a key (``policy:runs/c4``) is the
specification's argument; it may hold ``=`` inside quotes.
"""

from __future__ import annotations

import contextlib
import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .loading.numbers import FORMS, limit_text, number_text, read_number

LONGEST_TEXT = 300  # the most characters of untrusted text in a message


class SpecificationError(ValueError):
    """A specification names something that does not exist, or gives a value that is not allowed."""


@contextlib.contextmanager
def refusing(
    errors: type[Exception] | tuple[type[Exception], ...], complaint: str
) -> Iterator[None]:
    """Re-raise errors of the body as SpecificationError: the complaint, a colon and the reason.

    A module that is not installed needs no reason: the complaint says what to install.
    """
    try:
        yield
    except errors as error:
        reason = "" if isinstance(error, ImportError) else f": {first_line(error)}"
        raise SpecificationError(complaint + reason) from None


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its type if it has none."""
    text = getattr(error, "strerror", None) or str(error)
    return (text.strip().splitlines() or [type(error).__name__])[0][:LONGEST_TEXT]


def plain_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Untrusted text for a message: on one line, of limited length, without control characters.

    Text from an agent, a file or a user may have any length and content, including terminal escape
    sequences. Non-printable characters become Python escape sequences; a longer text is cut in the
    middle.
    """
    if len(text) > 2 * longest:  # the rest would only be cut away again
        text = text[:longest] + "…" + text[-longest:]
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) <= longest:
        return line
    half = (longest - 1) // 2
    return f"{line[: longest - 1 - half]}…{line[-half:]}"


class Specification(NamedTuple):
    """A parsed specification: name, argument without a key (or None), parameters as text."""

    name: str
    argument: str | None
    parameters: dict[str, str]


def parse_specification(text: str) -> Specification:
    """Parse ``name:argument,key=value,...``.

    Raises SpecificationError if the text does not follow the grammar, or is not a text.
    """
    if not isinstance(text, str):
        raise SpecificationError(
            f"{plain_text(repr(text), 60)} is not a specification: write a text, such as "
            f"'connect_four:rows=5' for a game or 'alphabeta:depth=4' for an agent"
        )
    name, colon, rest = text.strip().partition(":")
    if not name:
        raise SpecificationError(f"{text!r} names nothing; write NAME or NAME:KEY=VALUE,…")
    argument: str | None = None
    parameters: dict[str, str] = {}
    for index, item in enumerate(_split(rest, ",") if colon else ()):
        key, *values = (part.strip() for part in _split(item, "=", 1))
        value = values[0] if values else ""
        if not values and index == 0 and key:
            argument = key
        elif not values or not key or not value:
            raise SpecificationError(f"{item!r} in {text!r} is not of the form KEY=VALUE")
        elif key in parameters:
            raise SpecificationError(f"{key!r} is given twice in {text!r}")
        else:
            parameters[key] = value
    return Specification(name, argument, parameters)


def _split(text: str, separator: str, most: float = math.inf) -> list[str]:
    """Split at separators outside brackets and quotes.

    A quote starts at the start of a word; an unclosed one is ignored.
    """
    items, depth, quote = [""], 0, ""
    for place, character in enumerate(text):
        begins = place == 0 or text[place - 1] in " =,"
        if quote:
            quote = "" if character == quote else quote
        elif begins and character in "\"'" and character in text[place + 1 :]:
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0 and not quote and len(items) <= most:
            items.append("")
        else:
            items[-1] += character
    return items


class Parameter(NamedTuple):
    """One parameter of a game or an agent: its type, default, limits and meaning.

    ``kind`` is ``int``, ``float``, ``str`` or ``bool``; ``choices`` lists the allowed texts of a
    ``str`` (None: any text) or the words allowed instead of a number; ``low`` and ``high`` are
    inclusive limits of a number. A default of None means "not set". A short form lists in
    ``stands_for`` the parameters that it sets, which must not be given with it.
    """

    name: str
    kind: type
    default: Any
    help: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] | None = None
    stands_for: tuple[str, ...] = ()

    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices is not None and self.kind is str:
            return "one of " + ", ".join(self.choices)
        if self.kind is bool:
            return "yes or no"
        if self.kind is str:
            return "a text"
        noun = "a whole number" if self.kind is int else "a number"
        words = "".join(f", or {word}" for word in self.choices or ())
        if math.isinf(self.high):
            return (
                noun if math.isinf(self.low) else f"{noun} of at least {limit_text(self.low)}"
            ) + words
        return f"{noun} from {limit_text(self.low)} to {limit_text(self.high)}{words}"

    def convert(self, value: Any, owner: str) -> Any:
        """Convert a text or a Python value to the parameter's type.

        SpecificationError names ``owner``.
        """
        error = SpecificationError(
            f"{self.name}={plain_text(str(value))} is not possible for {owner}: {self.name} must "
            f"be {self.allowed()}"
        )
        if value is None and self.default is None:
            return None
        if self.kind is bool:
            if str(value).lower() in ("yes", "true", "1", "on"):
                return True
            if str(value).lower() in ("no", "false", "0", "off"):
                return False
            raise error
        if self.kind is str:
            if self.choices is not None and value not in self.choices:
                raise error
            return str(value)
        if self.choices is not None and value in self.choices:
            return value
        if isinstance(value, bool) or (
            self.kind is int and isinstance(value, float) and not value.is_integer()
        ):
            raise error
        try:
            number = read_number(value, self.kind) if isinstance(value, str) else self.kind(value)
        except (TypeError, ValueError, OverflowError):
            meaning = f" ({self.help.removesuffix('.')})" if self.help else ""
            raise SpecificationError(f"{error}{meaning}; {FORMS[self.kind]}") from None
        if not self.low <= number <= self.high:
            raise error
        return number


def convert_parameters(
    owner: str, parameters: Iterable[Parameter], values: Mapping[str, Any]
) -> dict[str, Any]:
    """All declared parameters with their values, given or default.

    Given values are checked and converted.
    """
    parameters = tuple(parameters)
    check_names(f"{owner} has no parameter", values, [parameter.name for parameter in parameters])
    return {
        p.name: p.convert(values[p.name], owner) if p.name in values else p.default
        for p in parameters
    }


def check_names(complaint: str, names: Iterable[str], existing: Iterable[str]) -> None:
    """Refuse the first unknown name with a list of the known ones, and a suggestion."""
    existing = list(existing)
    for name in names:
        if name in existing:
            continue
        near = difflib.get_close_matches(name, existing, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        listing = (
            f" (it has: {', '.join(existing)})"
            if "parameter" in complaint and existing
            else f" (there are: {', '.join(existing)})"
            if existing
            else " (it has none)"
        )
        raise SpecificationError(f"{complaint} {name!r}{guess}{listing}")


def format_specification(name: str, values: Mapping[str, Any], argument: str | None = None) -> str:
    """Write a specification, the inverse of :func:`parse_specification`."""
    items = [] if argument is None else [argument]
    items += [f"{key}={_value_text(value)}" for key, value in values.items()]
    return f"{name}:{','.join(items)}" if items else name


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_text(value) if isinstance(value, float) else str(value)
