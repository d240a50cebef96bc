"""The display of dots and boxes: names of edges, the board as text, the picture."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import rules as r
from ...declaration import Board, Place
from ...pictures.drawing import (
    BOX_FILLS,
    PLAYER_COLOURS,
    Area,
    Disc,
    Line,
    Picture,
    Piece,
    Rectangle,
    Text,
    name_size,
    rectangle_area,
)
from .board import boxes_beside, count_edges, neighbours, plies_played
from .rules import DotsAndBoxes, draw

DRAWN, FREE = "_I", "."  # horizontal and vertical edges, and free places, in rows of characters
MARGIN = 0.5  # from the picture's border to the first dots
# h 0 1, h,0,1 and h0 1; of single digits also h01.
EDGE = re.compile(r"([hv])[\s,]*(\d+(?=[\s,])|\d(?=\d$))[\s,]*(\d+)", re.IGNORECASE | re.ASCII)


@r.text_to_action.register(DotsAndBoxes)
def text_to_action(rules: DotsAndBoxes, text: str) -> int:
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


@r.board_text.register(DotsAndBoxes)
def board_text(rules: Any, position: Any) -> str:
    """Numbered dots, edges, the owners' letters (A is player 0), and a line of statistics.

    An edge is named by its orientation and its left or upper dot: row, then column.
    """
    lines = ["   " + "".join(f"{column:<4}" for column in range(rules.cols + 1))]
    for number, row in enumerate(board_rows(rules, position)):
        if number % 2 == 0:
            edges = "+".join("   " if symbol == FREE else "---" for symbol in row)
            lines.append(f"{number // 2:2} +{edges}+")
        else:
            walls, owners = row[::2], row[1::2].replace(FREE, " ")
            spaces = [f" {owner} " for owner in owners] + [""]
            sides = ("|" if wall == DRAWN[1] else " " for wall in walls)
            lines.append("   " + "".join(map("".join, zip(sides, spaces))))
    left = rules.rows * rules.cols - int(position.score[0]) - int(position.score[1])
    first, second = rules.declaration.player_names(marked=True)
    counts = (
        f"{first} {position.score[0]}, {second} {position.score[1]}, boxes left {left}, edges "
        f"{position.drawn} of {count_edges(rules.rows, rules.cols)}"
    )
    return "\n".join([*(line.rstrip() for line in lines), counts])


@r.board.register(DotsAndBoxes)
@functools.cache
def board(rules: Any) -> Board:
    """Edges and boxes; rows of horizontal edges alternate with rows of vertical edges and boxes.

    The area of an edge is the rhombus from its dots to the centres of the adjacent boxes. The
    rhombi tile the board: a click selects the nearest edge.
    """
    cells = [(*at, 0) for at in np.ndindex(rules.rows + 1, rules.cols)]
    cells += [(*at, 1) for at in np.ndindex(rules.rows, rules.cols + 1)]
    corners, edges = ((0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0)), []
    for row, column, upright in cells:
        x, y = column + MARGIN + 0.5 * (1 - upright), row + MARGIN + 0.5 * upright
        area = Area(tuple((x + dx, y + dy) for dx, dy in corners))
        at = (2 * row + upright, column * (1 + upright))
        edges.append(Place(f"{'hv'[upright]} {row} {column}", *at, DRAWN[upright], area))
    owners, inset, boxes = "".join(rules.declaration.marks), MARGIN + 0.28, []
    for row, column in np.ndindex(rules.rows, rules.cols):
        area = rectangle_area(column + inset, row + inset, 0.44, 0.44)
        boxes.append(Place(f"box {row} {column}", 2 * row + 1, 2 * column + 1, owners, area))
    return Board(
        [*edges, *boxes],
        actions=[edge.name for edge in edges],
        kind="edge",
        cells=cells,
        areas=[edge.area for edge in edges],
    )


@r.board_rows.register(DotsAndBoxes)
def board_rows(rules: Any, position: Any) -> list[str]:
    owners = FREE + "".join(rules.declaration.marks)
    edges = count_edges(rules.rows, rules.cols)
    symbols = [DRAWN[place.symbols == DRAWN[1]] for place in board(rules).places[:edges]]
    characters = [symbol if drawn else FREE for symbol, drawn in zip(symbols, position.edges)]
    characters += [owners[owner] for owner in position.owner[: rules.rows * rules.cols]]
    rows = [[FREE] * (2 * rules.cols + 1 if row % 2 else rules.cols)
            for row in range(2 * rules.rows + 1)]  # fmt: skip
    for place, symbol in zip(board(rules).places, characters):
        rows[place.row][place.column] = symbol
    return ["".join(row) for row in rows]


@r.set_up.register(DotsAndBoxes)
def set_up(rules: Any, rows: Sequence[str], player: int, position: Any) -> None:
    edges, places = count_edges(rules.rows, rules.cols), board(rules).places
    characters = [rows[place.row][place.column] for place in places]
    r.start(rules, position)
    for edge, symbol in enumerate(characters[:edges]):
        if symbol == FREE and position.edges[edge]:
            raise ValueError(f"the edge {places[edge].name} is drawn from the start")
        if symbol != FREE and not position.edges[edge]:
            draw(rules, position, edge)
    for box, symbol in enumerate(characters[edges:]):
        # the boxes won and the boxes left must add up to the board
        if (position.sides[box] == 4) != (symbol != FREE):
            lacks = "needs an owner" if symbol == FREE else "lacks a side, and has no owner"
            raise ValueError(f"{places[edges + box].name} {lacks}")
        if symbol == FREE:
            continue
        owner = rules.declaration.marks.index(symbol)
        position.owner[box] = owner + 1
        position.score[owner] += 1
    position.mover = player


@r.problems.register(DotsAndBoxes)
def problems(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    edges = count_edges(rules.rows, rules.cols)
    places, position = board(rules).places, np.recarray(1, rules.declaration.dtype)[0]
    set_up(rules, rows, player, position)
    owners = [rows[place.row][place.column] for place in places[edges:]]
    # Moves that complete no box change the turn. A move completes one box, or two adjacent ones.
    touching = any(
        beside >= 0 and owners[beside] == owner != FREE
        for box, owner in enumerate(owners)
        for beside in neighbours(rules.rows, rules.cols, box, box // rules.cols)
    )
    changes = plies_played(rules, position) - sum(owner != FREE for owner in owners)
    if touching or changes % 2 == player:
        return []
    names = rules.declaration.player_names(marked=True)
    return [f"{names[1 - player]} is to move, not {names[player]}"]


@r.score.register(DotsAndBoxes)
def score(rules: DotsAndBoxes, position: Any) -> tuple[int, int]:
    return int(position.score[0]), int(position.score[1])


@r.picture.register(DotsAndBoxes)
def picture(rules: Any, position: Any, last_action: int | None) -> Picture:
    """The board with filled boxes, edges in the colour of the boxes they close, and coordinates.

    The last edge is dark; free edges are faint.
    """
    margin, marks = MARGIN, rules.declaration.marks
    width, height = rules.cols + 2 * margin, rules.rows + 2 * margin
    size = name_size(width, height)
    shapes: list[Any] = [
        Text(margin / 2, row + margin, str(row), "#a39c8c", size) for row in range(rules.rows + 1)
    ]
    shapes += [
        Text(column + margin, margin / 2, str(column), "#a39c8c", size)
        for column in range(rules.cols + 1)
    ]
    for box in range(rules.rows * rules.cols):
        x, y, owner = box % rules.cols + margin, box // rules.cols + margin, position.owner[box]
        if owner:
            letter = Text(x + 0.5, y + 0.5, marks[owner - 1], PLAYER_COLOURS[owner - 1], 0.42)
            fill = Rectangle(x, y, 1, 1, BOX_FILLS[owner - 1])
            shapes.append(Piece(f"box {box}", f"box {owner}", (fill, letter)))
    for edge, (row, column, upright) in enumerate(board(rules).cells):
        x, y = column + margin, row + margin
        end = (x + 1 - upright, y + upright)
        owners = {
            int(position.owner[box])
            for box in boxes_beside(rules.rows, rules.cols, edge)
            if box >= 0
        }
        owner = owners.pop() if len(owners) == 1 else 0
        shapes.append(Line(x, y, *end, "#ddd6c6", 0.04))
        if position.edges[edge]:
            colour = (
                "#20242b"
                if edge == last_action
                else PLAYER_COLOURS[owner - 1]
                if owner
                else "#3d6fb4"
            )
            line = Line(x, y, *end, colour, 0.12 if edge == last_action else 0.09)
            shapes.append(Piece(f"edge {edge}", "edge", (line,), enters="runs"))
    shapes += [
        Disc(x + margin, y + margin, 0.1, "#20242b")
        for y in range(rules.rows + 1)
        for x in range(rules.cols + 1)
    ]
    return Picture(width, height, shapes)
