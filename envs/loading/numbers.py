"""Numbers as texts: read strictly, written short."""

from __future__ import annotations

import re
from typing import Any

NUMBERS = {
    int: re.compile(r"[+-]?[0-9]+"),
    float: re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE),
}
MOST_IN_FULL = 10**9
LONGEST = 100  # characters of a text in a message


def read_number(text: str, kind: type) -> Any:
    """The number that a text writes in the digits 0 to 9, and nothing beside it.

    Python's own ``int`` and ``float`` also take spaces around it, ``1_0`` and digits of any script.

    Args:
        text: what was written.
        kind: ``int`` or ``float``.

    Raises:
        ValueError: it is no such number.
    """
    if NUMBERS[kind].fullmatch(text) is None:
        raise ValueError(f"{text[:LONGEST]!r} is no number")
    return kind(text)


def read_count(text: str) -> int:
    """A whole number, also as ``300k`` or ``2M``; ValueError if it is none."""
    factor = {"k": 1000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    value: float = read_number(text[:-1] if factor > 1 else text, float) * factor
    if not value.is_integer():
        raise ValueError(f"{text} is no whole number")
    return int(value)


def limit_text(value: float) -> str:
    """A limit of a number; whole ones in full, as far as they are read so."""
    is_whole = float(value).is_integer() and abs(value) <= MOST_IN_FULL
    return str(int(value)) if is_whole else f"{value:g}"


def number_text(value: float) -> str:
    """A number as short as it can be written so that it reads back equal."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
