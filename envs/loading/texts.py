"""Display of untrusted text: in terminals, JSON, and tables of other programs.

A store, a policy, a record or an agent may put anything into its texts: escape sequences that clear
the screen or write the clipboard, bidirectional marks, line breaks, formulas.
:func:`~plyground.envs.specification.plain_text` is for untrusted text inside a message.
"""

from __future__ import annotations

import json
import re
from typing import Any

KEPT = "\n\t"  # non-printable characters that are kept
_FORMULA = re.compile(r"[=+\-@\t\r]")  # the start of a formula in a spreadsheet
_NUMBER = re.compile(r"[-+]?[\d.,]*[ \d.,%±()–]*")  # a number with its unit, interval or margin
_PLAIN = re.compile(r"[ -~\n]+")
_MARKS = re.compile(r"[^ -~\n]")


def visible(text: str) -> str:
    """A text for a terminal, with non-printable characters as Python escape sequences.

    Line breaks and tabs are kept.
    """
    if text.isprintable() or _PLAIN.fullmatch(text):
        return text
    return "".join(
        c if c.isprintable() or c in KEPT else c.encode("unicode_escape").decode() for c in text
    )


def one_line(value: Any) -> Any:
    """A JSON value, or a text, with each text on one line: line breaks become spaces."""
    if isinstance(value, str):
        return value if value.isprintable() else " ".join(value.splitlines())
    if isinstance(value, list):
        return [one_line(each) for each in value]
    if isinstance(value, dict):
        return {one_line(key): one_line(each) for key, each in value.items()}
    return value


def printable_json(text: str) -> str:
    """A text as JSON, with non-printable characters as JSON escape sequences."""
    return _MARKS.sub(lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def spreadsheet_cell(text: str) -> str:
    """A spreadsheet cell that is text or a number, never a formula (CWE-1236).

    A text that would be a formula gets an apostrophe in front.
    """
    formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return visible(f"'{text}" if formula else text)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: ``1 game``, ``1,200 games``; ``plural`` if it does not end in s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def show_plainly(figure: Any) -> None:
    """Make the texts of a matplotlib figure :func:`visible`."""
    for each in figure.findobj(lambda artist: hasattr(artist, "get_text")):
        if (text := visible(each.get_text())) != each.get_text():
            each.set_text(text)
