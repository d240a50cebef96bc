"""The files of other programs: which formats are read, and by whom."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from pathlib import Path

from ...envs.specification import plain_text
from ...evaluation.match import GameResult
from .ggf import read_ggf
from .psq import read_psq
from .record import Record, RecordError, result_of
from .sgf import read_sgf
from .wthor import read_wthor

# By the ending of a file's name: the reader of its content. The path tells what stands beside it,
# the rule is that of games whose file does not state it.
READERS: dict[str, Callable[[bytes, Path, str], Iterable[Record]]] = {
    "psq": lambda content, path, rule: [read_psq(text_of(content), rule)],
    "sgf": lambda content, path, rule: read_sgf(text_of(content), rule),
    "hsgf": lambda content, path, rule: read_sgf(text_of(content), rule),
    "ggf": lambda content, path, rule: read_ggf(text_of(content)),
    "wtb": lambda content, path, rule: read_wthor(content, path),
}


def read_games(path: Path, rule: str) -> list[tuple[Record, GameResult]]:
    """The games of a file with their results.

    Args:
        path: the file, whose ending tells the format.
        rule: the rule of games that do not state one.

    Raises:
        RecordError: the file cannot be read, is damaged, or holds what plyground cannot play; says
            which game.
    """
    reader = READERS.get(path.suffix.lower().removeprefix("."))
    if reader is None:
        *others, last = (f".{ending}" for ending in READERS)
        raise RecordError(f"{path}: files of games end in {', '.join(others)} or {last}")
    games: list[tuple[Record, GameResult]] = []
    try:
        for record in reader(path.read_bytes(), path, rule):
            first, second = (plain_text(name) or "?" for name in record.players)
            record = record._replace(players=(first, second), title=plain_text(record.title))
            games.append((record, result_of(record)))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from None
    except RecordError as error:
        which = f"game {len(games) + 1}: " if games else ""
        raise RecordError(f"{path}: {which}{error}") from None
    return games


def text_of(content: bytes) -> str:
    """The text of a file in UTF-8, or where it is none, in Latin-1, which older programs write."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
