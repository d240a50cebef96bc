"""The picture of a hex board."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import COLUMN_LETTERS
from ....envs.boards.rows import cells_board, seen_cells
from ....envs.declaration import Board
from ....envs.pictures.drawing import (
    Area,
    Disc,
    Line,
    Picture,
    Piece,
    Polygon,
    Ring,
    Text,
    name_size,
)
from .rules import COLOURS, STEPS, Hex

ROW_HEIGHT = 0.87
FREE, GAP = "#e4dccb", 0.06  # colour of cells, and the share of a cell that is its margin


def at(row: float, column: float) -> tuple[float, float]:
    """The coordinates of a cell's centre in the picture."""
    return 1.6 + column + row / 2, 1.3 + row * ROW_HEIGHT


@r.winning_cells.register(Hex)
def winning_cells(rules: Hex, position: Any) -> list[tuple[int, int]]:
    """A shortest chain of the winner's stones from edge to edge, found by breadth-first search."""
    if position.winner == r.NOBODY:
        return []
    size, along = rules.size, 0 if position.winner == 0 else 1  # the axis that the chain crosses
    own = [
        tuple(map(int, cell))
        for cell in np.argwhere(seen_cells(rules, position) == position.winner + 1)
    ]
    stones = set(own)
    before: dict[Any, Any] = {cell: None for cell in own if cell[along] == 0}
    for cell in (waiting := list(before)):
        if cell[along] == size - 1:
            chain = [cell]
            while before[chain[-1]] is not None:
                chain.append(before[chain[-1]])
            return chain[::-1]
        for row, column in STEPS:
            beside = cell[0] + row, cell[1] + column
            if beside in stones and beside not in before:
                before[beside] = cell
                waiting.append(beside)
    raise AssertionError("unreachable: a winner's stones connect the edges")


@r.board.register(Hex)
@functools.cache
def board(rules: Hex) -> Board:
    """The hexagons of the cells; the swap has no place on the board."""
    corner = ROW_HEIGHT * 2 / 3  # from the centre to the upper corner
    areas: list[Area | None] = []
    for row, column in np.ndindex(rules.size, rules.size):
        x, y = at(row, column)
        right = [(x, y - corner), (x + 0.5, y - corner / 2), (x + 0.5, y + corner / 2)]
        left = [(x, y + corner), (x - 0.5, y + corner / 2), (x - 0.5, y - corner / 2)]
        areas.append(Area((*right, *left)))
    return cells_board(rules, areas, extra="swap", from_top=True)


@r.picture.register(Hex)
def picture(rules: Hex, position: Any, last_action: int | None) -> Picture:
    """Hexagons in rows that slant to the right, each player's edges in the player's colour.

    The last stone has a dot, the stones of the winning chain have rings.
    """
    far, last = rules.size - 0.3, rules.size - 1
    shapes: list[Any] = []
    for ends in (((-0.7, 0), (-0.7, far)), ((far, -0.7), (far, last))):
        shapes.append(Line(*at(*ends[0]), *at(*ends[1]), COLOURS[0], 0.12))
        images = [at(column, row) for row, column in ends]
        shapes.append(Line(*images[0], *images[1], COLOURS[1], 0.12))
    for area in filter(None, board(rules).areas):
        (x, y), inwards = area.centre, 1 - GAP
        corners = tuple((x + inwards * (px - x), y + inwards * (py - y)) for px, py in area.points)
        shapes.append(Polygon(corners, FREE))
    cells = seen_cells(rules, position)
    for row, column in np.argwhere(cells):
        stone = Disc(*at(row, column), 0.42, COLOURS[cells[row, column] - 1])
        shapes.append(Piece(f"{row} {column}", str(cells[row, column]), (stone,)))
        if last_action == row * rules.size + column:
            shapes.append(Disc(*at(row, column), 0.12, "#f7f4ee"))
    for row, column in winning_cells(rules, position):
        shapes.append(Ring(*at(row, column), 0.4, "#ffffff", 0.09))
    width, height = at(rules.size, rules.size)
    size = name_size(width, height)
    for number in range(rules.size):
        shapes.append(Text(*at(-1.1, number + 0.5), COLUMN_LETTERS[number], "#6b6558", size))
        shapes.append(Text(*at(number, -1.1), str(number + 1), "#6b6558", size))
    return Picture(width - 0.2, height, shapes)
