"""Numbers as text: parsed strictly, written short."""

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
    """The number in a text of digits 0 to 9, without any other characters.

    Whole numbers are written as ``3000``, ``3k``, ``3e3`` or ``2M``: on the command line, in
    specifications and in files. Python's ``int`` and ``float`` also accept spaces around a number,
    ``1_0`` and digits of any script.

    Args:
        text: the text.
        kind: ``int`` or ``float``.

    Raises:
        ValueError: it is not such a number.
    """
    if kind is int and WHOLE.fullmatch(text):
        return int(text)  # a float loses digits of large numbers
    factor = THOUSANDS.get(text[-1:].lower(), 1) if kind is int else 1
    digits = text[:-1] if factor > 1 else text
    value = factor * float(digits) if NUMBER.fullmatch(digits) else math.nan
    if math.isnan(value) or (kind is int and not value.is_integer()):
        raise ValueError(f"{text[:LONGEST]!r} is no number")
    return kind(value)


def limit_text(value: float) -> str:
    """A limit of a number as text; whole numbers in full."""
    is_whole = float(value).is_integer() and abs(value) <= MOST_IN_FULL
    return str(int(value)) if is_whole else f"{value:g}"


def number_text(value: float) -> str:
    """The shortest text of a number that reads back equal."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
