"""Numbers as texts: read strictly, written short."""

from __future__ import annotations

import math
import re
from typing import Any

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
WHOLE = re.compile(r"[+-]?[0-9]+")
THOUSANDS = {"k": 1000, "m": 1_000_000}
FORMS: dict[type, str] = {  # for messages
    int: "a whole number is written as 3000, 3k, 3e3 or 2M",
    float: "a number is written as 0.05 or 5e-2",
}
MOST_IN_FULL = 10**9
LONGEST = 100  # characters of a text in a message


def read_number(text: str, kind: type) -> Any:
    """The number that a text writes in the digits 0 to 9, and nothing beside it.

    Whole numbers are written as ``3000``, ``3k``, ``3e3`` or ``2M``: on the command line, in
    specifications and in files. Python's own ``int`` and ``float`` also take spaces around a
    number, ``1_0`` and digits of any script.

    Args:
        text: what was written.
        kind: ``int`` or ``float``.

    Raises:
        ValueError: it is no such number.
    """
    if kind is int and WHOLE.fullmatch(text):
        return int(text)  # a float has not all digits of a large one
    factor = THOUSANDS.get(text[-1:].lower(), 1) if kind is int else 1
    digits = text[:-1] if factor > 1 else text
    value = factor * float(digits) if NUMBER.fullmatch(digits) else math.nan
    if math.isnan(value) or (kind is int and not value.is_integer()):
        raise ValueError(f"{text[:LONGEST]!r} is no number")
    return kind(value)


def limit_text(value: float) -> str:
    """A limit of a number; whole ones in full, as far as they are read so."""
    is_whole = float(value).is_integer() and abs(value) <= MOST_IN_FULL
    return str(int(value)) if is_whole else f"{value:g}"


def number_text(value: float) -> str:
    """A number as short as it can be written so that it reads back equal."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
