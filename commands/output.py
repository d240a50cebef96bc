"""What commands print, on terminals and pipes of any encoding."""

from __future__ import annotations

import codecs
import io
import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ..envs.loading.files import written_whole
from ..envs.loading.texts import printable_json, visible
from ..envs.specification import Parameter, refusing

# Replacements for characters that an encoding lacks; others become question marks.
PLAIN = {
    "−": "-", "–": "-", "—": "-", "×": "x", "·": ".", "•": "*", "…": "...", "½": "1/2",
    "±": "+-", "µ": "u", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "²": "^2",
    "│": "|", "─": "-", "━": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+",
    "●": "X", "○": "O",
}  # fmt: skip
HANDLER = "plyground.plain"


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    """The error handler that replaces characters that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in part), error.end


def use_plain_characters() -> None:
    """Make standard output and error replace characters that their encoding lacks."""
    codecs.register_error(HANDLER, _transliterate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


class Terminal(Console):
    """The console of all commands, on standard output or on standard error.

    Texts may come from untrusted files. So markup in them is not interpreted, and unprintable
    characters are shown as escape sequences: only the console's own styles reach the terminal.
    """

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(
            stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def say(text: str = "") -> None:
    """Print a line of the result to standard output."""
    print(visible(text))


def note(text: str) -> None:
    """Print a message that is not part of the result to standard error."""
    print(visible(text), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as JSON to standard output; no encoding replaces any of its characters."""
    encoding = (sys.stdout.encoding or "utf-8").lower()
    ascii_only = not encoding.startswith("utf")
    text = json.dumps(_plain(value), indent=2, ensure_ascii=ascii_only, allow_nan=False)
    print(printable_json(text))


def _plain(value: Any) -> Any:
    """A value for JSON: infinity and NaN become null.

    numpy numbers, which agents return, become Python numbers.
    """
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def parameter_json(parameter: Parameter) -> dict[str, Any]:
    """A parameter for :func:`print_json`."""
    return {**parameter._asdict(), "kind": parameter.kind.__name__}


def write_page(path: Path, page: str) -> None:
    """Write a page to a file, which appears only when it is complete.

    Raises:
        SpecificationError: the file cannot be written.
    """
    with refusing(OSError, f"{path} cannot be written"), written_whole(path) as file:
        file.write(page.encode())
