"""The file formats of other programs, with their readers."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from ...envs.specification import plain_text
from ...evaluation.match import GameResult
from .ggf import read_ggf
from .psq import read_psq
from .record import Record, RecordError, Unread, result_of
from .sgf import read_sgf
from .wthor import read_wthor

# The reader of a file's content by its extension. The path locates related files; the rule applies
# to games whose file does not state one.
READERS: dict[str, Callable[[bytes, Path, str], Iterable[Unread]]] = {
    "psq": lambda content, path, rule: [partial(read_psq, text_of(content), rule)],
    "sgf": lambda content, path, rule: read_sgf(text_of(content), rule),
    "hsgf": lambda content, path, rule: read_sgf(text_of(content), rule),
    "ggf": lambda content, path, rule: read_ggf(text_of(content)),
    "wtb": lambda content, path, rule: read_wthor(content, path),
}


def read_games(
    path: Path, rule: str, unreadable: list[RecordError] | None = None
) -> list[tuple[Record, GameResult]]:
    """The games of a file with their results.

    Args:
        path: the file; its extension decides the format.
        rule: the rule of games that do not state one.
        unreadable: called with the errors of unreadable games, which are skipped; None: the first
            error is raised.

    Raises:
        RecordError: the file, or a game in it, is unreadable or damaged, or plyground cannot play
            a game; the message names it.
    """
    reader = READERS.get(path.suffix.lower().removeprefix("."))
    if reader is None:
        *others, last = (f".{ending}" for ending in READERS)
        raise RecordError(f"{path}: game files end in {', '.join(others)} or {last}")
    try:
        unread = list(reader(path.read_bytes(), path, rule))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    games: list[tuple[Record, GameResult]] = []
    for number, read in enumerate(unread, 1):
        try:
            record = read()
            first, second = (plain_text(name) or "?" for name in record.players)
            record = record._replace(players=(first, second), title=plain_text(record.title))
            games.append((record, result_of(record)))
        except RecordError as error:
            which = f"game {number}: " if len(unread) > 1 else ""
            complaint = RecordError(f"{path}: {which}{error}")
            if unreadable is None:
                raise complaint from None
            unreadable.append(complaint)
    return games


def text_of(content: bytes) -> str:
    """The text of a file in UTF-8, or else in Latin-1, which older programs write."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
