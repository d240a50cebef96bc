"""The display of dots and boxes: names of edges, the board as text, the picture.

``rules`` has ``rows`` and ``cols``, the size of the board in boxes.
"""

from __future__ import annotations

import re
from typing import Any

from ..pictures.drawing import (
    BOX_FILLS,
    PLAYER_COLOURS,
    Area,
    Disc,
    Line,
    Picture,
    Rectangle,
    Text,
)
from .dots_and_boxes_board import boxes_beside, count_edges

MARGIN = 0.5  # of the picture, up to the first dots
# h 0 1, h,0,1 and h0 1; of single digits also h01.
EDGE = re.compile(r"([hv])[\s,]*(\d+(?=[\s,])|\d(?=\d$))[\s,]*(\d+)", re.IGNORECASE | re.ASCII)


def action_to_text(rules: Any, action: int) -> str:
    horizontal = (rules.rows + 1) * rules.cols
    if action < horizontal:
        return f"h {action // rules.cols} {action % rules.cols}"
    return (
        f"v {(action - horizontal) // (rules.cols + 1)} {(action - horizontal) % (rules.cols + 1)}"
    )


def text_to_action(rules: Any, text: str) -> int:
    match = EDGE.fullmatch(text.strip())
    if match:
        vertical, row, column = match[1].lower() == "v", int(match[2]), int(match[3])
        if row < rules.rows + (not vertical) and column < rules.cols + vertical:
            before = (rules.rows + 1) * rules.cols if vertical else 0
            edge: int = before + row * (rules.cols + vertical) + column
            return edge
    raise ValueError(
        f"{text!r} is no edge of this board; edges run from 'h 0 0' to 'h {rules.rows} "
        f"{rules.cols - 1}' and 'v {rules.rows - 1} {rules.cols}'"
    )


def board_text(rules: Any, position: Any) -> str:
    """Numbered dots, edges, the owners' letters (A is player 0), and a line of statistics.

    An edge is named by its orientation and its left or upper dot: row, then column.
    """
    lines, vertical = [], (rules.rows + 1) * rules.cols
    numbers = "".join(f"{column:<4}" for column in range(rules.cols + 1))
    lines.append(f"   {numbers}")
    for row in range(rules.rows + 1):
        edges = (
            "---" if position.edges[row * rules.cols + column] else "   "
            for column in range(rules.cols)
        )
        lines.append(f"{row:2} +" + "+".join(edges) + "+")
        if row < rules.rows:
            walls = [
                "|" if position.edges[vertical + row * (rules.cols + 1) + c] else " "
                for c in range(rules.cols + 1)
            ]
            owners = [
                " AB"[position.owner[row * rules.cols + column]] for column in range(rules.cols)
            ] + [""]
            cells = (f"{wall} {owner} " if owner else wall for wall, owner in zip(walls, owners))
            lines.append("   " + "".join(cells))
    left = rules.rows * rules.cols - int(position.score[0]) - int(position.score[1])
    counts = (
        f"A {position.score[0]}, B {position.score[1]}, boxes left {left}, edges {position.drawn} "
        f"of {count_edges(rules.rows, rules.cols)}"
    )
    return "\n".join([*(line.rstrip() for line in lines), counts])


def action_areas(rules: Any) -> list[Area | None]:
    """Around each edge the rhombus from its dots to the middles of the boxes beside it.

    The rhombi tile the board: a click belongs to the edge that is nearest.
    """
    areas: list[Area | None] = []
    for edge in range(count_edges(rules.rows, rules.cols)):
        direction, row, column = action_to_text(rules, edge).split()
        x, y = int(column) + MARGIN, int(row) + MARGIN
        horizontal = direction == "h"
        middle_x, middle_y = (x + 0.5, y) if horizontal else (x, y + 0.5)
        sides = ((0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0))
        areas.append(Area(tuple((middle_x + dx, middle_y + dy) for dx, dy in sides)))
    return areas


def picture(rules: Any, position: Any, last_action: int | None) -> Picture:
    """The board with filled boxes, edges in the colour of the boxes they close, and coordinates.

    The last edge is dark; free edges are faint.
    """
    margin = MARGIN
    shapes: list[Any] = [
        Text(margin / 2, row + margin, str(row), "#a39c8c", 0.2) for row in range(rules.rows + 1)
    ]
    shapes += [
        Text(column + margin, margin / 2, str(column), "#a39c8c", 0.2)
        for column in range(rules.cols + 1)
    ]
    for box in range(rules.rows * rules.cols):
        x, y, owner = box % rules.cols + margin, box // rules.cols + margin, position.owner[box]
        if owner:
            shapes.append(Rectangle(x, y, 1, 1, BOX_FILLS[owner - 1]))
            shapes.append(Text(x + 0.5, y + 0.5, "AB"[owner - 1], PLAYER_COLOURS[owner - 1], 0.42))
    for edge in range(count_edges(rules.rows, rules.cols)):
        horizontal, row, column = action_to_text(rules, edge).split()
        x, y = int(column) + margin, int(row) + margin
        end = (x + 1, y) if horizontal == "h" else (x, y + 1)
        owners = {
            int(position.owner[box])
            for box in boxes_beside(rules.rows, rules.cols, edge)
            if box >= 0
        }
        owner = owners.pop() if len(owners) == 1 else 0
        if not position.edges[edge]:
            shapes.append(Line(x, y, *end, "#ddd6c6", 0.04))
        else:
            colour = (
                "#20242b"
                if edge == last_action
                else PLAYER_COLOURS[owner - 1]
                if owner
                else "#3d6fb4"
            )
            shapes.append(Line(x, y, *end, colour, 0.12 if edge == last_action else 0.09))
    shapes += [
        Disc(x + margin, y + margin, 0.1, "#20242b")
        for y in range(rules.rows + 1)
        for x in range(rules.cols + 1)
    ]
    return Picture(rules.cols + 2 * margin, rules.rows + 2 * margin, shapes)
