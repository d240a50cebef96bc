"""The picture of Othello."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import cell_areas, names_at_the_sides
from ....envs.boards.rows import cells_board, seen_cells
from ....envs.declaration import Board
from ....envs.pictures.drawing import Disc, Line, Picture, Piece, Rectangle
from .rules import COLOURS, Othello, scores

EDGE = 0.6  # room for the cells' names


@r.board.register(Othello)
@functools.cache
def board(rules: Othello) -> Board:
    return cells_board(rules, cell_areas(rules, EDGE, EDGE), extra="pass", from_top=True)


r.score.register(Othello)(scores)


@r.picture.register(Othello)
def picture(rules: Othello, position: Any, last_action: int | None) -> Picture:
    """A green board with the cells' names at its sides; the last disc has a dot."""
    shapes: list[Any] = [Rectangle(EDGE, EDGE, rules.size, rules.size, "#1f7a4d")]
    far = EDGE + rules.size
    for at in range(rules.size + 1):
        shapes.append(Line(EDGE, EDGE + at, far, EDGE + at, "#135635", 0.04))
        shapes.append(Line(EDGE + at, EDGE, EDGE + at, far, "#135635", 0.04))
    shapes += names_at_the_sides(rules.size, rules.size, EDGE, from_top=True)
    for (row, column), disc in np.ndenumerate(seen_cells(rules, position)):
        x, y = column + EDGE + 0.5, row + EDGE + 0.5
        if disc != 0:
            sides = Disc(x, y + 0.03, 0.41, "#0f4429"), Disc(x, y, 0.41, COLOURS[disc - 1])
            shapes.append(Piece(f"{row} {column}", str(disc), sides))
        if last_action == row * rules.size + column:
            shapes.append(Disc(x, y, 0.1, "#d7263d"))
    return Picture(far + 0.2, far + 0.2, shapes)
