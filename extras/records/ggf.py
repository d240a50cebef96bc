"""GGF, the Generic Game Format of the server GGS, for Othello.

A file contains any number of games. A match of two simultaneous games is a line with their number
and both games. Moves state their player, and may be followed by the player's estimate and time.
Games from set-up boards, with a komi, or with reversed aims are not supported.
Source: https://www.skatgame.net/mburo/ggsa/ggf and ``help type`` of GGS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ...envs.game import Game, IllegalActionError, IllegalPositionError
from ...envs.specification import plain_text
from .record import (
    COLOURS,
    PASS,
    Record,
    RecordError,
    Unread,
    game_titled,
    moves_by_colour,
)

BETWEEN = re.compile(r"[\s\d]*")  # the number of games of a match precedes them
PROPERTY = re.compile(r"\s*([A-Za-z]+)\[([^\]]*)\]")
END = re.compile(r"\s*;\s*\)")
BOARD = re.compile(r"(\d{1,2}) (.+) ([*O])", re.DOTALL)
TYPE = re.compile(r"s?\d+[bw]?(?:r\d+)?")  # synchronous, size, colour, discs of a random board
RESULT = re.compile(r"([+-]?\d{1,4}(?:\.\d+)?)(?::([rts]))?")
TIME = "t"
MARKS = str.maketrans("*-", "X.")


def read_ggf(text: str) -> Iterator[Unread]:
    """The games of a file.

    Raises:
        RecordError: it is not such a file; on reading a game: plyground does not have it.
    """
    place, count = 0, 0
    while (place := _end(BETWEEN, text, place)) < len(text):
        if not text.startswith("(;", place):
            raise RecordError(f"at character {place + 1} it does not follow the format of GGF")
        properties: list[tuple[str, str]] = []
        place += 2
        while match := PROPERTY.match(text, place):
            properties.append((match[1].upper(), match[2].strip()))
            place = match.end()
        if _end(END, text, place) == place:
            raise RecordError(f"at character {place + 1} it does not follow the format of GGF")
        place, count = _end(END, text, place), count + 1
        yield partial(_record, properties)
    if not count:
        raise RecordError("there is no game in it")


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where a match that begins at a place ends; the place where there is none."""
    match = pattern.match(text, place)
    return match.end() if match else place


def _record(properties: list[tuple[str, str]]) -> Record:
    head = dict(reversed(properties))  # the first of each name counts
    moves = [(name, value) for name, value in properties if name in COLOURS]
    kind = head.get("TY", "8")
    if not TYPE.fullmatch(kind) or head.keys() & {"KB", "KW", "KM"}:
        raise RecordError(f"TY[{plain_text(kind, 20)}] is not a game with the usual rules")
    game = _game(head)
    played = moves_by_colour(game, [(name, _action(game, value)) for name, value in moves])
    result = RESULT.fullmatch(head.get("RE", ""))
    margin = float(result[1]) if result else 0.0
    return Record(
        game,
        played,
        (head.get("PB", ""), head.get("PW", "")),
        None if not margin else int(margin < 0),
        result is not None,
        result is not None and result[2] == TIME,
        head.get("PC", ""),
    )


def _game(head: dict[str, str]) -> Game:
    """The game of a title and a board, which is the one before the first move."""
    board = BOARD.fullmatch(head.get("BO", ""))
    if board is None:
        raise RecordError("there is no board BO[8 … *]")
    game = game_titled(head.get("GM", "?"), int(board[1]))
    cells, size = "".join(board[2].split()).translate(MARKS), int(board[1])
    rows = "/".join(cells[start : start + size] for start in range(0, len(cells), size))
    mark = board[3].translate(MARKS)
    try:
        if game.position_from_text(f"{rows}:{mark}") != game.initial_position():
            raise RecordError("it does not begin with the first position, but with another board")
    except IllegalPositionError as error:
        raise RecordError(f"its board BO is none of {game.spec}: {error.reason}") from None
    return game


def _action(game: Game, value: str) -> int:
    """The action of a move such as ``D3/-1.5/0.42``; ``PA`` is a pass."""
    text = value.partition("/")[0].strip().lower()
    try:
        return game.action_number(PASS if text == "pa" else text)
    except IllegalActionError:
        raise RecordError(f"{plain_text(text, 20)!r} is not a move of {game.spec}") from None
