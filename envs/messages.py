"""Texts of others inside of messages: on one line, of a bounded length, without control characters.

What an agent says, a file holds or a user types may be of any length and hold anything, escape
sequences of terminals included.
"""

from __future__ import annotations

LONGEST = 300  # characters of a text of others


def plain_text(text: str, longest: int = LONGEST) -> str:
    """A text on one line; what cannot be printed stands as an escape sequence of Python's.

    A longer text is cut in the middle.
    """
    if len(text) > 2 * longest:  # the rest would only be cut away again
        text = text[:longest] + "…" + text[-longest:]
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) <= longest:
        return line
    kept = (longest - 1) // 2
    return f"{line[: longest - 1 - kept]}…{line[-kept:]}"
