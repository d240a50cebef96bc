"""A board on the terminal: the players' marks in colour, the last move and the winning row."""

from __future__ import annotations

import re
from typing import Any

from rich.text import Text

from ...envs import rules as r
from ...envs.game import Position
from ...envs.pictures.drawing import PLAYER_COLOURS

CHANGE, WON = "reverse", "bold green reverse"
GREY = 32  # the components of a colour without a hue differ by at most this
# A line with a word is not a row of the board; a row of cells begins with its number.
WORDS, ROW_OF_CELLS = re.compile(r"[A-Za-z]{3}"), re.compile(r"\s*\d+ ")


def board(position: Position, before: Position | None = None) -> Text:
    """The board, with changes since an earlier position in reverse video.

    Args:
        position: the position.
        before: the position before the last move, if there is one.
    """
    text, declaration = str(position), position.game.declaration
    styles = [_style(colour) for colour in declaration.colours or PLAYER_COLOURS]
    styled_text = Text(text, no_wrap=True)
    earlier = (text if before is None else str(before)).split("\n")
    start = 0
    for line, old in zip(text.split("\n"), earlier):
        if not WORDS.search(line):
            width = len(line)
            for column, (new, former) in enumerate(zip(line, old.ljust(width))):
                place = start + column
                if new in declaration.marks:
                    style = styles[declaration.marks.index(new)]
                    styled_text.stylize(style, place, place + 1)
                if new not in (former, " "):
                    styled_text.stylize(CHANGE, place, place + 1)
        start += len(line) + 1
    for place in _winning_places(position, text):
        styled_text.stylize(WON, place, place + 1)
    return styled_text


def _style(colour: str) -> str:
    """The style of a player's marks: its colour; black and white are bold, visible on any ground.

    A colour is ``#rrggbb``.
    """
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return "bold" if max(parts) - min(parts) < GREY else f"bold {colour}"


def winning_row(position: Position) -> list[str]:
    """The names of the cells that won the game; empty if no row or chain of stones won."""
    rules: Any = position.game.rules
    names = {(place.row, place.column): place.name for place in r.board(rules).places}
    cells = r.winning_cells(rules, position.record)
    return [names[cell] for cell in cells if cell in names]


def _winning_places(position: Position, text: str) -> list[int]:
    """The places of the winning cells in a board's text: cells are two characters apart."""
    cells = r.winning_cells(position.game.rules, position.record)
    starts, start = [], 0
    for line in text.split("\n"):
        label = ROW_OF_CELLS.match(line)
        if label:
            starts.append(start + label.end())
        start += len(line) + 1
    return [starts[row] + 2 * column for row, column in cells]
