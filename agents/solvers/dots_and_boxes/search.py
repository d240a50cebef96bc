"""Dots and boxes for the solver: the search.

A node is a quiet position, one without a box to capture: two sets of free edges and the number of a
collection of independent chains and loops (:mod:`.solver_dots_and_boxes_chains`), which are taken
off the board. V, the margin of the rest for the player to move, is

    V(P) = max over the moves m of P of its margin −(captured − s + |V(R) + s|), or −(captured +
    V(R)) where s = 0.

A safe move, one that makes no box capturable, captures nothing: −V(R). Every other move opens a
chain or loop; R is the position after the opponent's captures.

Every node answers one question: is V(P) at least ``gamma``? Two-sided bounds on V answer it, known
from a table, from the children, and from the number of boxes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits, lowest_bit_index
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import MIX_1, SHIFT_32
from .board import (
    NO_EDGE,
    ONE,
    SCRATCH,
    ZERO,
    canonical_without,
    draw_around,
    independent,
    is_loop,
    new_scratch,
    pack_images,
    spread,
    unfinished,
    valences,
)
from .chains import (
    ADDED,
    BOXES,
    OPENED,
    VALUE,
    kind_of,
    spared,
)

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
        ("move", np.int64),
        ("met", np.int64),
        ("count", np.int64),  # children
        ("cursor", np.int64),
        ("best", np.int64),  # the children dropped so far are worth no more
        ("began", np.int64),  # positions visited before this one
    ]
)
CONTROL = np.dtype(
    [
        ("ply", np.int64),
        ("positions", np.int64),
        ("result", np.int64),
        ("shift", np.uint64),
        ("touched", np.uint64),
        ("entering", np.bool_),
        ("done", np.bool_),
    ]
)

MIX_2 = np.uint64(0x9FB21C651E98DF25)
NO_LINKS = ZERO
# a move is the bit of a safe edge (64 more if vertical), of a box of the chain opened, or a group
# of the collection
OPENING, COLLECTED = 128, 192
ONE_BY_ONE = 2  # so many moves are tried before all the others are looked up in the table
BUCKET = np.dtype([("entries", np.uint64, 8)])
BOUND_BITS, EFFORT_BITS = 5, 4
BOUND_MASK, EFFORT_MASK = np.uint64(31), np.uint64(15)
SHIFT_5, SHIFT_10, SHIFT_14 = np.uint64(5), np.uint64(10), np.uint64(14)


class Stack(NamedTuple):
    """What a search works on: by ply the nodes, their children (plies, moves), and their packed
    images; room for other images; where it stands.
    """

    nodes: Any
    children: Any
    packed: Any
    scratch: Any
    control: Any


def make_table(memory_mb: int, edges: int) -> np.ndarray:
    """An empty transposition table: the largest power of two of buckets that fits ``memory_mb`` MiB
    and is of use on a board of so many edges.

    A bucket is one cache line of eight entries. The hash is a one-to-one function of the position;
    its upper bits, at least 14, choose the bucket and an entry holds all the others, so that no two
    positions are ever taken for one another. Below them an entry holds four bits of effort and
    twice five bits: half the distance of the lower bound from −boxes and of the upper bound from
    +boxes. An entry without knowledge is 0.
    """
    bits = min((memory_mb << 14).bit_length() - 1, max(14, edges - 11))
    words = np.zeros((8 << bits) + 8, np.uint64)
    start = -(words.ctypes.data // 8) % 8
    return words[start : start + (8 << bits)].view(BUCKET).view(np.recarray)


def make_stack(edges: int, table: np.ndarray) -> Stack:
    """Room for a search on a board of so many edges."""
    plies = edges + 2
    nodes, packed = (
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros(plies, SCRATCH).view(np.recarray),
    )
    children = np.zeros((plies, edges + 4), NODE).view(np.recarray)
    stack = Stack(nodes, children, packed, new_scratch(), np.zeros(1, CONTROL).view(np.recarray)[0])
    stack.control.shift = 64 - (len(table).bit_length() - 1)
    return stack


@kernel
def position_hash(board, packed, code):
    """A one-to-one function of a packed set of edges and a collection: multiplications by odd
    numbers and shifted xors can be undone.
    """
    x = packed
    if code > 0:
        x |= np.uint64(code) << board.edges
    x *= MIX_1
    x ^= x >> SHIFT_32
    x *= MIX_2
    return x ^ (x >> SHIFT_32)


@kernel
def look_up(bucket, rest, boxes):
    """The bounds on V that a bucket of the table knows for the position of which it would hold
    ``rest``: (lower, upper).
    """
    entries = bucket.entries
    found = ZERO
    for slot in range(8):  # without a branch, so that all eight are compared at once
        entry = entries[slot]
        found |= entry if entry >> SHIFT_14 == rest else ZERO
    return 2 * np.int64((found >> SHIFT_5) & BOUND_MASK) - boxes, boxes - 2 * np.int64(
        found & BOUND_MASK
    )


@kernel
def remember(bucket, rest, boxes, lower, upper, effort):
    """Put bounds into a bucket, in place of the position's own, or a free, or the least costly
    entry.
    """
    entries = bucket.entries
    chosen, least = 0, np.uint64(99)
    for slot in range(8):
        entry = entries[slot]
        if entry == ZERO or entry >> SHIFT_14 == rest:
            chosen = slot
            break
        cost = (entry >> SHIFT_10) & EFFORT_MASK
        if cost < least:
            chosen, least = slot, cost
    bounds = np.uint64((lower + boxes) >> 1) << SHIFT_5 | np.uint64((boxes - upper) >> 1)
    entries[chosen] = rest << SHIFT_14 | effort << SHIFT_10 | bounds


@kernel
def set_aside(board, collections, horizontal, vertical, code, new, links, joints):
    """Move independent chains and loops from the board into the collection; returns (horizontal,
    vertical, code).

    ``new`` are the boxes of valence 2 that had more, or all of them: others need not be looked at.
    """
    while new != ZERO:
        seed = new & (~new + ONE)
        part = independent(board, horizontal, vertical, seed, links, joints)
        new &= ~(part | seed)
        if part != ZERO:
            kind = kind_of(
                count_bits(part),
                is_loop(board, horizontal, vertical, part),
                count_bits(board.boxes),
            )
            more = np.int64(collections[code, ADDED + kind])
            if more >= 0:
                code = more
                horizontal, vertical = draw_around(board, horizontal, vertical, part)
    return horizontal, vertical, code


@kernel
def fill_node(
    board, collections, node, scratch, horizontal, vertical, code, links_before, captured, spare
):
    """Make ``node`` the position with these free edges, and bound V by the number of boxes (exact
    where only a collection is left).

    ``links_before`` are boxes known to stand on joints, or not to be put into the collection.
    ``scratch`` is overwritten.
    """
    _, links, joints = valences(board, horizontal, vertical)
    new = links & ~links_before
    if new != ZERO:
        horizontal, vertical, code = set_aside(
            board, collections, horizontal, vertical, code, new, links, joints
        )
    boxes = count_bits(unfinished(board, horizontal, vertical)) + np.int64(collections[code, BOXES])
    set_node(node, horizontal, vertical, code, boxes, captured, spare)
    if (horizontal | vertical) == ZERO:
        node.lower = node.upper = np.int64(collections[code, VALUE])
    else:
        pack_images(board, horizontal, vertical, scratch)
        node.hash = position_hash(board, canonical_without(board, scratch, NO_EDGE), code)


@kernel
def set_node(node, horizontal, vertical, code, boxes, captured, spare):
    """Write the fields of a node of which nothing is known yet."""
    node.horizontal, node.vertical, node.code = horizontal, vertical, code
    node.captured, node.spare = captured, spare
    node.boxes = boxes
    node.lower, node.upper = -boxes, boxes


@kernel
def fill_child(board, collections, node, packed, scratch, child):
    """Make ``child`` the position after its ``move`` at ``node``, which ``packed`` holds packed."""
    horizontal, vertical, code, move = node.horizontal, node.vertical, node.code, child.move
    _, links, _ = valences(board, horizontal, vertical)
    if move >= COLLECTED:
        rest = np.int64(collections[code, OPENED + move - COLLECTED])
        captured = np.int64(collections[code, BOXES]) - np.int64(collections[rest, BOXES])
        fill_node(
            board,
            collections,
            child,
            scratch,
            horizontal,
            vertical,
            rest,
            links,
            captured,
            2 * (move - COLLECTED),
        )
    elif move >= OPENING:
        part = spread(board, horizontal, vertical, ONE << np.uint64(move - OPENING), links)
        spare = spared(count_bits(part), is_loop(board, horizontal, vertical, part))
        across, along, captured = open_chain(board, horizontal, vertical, part)
        fill_node(board, collections, child, scratch, across, along, code, links, captured, spare)
    else:
        if move < 64:
            horizontal &= ~(ONE << np.uint64(move))
        else:
            vertical &= ~(ONE << np.uint64(move - 64))
        _, links_after, joints = valences(board, horizontal, vertical)
        new = links_after & ~links
        if new != ZERO:
            horizontal, vertical, code = set_aside(
                board, collections, horizontal, vertical, code, new, links_after, joints
            )
        if code != node.code:
            fill_node(
                board, collections, child, scratch, horizontal, vertical, code, links_after, 0, 0
            )
        else:
            set_node(child, horizontal, vertical, code, node.boxes, 0, 0)
            child.hash = position_hash(board, canonical_without(board, packed, move), code)


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
    """The number that V of ``child`` must be compared with to find out whether its move is worth
    ``gamma`` to the parent.
    """
    if child.spare == 0:
        return -gamma - child.captured + 1
    reach = -gamma - child.captured + child.spare  # |V + spare| must not be larger
    return -reach - child.spare if child.lower < -reach - child.spare else reach - child.spare + 1


@kernel
def open_chain(board, horizontal, vertical, part):
    """Draw all that is drawn once somebody opened ``part``: (horizontal, vertical, boxes captured).

    If both ends of a chain stand on one joint of valence 3, that joint can be captured in turn, and
    the chain that hangs on it.
    """
    captured = count_bits(part)
    while part != ZERO:
        horizontal, vertical = draw_around(board, horizontal, vertical, part)
        part, _, _ = valences(board, horizontal, vertical)
        captured += count_bits(part)
    return horizontal, vertical, captured


@kernel
def best_opening(captured, spare, boxes):
    """The best that may come of opening a chain or loop in a position of so many boxes."""
    return boxes - 2 * captured if spare == 0 else spare - captured - ((boxes - captured) & 1)


@kernel
def list_moves(board, collections, node, children):
    """Write into ``children`` the moves of a quiet position that may be worth ``gamma``, safe ones
    in the board's order first; returns how many.
    """
    count = 0
    horizontal, vertical, code = node.horizontal, node.vertical, node.code
    _, links, _ = valences(board, horizontal, vertical)
    safe_horizontal = horizontal & ~(links | (links << board.stride))
    safe_vertical = vertical & ~(links | (links << ONE))
    for i in range(np.int64(board.edges)):
        edge = board.order[i]
        safe = safe_horizontal if edge < 64 else safe_vertical
        if (safe >> np.uint64(edge & 63)) & ONE != ZERO:
            children[count].move = edge
            count += 1
    while links != ZERO:
        seed = links & (~links + ONE)
        part = spread(board, horizontal, vertical, seed, links)
        links &= ~part
        captured = count_bits(part)
        most = best_opening(
            captured, spared(captured, is_loop(board, horizontal, vertical, part)), node.boxes
        )
        if most >= node.gamma:
            children[count].move = OPENING + lowest_bit_index(seed)
            count += 1
        else:
            node.best = max(node.best, most)
    for group in range(3):
        rest = np.int64(collections[code, OPENED + group])
        if rest >= 0:
            most = best_opening(
                np.int64(collections[code, BOXES]) - np.int64(collections[rest, BOXES]),
                2 * group,
                node.boxes,
            )
            if most >= node.gamma:
                children[count].move = COLLECTED + group
                count += 1
            else:
                node.best = max(node.best, most)
    return count


@kernel
def meet(board, collections, table, shift, node, packed, scratch, children, last):
    """Make the children of a node up to number ``last``, and bound them by what the table knows; if
    one is good enough, it is the next to be tried.

    First the buckets of all are read, right after one another, so that the processor fetches them
    from memory at the same time; the result keeps the compiler from leaving that out.
    """
    mask = (ONE << shift) - ONE
    seen = ZERO
    for i in range(node.met, last):
        fill_child(board, collections, node, packed, scratch, children[i])
    for i in range(node.met, last):
        seen |= table[children[i].hash >> shift].entries[0]
    for i in range(node.met, last):
        child = children[i]
        if (child.horizontal | child.vertical) != ZERO:
            child.lower, child.upper = look_up(
                table[child.hash >> shift], child.hash & mask, child.boxes
            )
        if margin_bounds(child)[0] >= node.gamma:
            node.cursor = i
    node.met = last
    return seen


@kernel
def ask(nodes, ply, child, gamma):
    """Put ``child`` on the stack with the question whether its V is at least ``gamma``."""
    nodes[ply] = child
    node = nodes[ply]
    # V is odd if and only if the number of boxes is
    node.gamma = gamma + ((gamma ^ node.boxes) & 1)
    node.count = node.cursor = 0


@kernel
def search(board, collections, table, nodes, children, packed, scratch, control, limit):
    """Go on with the search on the stack until it is done or ``limit`` positions more are visited."""
    ply, positions, result, entering = (
        control.ply,
        control.positions,
        control.result,
        control.entering,
    )
    limit += positions
    shift = control.shift
    mask = (ONE << shift) - ONE
    while positions < limit:
        node = nodes[ply]
        finished = False
        if entering:
            # 1. A position already known well enough answers its question at once.
            positions += 1
            node.began = positions
            if (node.horizontal | node.vertical) != ZERO:
                lower, upper = look_up(table[node.hash >> shift], node.hash & mask, node.boxes)
                node.lower, node.upper = max(node.lower, lower), min(node.upper, upper)
            if node.lower >= node.gamma or node.upper < node.gamma:
                result = node.lower if node.lower >= node.gamma else node.upper
                if ply == 0:
                    control.done = True
                    break
                ply -= 1
                entering = False
                continue
            # 2. Otherwise its moves are tried, one after the other.
            node.best = -node.boxes
            pack_images(board, node.horizontal, node.vertical, packed[ply])
            node.count = list_moves(board, collections, node, children[ply])
            node.cursor = node.met = 0
        else:
            # 3. A child's answer bounds its V.
            child = children[ply, node.cursor]
            if result >= nodes[ply + 1].gamma:
                child.lower = max(child.lower, result)
            else:
                child.upper = min(child.upper, result)
        # 4. Ask the next child that may still be good enough. The first moves are often good
        #    enough, so that no work is spent on the others.
        asked = False
        while not finished and node.cursor < node.count:
            if node.cursor == node.met:
                last = node.cursor + 1 if node.cursor < ONE_BY_ONE else node.count
                control.touched = meet(
                    board,
                    collections,
                    table,
                    shift,
                    node,
                    packed[ply],
                    scratch,
                    children[ply],
                    last,
                )
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
        remember(
            table[node.hash >> shift], node.hash & mask, node.boxes, node.lower, node.upper, effort
        )
        result = node.lower if finished else node.upper
        if ply == 0:
            control.done = True
            break
        ply -= 1
        entering = False
    control.ply, control.positions, control.result, control.entering = (
        ply,
        positions,
        result,
        entering,
    )
