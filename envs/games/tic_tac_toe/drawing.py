"""The picture of tic-tac-toe."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ... import rules as r
from ...boards.grid import COLUMN_LETTERS, cell_areas
from ...boards.rows import cells_board
from ...boards.stones import board_cells, cells_in_rows
from ...declaration import Board
from ...pictures.drawing import (
    PLAYER_COLOURS,
    Line,
    Picture,
    Piece,
    Rectangle,
    Ring,
    Text,
    name_size,
)
from .rules import TicTacToe

MARGIN, NAMES = 0.2, 0.45  # around the grid: at the top and right, and at the sides with names


r.winning_cells.register(TicTacToe)(cells_in_rows)


@r.board.register(TicTacToe)
@functools.cache
def board(rules: TicTacToe) -> Board:
    return cells_board(rules, cell_areas(rules, NAMES, MARGIN))


@r.picture.register(TicTacToe)
def picture(rules: TicTacToe, position: Any, last_action: int | None) -> Picture:
    """Crosses and rings on a paper grid with the cells' names at its sides.

    The last cell is tinted; the cells of the winning row are green.
    """
    cells = board_cells(rules, position)
    margin, names = MARGIN, NAMES
    shapes: list[Any] = []
    if last_action is not None:
        row, column = divmod(last_action, rules.cols)
        shapes.append(
            Rectangle(column + names + 0.04, row + margin + 0.04, 0.92, 0.92, "#e9e1cf", 0.1)
        )
    for row, column in cells_in_rows(rules, position):
        shapes.append(
            Rectangle(column + names + 0.04, row + margin + 0.04, 0.92, 0.92, "#c5e5c5", 0.1)
        )
    for row in range(1, rules.rows):
        shapes.append(Line(names, row + margin, rules.cols + names, row + margin, "#4a4a4a", 0.03))
    for column in range(1, rules.cols):
        shapes.append(
            Line(column + names, margin, column + names, rules.rows + margin, "#4a4a4a", 0.03)
        )
    for row, column in np.argwhere(cells):
        x, y, arm = column + 0.5 + names, row + 0.5 + margin, 0.26
        cross = (
            Line(x - arm, y - arm, x + arm, y + arm, PLAYER_COLOURS[0], 0.11),
            Line(x - arm, y + arm, x + arm, y - arm, PLAYER_COLOURS[0], 0.11),
        )
        mark = cross if cells[row, column] == 1 else (Ring(x, y, arm, PLAYER_COLOURS[1], 0.11),)
        shapes.append(Piece(f"{row} {column}", str(cells[row, column]), mark))
    width, height = rules.cols + names + margin, rules.rows + names + margin
    size = name_size(width, height)
    for row in range(rules.rows):
        shapes.append(Text(names / 2, row + 0.5 + margin, str(rules.rows - row), "#6b6558", size))
    for column, letter in enumerate(COLUMN_LETTERS[: rules.cols]):
        shapes.append(Text(column + 0.5 + names, height - names / 2, letter, "#6b6558", size))
    return Picture(width, height, shapes)
