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

# What stands for characters that an encoding lacks; others become question marks.
PLAIN = {
    "−": "-", "–": "-", "—": "-", "×": "x", "·": ".", "•": "*", "…": "...", "½": "1/2",
    "±": "+-", "µ": "u", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "²": "^2",
    "│": "|", "─": "-", "━": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+",
    "●": "X", "○": "O",
}  # fmt: skip
HANDLER = "plyground.plain"


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    """The error handler: plain characters for the part of a text that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in part), error.end


def use_plain_characters() -> None:
    """Let standard output and error replace what their encoding lacks, rather than fail."""
    codecs.register_error(HANDLER, _transliterate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


class Terminal(Console):
    """The console of all commands, on standard output or on standard error.

    Texts may be of others. So nothing in them is markup, and what cannot be printed is shown as an
    escape sequence: only what the console itself makes of styles reaches the terminal.
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
    """Print a remark, which is no result, to standard error."""
    print(visible(text), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as JSON to standard output; nothing of it is replaced in any encoding."""
    encoding = (sys.stdout.encoding or "utf-8").lower()
    ascii_only = not encoding.startswith("utf")
    text = json.dumps(_plain(value), indent=2, ensure_ascii=ascii_only, allow_nan=False)
    print(printable_json(text))


def _plain(value: Any) -> Any:
    """A value as JSON knows it: what is no number (infinite, undefined) becomes null.

    Numbers of numpy, which agents return, become plain ones.
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
    """Write a page to a file, which appears when it is complete.

    Raises:
        SpecificationError: the file cannot be written.
    """
    with refusing(OSError, f"{path} cannot be written"), written_whole(path) as file:
        file.write(page.encode())
