"""Settings: frozen dataclasses whose fields are declared once and read everywhere.

:func:`setting` declares a field: its default, help and limits. From these follow the check of
    values and its error message, the options of the command line, the keys of TOML and JSON files,
    and the identity of what the settings describe.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

from ..specification import Parameter, SpecificationError, plain_text
from .numbers import read_number

POSITIVE = 1e-12  # the lowest value of a number that must be positive
OPENING_PLIES = 4  # random opening moves in all measurements, unless a setting overrides it
KINDS: tuple[type, ...] = (int, float, str, bool)
_parameters: dict[type, tuple[Parameter, ...]] = {}  # cache by class


def setting(
    default: Any,
    help: str,
    low: float = -math.inf,
    high: float = math.inf,
    choices: tuple[str, ...] | None = None,
    metavar: str = "",
    option: str = "",
    no_effect: str = "",
) -> Any:
    """A field of :class:`Settings`.

    Args:
        default: its default value; None if it may be unset.
        help: its meaning, in one or two sentences.
        low: the lowest allowed number.
        high: the highest allowed number.
        choices: the allowed texts; None: any.
        metavar: the placeholder of the value in the help of commands.
        option: its name in commands, if different.
        no_effect: why the field cannot affect results; empty: it can, and belongs to the identity.
    """
    metadata = {"help": help, "low": low, "high": high, "choices": choices}
    metadata |= {"metavar": metavar, "option": option, "no_effect": no_effect}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Settings:
    """Base of all settings.

    A field whose default is a Settings object is a part: its parameters count as the whole's.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "settings"  # what the settings are for, in errors

    def __post_init__(self) -> None:
        """Convert and check every value."""
        parameters = {each.name: each for each in parameters_of(type(self))}
        for field in dataclasses.fields(self):
            if "help" in field.metadata:
                value = parameters[field.name].convert(getattr(self, field.name), self.subject)
                object.__setattr__(self, field.name, value)

    def replace(self, **changes: Any) -> Self:
        """A copy with these settings replaced."""
        return dataclasses.replace(self, **changes)

    def identity(self) -> dict[str, Any]:
        """Everything that can affect a result, as JSON data.

        Unset fields (None, no) are left out, so that a new field does not change earlier
        identities.
        """
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if not field.metadata.get("no_effect")
            and (value := getattr(self, field.name)) is not None
            and value is not False
        }


class Span(NamedTuple):
    """Two numbers of a setting that changes during a run: ``24,64``; one number stands for both."""

    first: int
    last: int

    @classmethod
    def read(cls, name: str, text: str, low: int) -> Self:
        """The numbers in the text of a setting.

        Raises:
            SpecificationError: it is not one or two whole numbers of at least ``low``.
        """
        try:
            numbers = [int(read_number(part.strip(), int)) for part in text.split(",")]
        except (ValueError, OverflowError):
            numbers = []
        if len(numbers) not in (1, 2) or min(numbers) < low:
            raise SpecificationError(
                f"{name}={plain_text(text)} is not possible; it is a whole number of at least "
                f"{low}, or two such as 24,64"
            )
        return cls(numbers[0], numbers[-1])

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first},{self.last}"


def parameters_of(kind: type[Settings]) -> tuple[Parameter, ...]:
    """The settings of a class as parameters, in declaration order."""
    if kind not in _parameters:
        _parameters[kind] = tuple(_read_fields(kind))
    return _parameters[kind]


def declared_fields(kind: type[Settings]) -> Iterator[tuple[dataclasses.Field[Any], Any]]:
    """The fields declared by :func:`setting`, including those of parts, and their types."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if isinstance(field.default, Settings):
            yield from declared_fields(type(field.default))
        elif "help" in field.metadata:  # others are read by their owner, as a tournament's agents
            yield field, hints[field.name]


def _read_fields(kind: type[Settings]) -> Iterator[Parameter]:
    for field, hint in declared_fields(kind):
        alternatives = [each for each in typing.get_args(hint) if each in KINDS]
        limits = {name: field.metadata[name] for name in ("help", "low", "high", "choices")}
        kind_of_value = [*alternatives, hint][0]
        yield Parameter(field.name, kind_of_value, field.default, **limits)
