"""Chains and control in dots and boxes: an estimate of the margin of the free boxes.

When no safe edge is left, each edge gives boxes away. The boxes with two sides drawn then form
chains and loops. A player who is forced to open one hands it over. Its taker keeps control by
leaving the last two boxes of a chain (four of a loop), so that the opponent must open the next.

Source: Berlekamp, "The Dots and Boxes Game", 2000.
"""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...compiled.kernels import inner_kernel, kernel
from ...compiled.scratch import copy_items, stack_array
from .board import boxes_beside, neighbours, sides_of_box, symmetries
from .rules import WIDE_BOXES, WIDE_EDGES, DotsAndBoxes

CHAINS, CLASSIC = range(2)  # heuristics, in the order of the declaration
UNSEEN = 0
# hundredths of a box for each box expected from control, once no safe edge is left (tuned by
# matches against `classic`)
TRUST = 50


@inner_kernel
def _enter(edges, sides, visits, stack, depth, wall, other):
    """Push the box behind a wall (−1: none) if it belongs to a walk; returns depth and leaks."""
    if edges[wall] != 0:
        return depth, 0
    if other < 0 or sides[other] < 2:
        return depth, 1
    if visits[other] == UNSEEN:
        visits[other] = 1
        stack[depth] = other
        depth += 1
    return depth, 0


@inner_kernel
def _measure_component(rows, cols, edges, sides, row_of, visits, stack, box):
    """Walk over the boxes with at least two sides that are connected with ``box``.

    Returns the number of boxes and whether they form a loop.
    """
    visits[box] = 1
    stack[0] = box
    depth, boxes, leaks = 1, 0, 0
    while depth > 0:
        depth -= 1
        at = stack[depth]
        boxes += 1
        row = row_of[at]
        above, below, before, after = neighbours(rows, cols, at, row)
        top, bottom, left, right = sides_of_box(rows, cols, at, row)
        depth, leak = _enter(edges, sides, visits, stack, depth, top, above)
        leaks += leak
        depth, leak = _enter(edges, sides, visits, stack, depth, bottom, below)
        leaks += leak
        depth, leak = _enter(edges, sides, visits, stack, depth, left, before)
        leaks += leak
        depth, leak = _enter(edges, sides, visits, stack, depth, right, after)
        leaks += leak
    return boxes, leaks == 0


@inner_kernel
def _play_safe_edges(rows, cols, edges, sides):
    """Draw edges that give no box away until none is left; returns the number drawn.

    They are drawn in the order of their numbers. Other orders are possible, so mirror images of a
    position can be estimated differently.
    """
    drawn, edge = 0, 0
    for down in (1, 0):  # horizontal edges lie between boxes of a column
        for row in range(rows + down):
            for col in range(cols + 1 - down):
                second = row * cols + col
                first = second - cols if down else second - 1
                has_first = (row if down else col) > 0
                has_second = row < rows if down else col < cols
                if (
                    edges[edge] == 0
                    and not (has_first and sides[first] >= 2)
                    and not (has_second and sides[second] >= 2)
                ):
                    edges[edge] = 1
                    drawn += 1
                    if has_first:
                        sides[first] += 1
                    if has_second:
                        sides[second] += 1
                edge += 1
    return drawn


@kernel
def control_value(lengths, loops, count):
    """The margin of the player who does not open first; the smallest structure is opened first.

    Lengths are ascending. Chains of one or two boxes are handed over whole and pass the turn to
    open; in the long ones the taker keeps control while that pays.
    """
    # From the last structure back: `value` is the taker's margin over the opener for the structures
    # from i on.
    value = 0
    for i in range(count - 1, -1, -1):
        length = lengths[i]
        price = 4 if loops[i] else 2
        if length <= 2:
            value = length - value  # taken whole; the taker must open the next
        else:
            # leaves `price` boxes to the opener and stays in control
            keep = length - 2 * price + value
            take = length - value  # takes everything and must open the next
            value = max(keep, take) if i < count - 1 else length
    return value


@inner_kernel
def _expected_margin(rows, cols, edges, sides):
    """The expected margin of the player to move from the free boxes, in hundredths of a box."""
    boxes = rows * cols
    visits, stack = stack_array(WIDE_BOXES, np.int8), stack_array(WIDE_BOXES, np.int64)
    lengths, loops = stack_array(WIDE_BOXES, np.int64), stack_array(WIDE_BOXES, np.bool_)
    row_of = stack_array(WIDE_BOXES, np.int64)  # divisions would take longer than the walks
    for row in range(rows):
        for col in range(cols):
            row_of[row * cols + col] = row
            visits[row * cols + col] = UNSEEN
    # Boxes that can be taken now, with the chains behind them.
    offer, free = 0, 0
    for box in range(boxes):
        free += sides[box] < 4
        if sides[box] == 3 and visits[box] == UNSEEN:
            offer += _measure_component(rows, cols, edges, sides, row_of, visits, stack, box)[0]
    # Draw the safe edges, then measure the chains and loops.
    later_edges, later_sides = stack_array(WIDE_EDGES, np.int8), stack_array(WIDE_BOXES, np.int8)
    for edge in range((rows + 1) * cols + rows * (cols + 1)):
        later_edges[edge] = edges[edge]
    for box in range(boxes):
        later_sides[box] = sides[box]
    edges, sides = later_edges, later_sides
    safe, count = _play_safe_edges(rows, cols, edges, sides), 0
    for box in range(boxes):
        if sides[box] >= 2 and sides[box] < 4 and visits[box] == UNSEEN:
            length, is_loop = _measure_component(
                rows, cols, edges, sides, row_of, visits, stack, box
            )
            place = count
            while place > 0 and lengths[place - 1] > length:
                lengths[place], loops[place] = lengths[place - 1], loops[place - 1]
                place -= 1
            lengths[place], loops[place] = length, is_loop
            count += 1
    if count == 0:
        return 100 * offer
    control = control_value(lengths, loops, count)
    # With an even number of safe edges left the player to move will have to open; with more safe
    # edges this is less certain.
    likely = -control if safe % 2 == 0 else control
    if offer >= 3 or (offer == 2 and free > 2):
        # The taker of an open chain may decline its last two boxes, and so chooses the parity.
        likely = max(likely, -likely - 4)
    return 100 * offer + TRUST * likely // (1 + safe)


@inner_kernel
def _risk_class(rules, position, edge):
    """0: completes a box; 1: safe; 2 and 3: gives the opponent one or two boxes."""
    third_sides = 0
    for box in boxes_beside(rules.rows, rules.cols, edge):
        if box >= 0:
            if position.sides[box] == 3:
                return 0
            third_sides += position.sides[box] == 2
    return 1 + third_sides


@r.order_actions.register_body(DotsAndBoxes)
def order_actions(rules, position, actions, count):
    """Edges that complete a box, then safe edges, then risky ones; stable within each class."""
    before, risks = stack_array(WIDE_EDGES, np.int16), stack_array(WIDE_EDGES, np.int8)
    copy_items(before, actions, count)
    for i in range(count):
        risks[i] = _risk_class(rules, position, before[i])
    sorted_count = 0
    for risk in range(4):
        for i in range(count):
            if risks[i] == risk:
                actions[sorted_count] = before[i]
                sorted_count += 1


@r.evaluate.register_body(DotsAndBoxes)
def evaluate(rules, position, player, heuristic):
    """Points of a position; ``classic`` is from the course projects that this suite started from.

    ``chains``: the lead and the margin to expect from chains and control. ``classic``: 100 a box of
    lead, 30 for a lead of more than two; −50 for each box with three sides, +10 with two, +2 with
    fewer, regardless of the player to move.
    """
    lead = np.int64(position.score[player] - position.score[1 - player])
    if heuristic == CHAINS:
        ahead = _expected_margin(rules.rows, rules.cols, position.edges, position.sides)
        return 100 * lead + (ahead if position.mover == player else -ahead)
    points = 100 * lead + (30 if lead > 2 else 0)
    for box in range(rules.rows * rules.cols):
        sides = position.sides[box]
        if sides == 3:
            points -= 50
        elif sides == 2:
            points += 10
        elif sides < 2:
            points += 2
    return points


@r.heuristic_symmetries.register(DotsAndBoxes)
def heuristic_symmetries(rules: DotsAndBoxes, heuristic: str) -> np.ndarray:
    """``chains`` draws the safe edges in the order of their numbers, so that images may differ."""
    return symmetries(rules)[: 1 if heuristic == "chains" else None]
