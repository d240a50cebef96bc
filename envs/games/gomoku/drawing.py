"""The picture of gomoku: a wooden board."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ... import rules as r
from ...boards.grid import COLUMN_LETTERS, cell_areas
from ...boards.rows import cells_board
from ...boards.stones import DIRECTIONS, board_cells
from ...declaration import Board
from ...pictures.drawing import Disc, Line, Picture, Piece, Rectangle, Ring, Text, name_size
from .rules import STONE_COLOURS, Gomoku, row_wins

MARGIN = 1.15  # from the border to the first line


@r.winning_cells.register(Gomoku)
def winning_cells(rules: Gomoku, position: Any) -> list[tuple[int, int]]:
    cells = board_cells(rules, position)
    flat, winners = np.ascontiguousarray(cells).ravel(), set()
    for action in np.flatnonzero(flat):
        row, column = divmod(int(action), rules.cols)
        if any(row_wins(rules, flat, int(action), *direction) for direction in DIRECTIONS):
            winners.add((row, column))
    return sorted(winners)


def _star_points(rules: Gomoku) -> list[tuple[int, int]]:
    """The dots of a wooden board.

    They mark the centre and, on boards of 13 or more, the corners of a square around it.
    """
    if rules.rows % 2 == 0 or rules.cols % 2 == 0:
        return []
    inset = [i for i in (3,) if min(rules.rows, rules.cols) >= 13]
    corners = [
        (y, x) for i in inset for y in (i, rules.rows - 1 - i) for x in (i, rules.cols - 1 - i)
    ]
    return [(rules.rows // 2, rules.cols // 2), *corners]


@r.board.register(Gomoku)
@functools.cache
def board(rules: Gomoku) -> Board:
    return cells_board(rules, cell_areas(rules, MARGIN - 0.5, MARGIN - 0.5))


@r.picture.register(Gomoku)
def picture(rules: Gomoku, position: Any, last_action: int | None) -> Picture:
    """A wooden board with stones on the intersections.

    The last stone carries a red dot, the stones of the winning row carry rings.
    """
    cells = board_cells(rules, position)
    margin = MARGIN
    width, height = rules.cols - 1 + 2 * margin, rules.rows - 1 + 2 * margin
    size = name_size(width, height)
    shapes: list[Any] = [
        Rectangle(0, 0, width, height, "#8a6233"),
        Rectangle(0.12, 0.12, width - 0.24, height - 0.24, "#deb573", 0.12),
    ]
    # grain: thin wavy lines, by the fractional parts of multiples of the golden ratio
    for i in range(3 * rules.rows):
        at, tilt = (i * 0.618034) % 1, (i * 0.381966) % 0.3 - 0.15
        y = 0.4 + (height - 0.8) * at
        shapes.append(
            Line(
                0.2,
                y - tilt,
                width - 0.2,
                y + tilt,
                "#d7ab66" if i % 3 else "#e3bd7f",
                0.03 + 0.06 * (i % 4 == 0),
            )
        )
    for row in range(rules.rows):
        shapes.append(Line(margin, row + margin, width - margin, row + margin, "#5b4424", 0.03))
        shapes.append(Text(0.42, row + margin, str(rules.rows - row), "#5b4424", size))
    for column in range(rules.cols):
        shapes.append(
            Line(column + margin, margin, column + margin, height - margin, "#5b4424", 0.03)
        )
        shapes.append(Text(column + margin, height - 0.42, COLUMN_LETTERS[column], "#5b4424", size))
    shapes += [Disc(x + margin, y + margin, 0.1, "#5b4424") for y, x in _star_points(rules)]
    for row, column in np.argwhere(cells):
        x, y, black = column + margin, row + margin, cells[row, column] == 1
        stone = (
            Disc(x + 0.04, y + 0.05, 0.45, "#a98248"),
            Disc(x, y, 0.44, "#16181c" if black else "#b9b5aa"),
            Disc(x - 0.02, y - 0.02, 0.41, STONE_COLOURS[0 if black else 1]),
            Disc(x - 0.14, y - 0.15, 0.12, "#40454f" if black else "#ffffff"),
        )
        shapes.append(Piece(f"{row} {column}", "black" if black else "white", stone))
    if last_action is not None:
        row, column = divmod(last_action, rules.cols)
        shapes.append(Disc(column + margin, row + margin, 0.12, "#e0312f"))
    for row, column in winning_cells(rules, position):
        shapes.append(Ring(column + margin, row + margin, 0.42, "#e0312f", 0.06))
    return Picture(width, height, shapes)
