"""Texts of others where they are shown: terminals, JSON, tables of other programs.

A store, a policy, a record or an agent may put anything into its texts: sequences by which a
terminal clears its screen or writes the clipboard, marks that turn the direction of writing, ends
of lines, formulas. :func:`~plyground.envs.specification.plain_text` is for a text of others inside
of a message.
"""

from __future__ import annotations

import json
import re
from typing import Any

KEPT = "\n\t"  # of what cannot be printed, what stays as it is
_FORMULA = re.compile(r"[=+\-@\t\r]")  # how one begins in a spreadsheet
_NUMBER = re.compile(r"[-+]?[\d.,]*[ \d.,%±()–]*")  # with its unit, interval or margin
_PLAIN = re.compile(r"[ -~\n]+")
_MARKS = re.compile(r"[^ -~\n]")


def visible(text: str) -> str:
    """A text for a terminal: what cannot be printed stands as an escape sequence of Python's.

    Ends of lines and tabs stay.
    """
    if text.isprintable() or _PLAIN.fullmatch(text):
        return text
    return "".join(
        c if c.isprintable() or c in KEPT else c.encode("unicode_escape").decode() for c in text
    )


def one_line(value: Any) -> Any:
    """A value of JSON, or a text, with each text in one line: ends of lines become spaces."""
    if isinstance(value, str):
        return value if value.isprintable() else " ".join(value.splitlines())
    if isinstance(value, list):
        return [one_line(each) for each in value]
    if isinstance(value, dict):
        return {one_line(key): one_line(each) for key, each in value.items()}
    return value


def printable_json(text: str) -> str:
    """A text in JSON, where escape sequences of JSON's stand for what cannot be printed."""
    return _MARKS.sub(lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def spreadsheet_cell(text: str) -> str:
    """A cell that a spreadsheet takes for a text, or for a number: never for a formula (CWE-1236).

    An apostrophe stands before what would be one.
    """
    formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return visible(f"'{text}" if formula else text)


def show_plainly(figure: Any) -> None:
    """Let the texts of a figure of matplotlib be :func:`visible`."""
    for each in figure.findobj(lambda artist: hasattr(artist, "get_text")):
        if (text := visible(each.get_text())) != each.get_text():
            each.set_text(text)
