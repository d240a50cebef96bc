"""A dots-and-boxes board of rows × cols boxes: its geometry, sizes and symmetries.

Edges are numbered as in :mod:`.rules`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...compiled.kernels import kernel
from ...declaration import Facts
from ...optional.complexity import Bound, Complexity
from ...specification import SpecificationError

EMPTY, ICELANDIC, SWEDISH = range(3)  # the edges drawn before the first move
WIN, MARGIN = range(2)  # the returns of a game


@kernel
def boxes_beside(rows, cols, edge):
    """The boxes on both sides of an edge, −1 if there is none."""
    horizontal = (rows + 1) * cols
    if edge < horizontal:
        row = edge // cols
        return (edge - cols if row > 0 else -1), (edge if row < rows else -1)
    row, column = (edge - horizontal) // (cols + 1), (edge - horizontal) % (cols + 1)
    box = row * cols + column
    return (box - 1 if column > 0 else -1), (box if column < cols else -1)


@kernel
def sides_of_box(rows, cols, box, row):
    """The edges of a box in a row: top, bottom, left, right."""
    left = (rows + 1) * cols + box + row
    return box, box + cols, left, left + 1


@kernel
def neighbours(rows, cols, box, row):
    """The boxes across top, bottom, left and right of a box in a row, −1 off the board."""
    col = box - row * cols
    return (
        box - cols if row > 0 else -1,
        box + cols if row < rows - 1 else -1,
        box - 1 if col > 0 else -1,
        box + 1 if col < cols - 1 else -1,
    )


def count_edges(rows: int, cols: int) -> int:
    """The number of edges of a board of rows × cols boxes."""
    return (rows + 1) * cols + rows * (cols + 1)


def _edge_symmetries(rows: int, cols: int) -> np.ndarray:
    """The symmetries of the board (8 of a square, 4 of a rectangle) as permutations of the edges.

    int16 of shape (symmetries, edges), identity first.
    """
    horizontal, edges = (rows + 1) * cols, count_edges(rows, cols)
    # Edges as points of a grid twice as fine: h r c lies at (2r, 2c + 1), v r c at (2r + 1, 2c).
    points = [(2 * (e // cols), 2 * (e % cols) + 1) for e in range(horizontal)]
    points += [(2 * (e // (cols + 1)) + 1, 2 * (e % (cols + 1))) for e in range(edges - horizontal)]
    number = {point: edge for edge, point in enumerate(points)}
    images = [
        [(abs(up - y), abs(left - x)) for y, x in points]
        for up in (0, 2 * rows)
        for left in (0, 2 * cols)
    ]
    if rows == cols:
        images += [[(x, y) for y, x in image] for image in images]
    return np.array([[number[point] for point in image] for image in images], np.int16)


@kernel
def starts_drawn(rules, edge):
    """Whether an edge is drawn before the first move."""
    horizontal = (rules.rows + 1) * rules.cols
    if rules.start == EMPTY:
        return False
    if edge < horizontal:
        return edge // rules.cols == rules.rows or (rules.start == SWEDISH and edge < rules.cols)
    column = (edge - horizontal) % (rules.cols + 1)
    return column == 0 or (rules.start == SWEDISH and column == rules.cols)


@kernel
def num_edges(rules):
    return (rules.rows + 1) * rules.cols + rules.rows * (rules.cols + 1)


def symmetries(rules: Any) -> np.ndarray:
    """The symmetries of the board that preserve the edges drawn at the start."""
    permutations = _edge_symmetries(rules.rows, rules.cols)
    drawn = {edge for edge in range(permutations.shape[1]) if starts_drawn(rules, edge)}
    return np.stack([row for row in permutations if {int(row[edge]) for edge in drawn} == drawn])


def facts(rules: Any) -> Facts:
    """The sizes of the board's spaces, and the returns of a game."""
    edges, boxes = count_edges(rules.rows, rules.cols), float(rules.rows * rules.cols)
    free = edges - _edges_at_start(rules)
    best = boxes if rules.reward == MARGIN else 1.0
    return Facts(edges, free, -best, best, (rules.rows + 1, rules.cols + 1, 6), moves_again=True)


def complexity(rules: Any) -> Complexity:
    """Bounds of the number of edges, boxes and states, with their formulas."""
    edges, free = facts(rules).num_actions, facts(rules).longest_game
    board = [
        Bound("edges", "2mn - m - n for m x n dots", edges),
        Bound("boxes" if rules.rows * rules.cols > 1 else "box", "", rules.rows * rules.cols),
    ]
    if free != edges:
        board.append(Bound("free edges at the start", "L", free))
    states = Bound("states, by edges drawn", f"2^{free}", 2**free)
    return Complexity(tuple(board), states, fewer_each_ply=True)


def _edges_at_start(rules: Any) -> int:
    """The number of edges drawn at the start: none, two sides of the board, or all four."""
    return int(rules.start * (rules.rows + rules.cols))


def plies_played(rules: Any, position: Any) -> int:
    """The number of edges that the players have drawn."""
    return int(position.drawn) - _edges_at_start(rules)


DOTS = re.compile(
    r"(\d{1,4})\s*[x×]\s*(\d{1,4})|[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]", re.ASCII
)


def expand_dots(values: dict[str, Any]) -> dict[str, Any]:
    """Replace ``dots=(5, 5)`` or ``dots=5x5`` by rows=4, cols=4."""
    if "dots" not in values:
        return values
    dots = values.pop("dots")
    numbers = dots
    if isinstance(dots, str):
        match = DOTS.fullmatch(dots.strip())
        numbers = [number for number in match.groups() if number] if match else None
    try:
        rows, cols = (int(number) - 1 for number in numbers)
    except (TypeError, ValueError):
        raise SpecificationError(
            f"dots={dots} is not possible for dots_and_boxes: write two numbers, dots=5x5 or "
            f"dots=(5,5)"
        ) from None
    return {"rows": rows, "cols": cols} | values
