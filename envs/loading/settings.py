"""Settings: frozen dataclasses whose fields say once what they are, and are read everywhere.

A field is declared by :func:`setting`: its default, its help, its limits. From that come the check
of every value and the sentence that refuses one, the options of the command line, the keys of files
in TOML and JSON, and the identity of what the settings describe.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from ..specification import Parameter

POSITIVE = 1e-12  # the lowest value of a number that must be above 0
OPENING_PLIES = (
    4  # random moves of an opening in whatever measures, unless a setting says otherwise
)
KINDS: tuple[type, ...] = (int, float, str, bool)
_parameters: dict[type, tuple[Parameter, ...]] = {}  # of each class, once they were asked for


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
        default: its value where nothing else is said; None where it may be not set.
        help: what it decides, in one or two sentences.
        low: the lowest value allowed of a number.
        high: the highest.
        choices: the texts allowed, or None: any.
        metavar: what stands for the value in the help of commands.
        option: what commands call it, where that is not its name.
        no_effect: why the field can change no result; empty: it can, and belongs to the identity.
    """
    metadata = {"help": help, "low": low, "high": high, "choices": choices}
    metadata |= {"metavar": metavar, "option": option, "no_effect": no_effect}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Settings:
    """Base of all settings.

    A field whose default is such an object is a part: its parameters count among the whole's.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "settings"  # whose settings they are, in errors

    def __post_init__(self) -> None:
        """Convert and check every value."""
        parameters = {each.name: each for each in parameters_of(type(self))}
        for field in dataclasses.fields(self):
            if "help" in field.metadata:
                value = parameters[field.name].convert(getattr(self, field.name), self.subject)
                object.__setattr__(self, field.name, value)

    def replace(self, **changes: Any) -> Self:
        """The same settings but for these."""
        return dataclasses.replace(self, **changes)

    def identity(self) -> dict[str, Any]:
        """All that can change a result, as JSON has it.

        What is not set (None, no) is left out, so that a new field changes no earlier identity.
        """
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if not field.metadata.get("no_effect")
            and (value := getattr(self, field.name)) is not None
            and value is not False
        }


def parameters_of(kind: type[Settings]) -> tuple[Parameter, ...]:
    """The settings of a class as parameters, in the order of their declaration."""
    if kind not in _parameters:
        _parameters[kind] = tuple(_read_fields(kind))
    return _parameters[kind]


def declared_fields(kind: type[Settings]) -> Iterator[tuple[dataclasses.Field[Any], Any]]:
    """The fields declared by :func:`setting`, those of parts among them, and their types."""
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
