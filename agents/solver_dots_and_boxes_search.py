"""Dots and boxes for the solver: the search.

A node is a quiet position, one without a box to capture: two sets of free edges and the number of a collection of independent chains and
loops (:mod:`.solver_dots_and_boxes_chains`), which are taken off the board. V, the margin of the rest for the player to move, is

    V(P) = max over the moves m of P of its margin −(captured − s + |V(R) + s|), or −(captured + V(R)) where s = 0.

A safe move, one that makes no box capturable, captures nothing: −V(R). Every other move opens a chain or loop; R is the position after the
opponent's captures.

Every node answers one question: is V(P) at least ``gamma``? Two-sided bounds on V answer it, known from a table, from the children, and from
the number of boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..envs.bits import count_bits
from ..envs.kernels import kernel
from ..envs.randomness import MIX_1, SHIFT_32
from .solver_dots_and_boxes_board import ONE, ZERO, canonical_edges, draw_around, is_loop, spread, unfinished, valences
from .solver_dots_and_boxes_chains import kind_of, spared

NODE = np.dtype(
    [
        ("horizontal", np.uint64),
        ("vertical", np.uint64),
        ("hash", np.uint64),
        ("code", np.int64),  # number of the collection
        ("boxes", np.int64),
        ("lower", np.int64),  # bounds on V
        ("upper", np.int64),
        ("captured", np.int64),  # how the move that leads here scores
        ("spare", np.int64),
        ("gamma", np.int64),
        ("count", np.int64),  # children
        ("cursor", np.int64),
        ("best", np.int64),  # the children dropped so far are worth no more
        ("began", np.int64),  # positions visited before this one
    ]
)
CONTROL = np.dtype([("ply", np.int64), ("positions", np.int64), ("result", np.int64), ("entering", np.bool_), ("done", np.bool_)])

MIX_2 = np.uint64(0x9FB21C651E98DF25)
BUCKET = 8
BOUND_BITS, EFFORT_BITS = 5, 4
BOUND_MASK, EFFORT_MASK = np.uint64(31), np.uint64(15)
SHIFT_5, SHIFT_10, SHIFT_14 = np.uint64(5), np.uint64(10), np.uint64(14)


class Table(NamedTuple):
    """The transposition table: ``entries`` (uint64, a power of two, at least 2^17) in buckets of eight, one cache line each.

    The hash is a one-to-one function of the position; its upper bits choose the bucket and an entry holds all the others, so that no two
    positions are ever taken for one another. Below them an entry holds four bits of effort and twice five bits: half the distance of the lower
    bound from −boxes and of the upper bound from +boxes. An entry without knowledge is 0.
    """

    entries: np.ndarray
    shift: np.uint64  # 64 minus the bits that choose a bucket


def make_table(memory_mb: int) -> Table:
    """An empty table of the largest power of two that fits ``memory_mb`` MiB."""
    bits = (memory_mb << 17).bit_length() - 1
    return Table(np.zeros(1 << bits, np.uint64), np.uint64(64 - (bits - 3)))


def make_stack(edges: int) -> tuple[np.ndarray, np.ndarray]:
    """The stack of plies: nodes (plies,) and their children (plies, moves)."""
    return np.zeros(edges + 2, NODE).view(np.recarray), np.zeros((edges + 2, edges + 4), NODE).view(np.recarray)


@kernel
def position_hash(board, horizontal, vertical, code):
    """A one-to-one function of the canonical form: multiplications by odd numbers and shifted xors can be undone."""
    x = canonical_edges(board, horizontal, vertical)
    if code > 0:
        x |= np.uint64(code) << board.edges
    x *= MIX_1
    x ^= x >> SHIFT_32
    x *= MIX_2
    return x ^ (x >> SHIFT_32)


@kernel
def look_up(table, hash_, boxes):
    """The bounds on V that the table knows: (lower, upper)."""
    first = np.int64(hash_ >> table.shift) * BUCKET
    rest = (hash_ << (np.uint64(64) - table.shift)) >> (np.uint64(64) - table.shift)
    for slot in range(first, first + BUCKET):
        entry = table.entries[slot]
        if entry >> SHIFT_14 == rest and entry != ZERO:
            return 2 * np.int64((entry >> SHIFT_5) & BOUND_MASK) - boxes, boxes - 2 * np.int64(entry & BOUND_MASK)
    return -boxes, boxes


@kernel
def remember(table, hash_, boxes, lower, upper, effort):
    """Put bounds into the table, in place of the position's own, or a free, or the least costly entry of the bucket."""
    first = np.int64(hash_ >> table.shift) * BUCKET
    rest = (hash_ << (np.uint64(64) - table.shift)) >> (np.uint64(64) - table.shift)
    chosen, least = first, np.uint64(99)
    for slot in range(first, first + BUCKET):
        entry = table.entries[slot]
        if entry == ZERO or entry >> SHIFT_14 == rest:
            chosen = slot
            break
        cost = (entry >> SHIFT_10) & EFFORT_MASK
        if cost < least:
            chosen, least = slot, cost
    bounds = np.uint64((lower + boxes) >> 1) << SHIFT_5 | np.uint64((boxes - upper) >> 1)
    table.entries[chosen] = rest << SHIFT_14 | effort << SHIFT_10 | bounds


@kernel
def set_aside(board, collections, horizontal, vertical, code, joints, links):
    """Move the independent chains and loops from the board into the collection; returns (horizontal, vertical, code)."""
    boxes = collections.added.shape[1]
    independent = links & ~spread(board, horizontal, vertical, joints, links)
    while independent != ZERO:
        part = spread(board, horizontal, vertical, independent & (~independent + ONE), independent)
        independent &= ~part
        length = count_bits(part)
        kind = kind_of(length, is_loop(board, horizontal, vertical, part), count_bits(board.boxes))
        if kind < boxes and collections.added[code, kind] >= 0:
            code = np.int64(collections.added[code, kind])
            horizontal, vertical = draw_around(board, horizontal, vertical, part)
    return horizontal, vertical, code


@kernel
def fill_node(board, collections, node, horizontal, vertical, code, captured, spare):
    """Make ``node`` the position with these free edges, and bound V by the number of boxes (exact where only a collection is left)."""
    _, links, joints = valences(board, horizontal, vertical)
    if links != ZERO:
        horizontal, vertical, code = set_aside(board, collections, horizontal, vertical, code, joints, links)
    node.horizontal, node.vertical, node.code = horizontal, vertical, code
    node.captured, node.spare = captured, spare
    boxes = count_bits(unfinished(board, horizontal, vertical)) + collections.boxes[code]
    node.boxes = boxes
    node.lower, node.upper = -boxes, boxes
    if (horizontal | vertical) == ZERO:
        node.lower = node.upper = np.int64(collections.values[code])
    else:
        node.hash = position_hash(board, horizontal, vertical, code)


@kernel
def margin_bounds(child):
    """The bounds on the margin of the move that leads to ``child``."""
    if child.spare == 0:
        return -(child.captured + child.upper), -(child.captured + child.lower)
    low, high = child.lower + child.spare, child.upper + child.spare
    nearest = child.boxes & 1 if low <= 0 <= high else min(abs(low), abs(high))
    base = child.captured - child.spare
    return -(base + max(abs(low), abs(high))), -(base + nearest)


@kernel
def next_question(child, gamma):
    """The number that V of ``child`` must be compared with to find out whether its move is worth ``gamma`` to the parent."""
    if child.spare == 0:
        return -gamma - child.captured + 1
    reach = -gamma - child.captured + child.spare  # |V + spare| must not be larger
    return -reach - child.spare if child.lower < -reach - child.spare else reach - child.spare + 1


@kernel
def open_chain(board, horizontal, vertical, part):
    """Draw all that is drawn once somebody opened ``part``: (horizontal, vertical, boxes captured).

    If both ends of a chain stand on one joint of valence 3, that joint can be captured in turn, and the chain that hangs on it.
    """
    captured = count_bits(part)
    while part != ZERO:
        horizontal, vertical = draw_around(board, horizontal, vertical, part)
        part, _, _ = valences(board, horizontal, vertical)
        captured += count_bits(part)
    return horizontal, vertical, captured


@kernel
def expand(board, collections, node, children):
    """Write the moves of a quiet position into ``children``, safe ones in the board's order first; returns how many."""
    count = 0
    horizontal, vertical, code = node.horizontal, node.vertical, node.code
    _, links, _ = valences(board, horizontal, vertical)
    safe_horizontal = horizontal & ~(links | (links << board.stride))
    safe_vertical = vertical & ~(links | (links << ONE))
    for i in range(board.order.size):
        edge = ONE << np.uint64(board.order[i] & 63)
        if board.order[i] < 64:
            if safe_horizontal & edge != ZERO:
                fill_node(board, collections, children[count], horizontal ^ edge, vertical, code, 0, 0)
                count += 1
        elif safe_vertical & edge != ZERO:
            fill_node(board, collections, children[count], horizontal, vertical ^ edge, code, 0, 0)
            count += 1
    while links != ZERO:
        part = spread(board, horizontal, vertical, links & (~links + ONE), links)
        links &= ~part
        spare = spared(count_bits(part), is_loop(board, horizontal, vertical, part))
        across, along, captured = open_chain(board, horizontal, vertical, part)
        fill_node(board, collections, children[count], across, along, code, captured, spare)
        count += 1
    for group in range(3):
        rest = np.int64(collections.opened[code, group])
        if rest >= 0:
            captured = np.int64(collections.boxes[code]) - np.int64(collections.boxes[rest])
            fill_node(board, collections, children[count], horizontal, vertical, rest, captured, 2 * group)
            count += 1
    return count


@kernel
def ask(nodes, ply, child, gamma):
    """Put ``child`` on the stack with the question whether its V is at least ``gamma``."""
    nodes[ply] = child
    node = nodes[ply]
    node.gamma = gamma + ((gamma ^ node.boxes) & 1)  # V is odd if and only if the number of boxes is
    node.count = node.cursor = 0


@kernel
def search(board, collections, table, nodes, children, control, limit):
    """Go on with the search on the stack until it is done or ``limit`` positions more are visited."""
    ply, positions, result, entering = control.ply, control.positions, control.result, control.entering
    limit += positions
    while positions < limit:
        node = nodes[ply]
        finished = False
        if entering:
            # 1. A position already known well enough answers its question at once.
            positions += 1
            node.began = positions
            if (node.horizontal | node.vertical) != ZERO:
                lower, upper = look_up(table, node.hash, node.boxes)
                node.lower, node.upper = max(node.lower, lower), min(node.upper, upper)
            if node.lower >= node.gamma or node.upper < node.gamma:
                result = node.lower if node.lower >= node.gamma else node.upper
                if ply == 0:
                    control.done = True
                    break
                ply -= 1
                entering = False
                continue
            # 2. Otherwise its moves are tried; one may be known to be good enough, others that they are not.
            node.best = -node.boxes
            count = expand(board, collections, node, children[ply])
            kept = 0
            for i in range(count):
                child = children[ply, i]
                if (child.horizontal | child.vertical) != ZERO:
                    child.lower, child.upper = look_up(table, child.hash, child.boxes)
                worst, most = margin_bounds(child)
                if worst >= node.gamma:
                    node.lower = worst
                    finished = True
                    break
                if most < node.gamma:
                    node.best = max(node.best, most)
                    continue
                if kept < i:
                    children[ply, kept] = child
                kept += 1
            if not finished:
                node.count = kept
        else:
            # 3. A child's answer bounds its V.
            child = children[ply, node.cursor]
            if result >= nodes[ply + 1].gamma:
                child.lower = max(child.lower, result)
            else:
                child.upper = min(child.upper, result)
        # 4. Ask the next child that may still be good enough.
        asked = False
        while not finished and node.cursor < node.count:
            child = children[ply, node.cursor]
            worst, most = margin_bounds(child)
            if worst >= node.gamma:
                node.lower = worst
                finished = True
            elif most < node.gamma:
                node.best = max(node.best, most)
                node.cursor += 1
            else:
                ask(nodes, ply + 1, child, next_question(child, node.gamma))
                asked = True
                break
        if asked:
            ply += 1
            entering = True
            continue
        # 5. No child is good enough: V is no more than the best of them.
        if not finished:
            node.upper = min(node.upper, node.best)
        effort = np.uint64(0)
        cost = positions - node.began
        while cost > 0 and effort < EFFORT_MASK:
            cost >>= 2
            effort += ONE
        remember(table, node.hash, node.boxes, node.lower, node.upper, effort)
        result = node.lower if finished else node.upper
        if ply == 0:
            control.done = True
            break
        ply -= 1
        entering = False
    control.ply, control.positions, control.result, control.entering = ply, positions, result, entering
