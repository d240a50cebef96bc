"""The picture of a Breakthrough board, and the places where moves are clicked."""

from __future__ import annotations

from typing import Any

from ...boards.grid import names_at_the_sides, seen_cells
from ...pictures.drawing import Area, Disc, Picture, Rectangle, rectangle_area

MARGIN, THIRD = 0.6, 1 / 3
PIECES, CELLS = ("#24408e", "#d7263d"), ("#efe9da", "#ded5bf")


def action_areas(rules: Any) -> list[Area | None]:
    """A ninth of a piece's cell for each direction: the upper row leads up, the lower row down."""
    areas: list[Area | None] = []
    for action in range(rules.rows * rules.cols * 6):
        cell, direction = divmod(action, 6)
        row, column = divmod(cell, rules.cols)
        to_row = row - 1 if direction < 3 else row + 1
        to_column = column + direction % 3 - 1
        inside = 0 <= to_row < rules.rows and 0 <= to_column < rules.cols
        x = MARGIN + column + direction % 3 * THIRD
        y = MARGIN + row + (0 if direction < 3 else 2 * THIRD)
        areas.append(rectangle_area(x, y, THIRD, THIRD) if inside else None)
    return areas


def picture(rules: Any, position: Any, last_action: int | None) -> Picture:
    """A chequered board; the cell that a piece has left is marked."""
    shapes: list[Any] = names_at_the_sides(rules.rows, rules.cols, MARGIN)
    cells = seen_cells(rules, position)
    for row in range(rules.rows):
        for column in range(rules.cols):
            x, y = MARGIN + column, MARGIN + row
            shapes.append(Rectangle(x, y, 1, 1, CELLS[(row + column) % 2]))
            if cells[row, column]:
                shapes.append(Disc(x + 0.5, y + 0.5, 0.36, PIECES[cells[row, column] - 1]))
            if last_action is not None and last_action // 6 == row * rules.cols + column:
                shapes.append(Disc(x + 0.5, y + 0.5, 0.1, "#6b6558"))
    return Picture(rules.cols + 2 * MARGIN, rules.rows + 2 * MARGIN, shapes)
