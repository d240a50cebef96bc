"""Dots and boxes on any board of rows × cols boxes, with win or margin rewards.

Rules. Players draw one edge a turn between neighbouring dots. A player who draws the fourth side of
a box owns it and **moves again**. When all edges are drawn the game ends; more boxes win. With
``reward="win"`` the winner gets +1 and the loser −1 at the end; with ``reward="margin"`` each box
immediately gives its owner a point and costs the opponent one. ``dots=(5, 5)`` is short for 4 × 4
boxes. ``start`` draws edges beforehand: ``icelandic`` the left and the bottom border, ``swedish``
the whole border.

Actions. Horizontal edges row-major, (rows + 1) × cols of them, then vertical edges row-major, rows
× (cols + 1). Their names are ``h 0 1`` or ``v 2 0``: orientation, row, column, counted from the top
left.

Observation. (rows + 1, cols + 1, 6): horizontal edges, vertical edges, own boxes, opponent's boxes,
whether the observer is to move, whether the observer is player 0 (the last two planes are
constant).

Symmetries. Those of the board (eight of a square, four of a rectangle) that preserve the initial
position.

Source: Berlekamp, "The Dots and Boxes Game", 2000; Barker and Korf, "Solving Dots-And-Boxes", AAAI
2012 (Icelandic, Swedish).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...compiled.kernels import kernel
from ...compiled.randomness import mix64, random_below
from ...compiled.scratch import copy_items, stack_array
from ...declaration import declare_game
from ...pictures.drawing import PLAYER_COLOURS
from ...profile import Ending
from ...rules_types import wide_record
from ...specification import Parameter
from .board import (
    EMPTY,
    MARGIN,
    SWEDISH,
    WIN,
    boxes_beside,
    complexity,
    count_edges,
    expand_dots,
    facts,
    num_edges,
    plies_played,
    sides_of_box,
    starts_drawn,
    symmetries,
)
from .profile import PROFILE

STARTS = ("empty", "icelandic", "swedish")  # EMPTY, ICELANDIC, SWEDISH
EDGES, BOXES = 128, 64  # capacity of the usual record
WIDE_EDGES, WIDE_BOXES = 480, 225  # capacity of the wide record: 15 × 15 boxes


def _record_fields(edges: int, boxes: int) -> list[tuple[Any, ...]]:
    """The fields of a record with room for ``edges`` edges and ``boxes`` boxes."""
    return [
        ("edges", np.int8, edges),
        ("sides", np.int8, boxes),
        ("owner", np.int8, boxes),
        ("score", np.int16, 2),
        ("drawn", np.int16),
        ("mover", np.int8),
        ("hash", np.uint64),
    ]


def _capacity(rules: DotsAndBoxes) -> str | None:
    edges = count_edges(rules.rows, rules.cols)
    if edges > WIDE_EDGES:
        return (
            f"a board may have at most {WIDE_EDGES} edges, {rules.rows} × {rules.cols} boxes have "
            f"{edges}"
        )
    return None


@declare_game(
    name="dots_and_boxes",
    version=0,
    profile=PROFILE,
    colours=PLAYER_COLOURS,
    marks=("A", "B"),
    position=_record_fields(EDGES, BOXES),
    parameters=(
        Parameter("rows", int, 4, "height in boxes", 1, 42),
        Parameter("cols", int, 4, "width in boxes", 1, 42),
        Parameter("reward", str, "win", "returns of a game", choices=("win", "margin")),
        Parameter("start", str, "empty", "edges drawn beforehand", choices=STARTS),
    ),
    short_forms=(
        Parameter("dots", str, None, "the board in dots, 5x5", stands_for=("rows", "cols")),
    ),
    heuristics=("chains", "classic"),
    check=lambda rules: (
        "a Swedish start leaves no edge to draw on a single box"
        if rules.start == SWEDISH and rules.rows * rules.cols == 1
        else None
    ),
    capacity=_capacity,
    limits=f"at most {WIDE_EDGES} edges, as 15 × 15 boxes have",
    expand=expand_dots,
)
class DotsAndBoxes(NamedTuple):
    rows: int = 4
    cols: int = 4
    reward: int = WIN
    start: int = EMPTY


@wide_record(
    needed=lambda rules: count_edges(rules.rows, rules.cols) > EDGES,
    position=_record_fields(WIDE_EDGES, WIDE_BOXES),
)
class WideDotsAndBoxes(DotsAndBoxes):
    """Boards of more edges than the usual record holds."""


@kernel
def draw(rules, position, edge):
    """Draw an edge; returns the number of boxes completed (the caller sets their owner)."""
    position.edges[edge] = 1
    position.drawn += 1
    position.hash ^= mix64(np.uint64(edge + 1))
    boxes = 0
    for box in boxes_beside(rules.rows, rules.cols, edge):
        if box >= 0:
            position.sides[box] += 1
            boxes += position.sides[box] == 4
    return boxes


@r.start.register_body(DotsAndBoxes)
def start(rules, position):
    position.edges[:] = 0
    position.sides[:] = 0
    position.owner[:] = 0
    position.score[:] = 0
    position.drawn = 0
    position.mover = 0
    position.hash = 0
    for edge in range(num_edges(rules)):
        if starts_drawn(rules, edge):
            draw(rules, position, edge)


@r.legal_actions.register_body(DotsAndBoxes)
def legal_actions(rules, position, out):
    count = 0
    for edge in range(num_edges(rules)):
        if position.edges[edge] == 0:
            out[count] = edge
            count += 1
    return count


@r.is_legal.register_body(DotsAndBoxes)
def is_legal(rules, position, action):
    return 0 <= action < num_edges(rules) and position.edges[action] == 0


@r.play.register_body(DotsAndBoxes)
def play(rules, position, action):
    mover = position.mover
    if draw(rules, position, action) == 0:
        position.mover = 1 - mover
        return
    for box in boxes_beside(rules.rows, rules.cols, action):
        if box >= 0 and position.sides[box] == 4:
            position.owner[box] = mover + 1
            position.score[mover] += 1


@r.to_move.register_body(DotsAndBoxes)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(DotsAndBoxes)
def is_over(rules, position):
    return position.drawn == num_edges(rules)


@r.possible_wins.register_body(DotsAndBoxes)
def possible_wins(rules, position, player, out):
    """The last two edges: a game ends with the last one only."""
    if position.drawn < num_edges(rules) - 2:
        return 0
    return r.legal_actions(rules, position, out)


@r.returns.register_body(DotsAndBoxes)
def returns(rules, position, player):
    margin = position.score[player] - position.score[1 - player]
    if rules.reward == MARGIN:
        return float(margin)
    return float(np.sign(margin)) if is_over(rules, position) else 0.0


@r.margin.register_body(DotsAndBoxes)
def margin(rules, position, player):
    if rules.reward == MARGIN:
        return np.int64(0)
    return np.int64(position.score[player]) - np.int64(position.score[1 - player])


@r.observe.register_body(DotsAndBoxes)
def observe(rules, position, player, out):
    out[:] = 0
    horizontal = (rules.rows + 1) * rules.cols
    for edge in range(horizontal):
        out[edge // rules.cols, edge % rules.cols, 0] = position.edges[edge]
    for edge in range(rules.rows * (rules.cols + 1)):
        out[edge // (rules.cols + 1), edge % (rules.cols + 1), 1] = position.edges[
            horizontal + edge
        ]
    for box in range(rules.rows * rules.cols):
        out[box // rules.cols, box % rules.cols, 2] = position.owner[box] == player + 1
        out[box // rules.cols, box % rules.cols, 3] = position.owner[box] == 2 - player
    out[:, :, 4] = position.mover == player
    out[:, :, 5] = player == 0


@r.from_observation.register_body(DotsAndBoxes)
def from_observation(rules, observation, position):
    start(rules, position)
    player = 0 if observation[0, 0, 5] != 0 else 1
    horizontal = (rules.rows + 1) * rules.cols
    for edge in range(num_edges(rules)):
        if edge < horizontal:
            edge_bit = observation[edge // rules.cols, edge % rules.cols, 0]
        else:
            edge_bit = observation[
                (edge - horizontal) // (rules.cols + 1), (edge - horizontal) % (rules.cols + 1), 1
            ]
        if edge_bit != 0 and position.edges[edge] == 0:
            draw(rules, position, edge)
    for box in range(rules.rows * rules.cols):
        if position.sides[box] == 4:
            owner = (
                player if observation[box // rules.cols, box % rules.cols, 2] != 0 else 1 - player
            )
            position.owner[box] = owner + 1
            position.score[owner] += 1
    position.mover = player if observation[0, 0, 4] != 0 else 1 - player


@r.key.register_body(DotsAndBoxes)
def key(rules, position):
    """The edges, the lead and the turn.

    The owners of single boxes matter to the rest of the game only through the lead.
    """
    return position.hash ^ mix64(
        np.uint64(1000 + 2 * (64 + position.score[0] - position.score[1]) + position.mover)
    )


@r.transform.register_body(DotsAndBoxes)
def transform(rules, position, permutation, out):
    edges, owner = stack_array(WIDE_EDGES, np.int8), stack_array(WIDE_BOXES, np.int8)
    copy_items(edges, position.edges, position.edges.size)
    copy_items(owner, position.owner, position.owner.size)
    drawn, mover = position.drawn, position.mover
    first, second = position.score[0], position.score[1]
    out.edges[:] = 0
    out.sides[:] = 0
    out.owner[:] = 0
    out.drawn = 0
    out.hash = 0
    for edge in range(num_edges(rules)):
        if edges[edge] != 0:
            draw(rules, out, np.int64(permutation[edge]))
    for box in range(rules.rows * rules.cols):
        image = num_edges(rules)
        for side in sides_of_box(rules.rows, rules.cols, box, box // rules.cols):
            # a box has the number of its top edge, the lowest of the four
            image = min(image, np.int64(permutation[side]))
        out.owner[image] = owner[box]
    out.drawn, out.mover = drawn, mover
    out.score[0], out.score[1] = first, second


@r.random_action.register_body(DotsAndBoxes)
def random_action(rules, position, rng, scratch):
    """Draw edges until one is free; near the end, choose among the free ones.

    Uniform either way.
    """
    for _ in range(8):
        edge = random_below(rng, num_edges(rules))
        if position.edges[edge] == 0:
            return edge
    return np.int64(scratch[random_below(rng, legal_actions(rules, position, scratch))])


@r.outcome_reason.register(DotsAndBoxes)
def outcome_reason(rules: DotsAndBoxes, position: Any) -> Ending:
    most = max(position.score)
    return Ending("box" if most == 1 else "boxes", {"a": most, "b": min(position.score)})


r.symmetries.register(DotsAndBoxes)(symmetries)
r.facts.register(DotsAndBoxes)(facts)
r.complexity.register(DotsAndBoxes)(complexity)
r.plies_played.register(DotsAndBoxes)(plies_played)
