"""Nodes of the dots-and-boxes search: quiet positions, and the moves that lead from one to another.

A position is quiet if no box can be captured. A node holds two sets of free edges and the number of
a collection (:mod:`.chains`) of independent chains and loops, which are taken off the board.

A move is one number: the bit of a safe edge (64 more if it is vertical), ``OPENING`` plus the bit
of a box of the chain to open, or ``COLLECTION`` plus a group of the collection to open.
"""

from __future__ import annotations

import numpy as np

from ....envs.compiled.bits import count_bits, lowest_bit_index
from ....envs.compiled.kernels import inner_kernel
from ....envs.compiled.randomness import MIX_1, SHIFT_32
from .board import (
    NO_EDGE,
    ONE,
    ZERO,
    canonical_without,
    draw_around,
    independent,
    is_loop,
    open_boxes,
    pack_images,
    spread,
    valences,
)
from .chains import AFTER_ADDING, AFTER_OPENING, BOXES, GROUPS, VALUE, kind_of, spare_boxes

HASH_MULTIPLIER = np.uint64(0x9FB21C651E98DF25)
NO_LINKS = ZERO
OPENING, COLLECTION = 128, 192

# A node is first a child of another; the fields from `gamma` on are used when it is searched.
NODE = np.dtype(
    [
        ("horizontal", np.uint64),  # the free edges
        ("vertical", np.uint64),
        ("hash", np.uint64),
        ("code", np.int64),  # the number of the collection
        ("boxes", np.int64),  # that are not completed yet
        ("lower", np.int64),  # bounds on V
        ("upper", np.int64),
        ("move", np.int64),  # the move that leads here
        ("captured", np.int64),  # boxes that the opponent captures after that move
        ("spare", np.int64),  # the number of them that the opponent may leave instead
        ("gamma", np.int64),  # the null window: is V at least gamma?
        ("count", np.int64),  # children
        ("filled", np.int64),  # children that have been filled in
        ("cursor", np.int64),  # the child to be searched next
        ("best", np.int64),  # an upper bound on the children refuted so far
        ("began", np.int64),  # positions visited before this one
    ],
    align=True,
)


@inner_kernel
def complete_node(board, collections, node, scratch, links_before):
    """Complete a node whose free edges and collection are set.

    Its independent chains and loops move into the collection, and the number of boxes bounds V. V
    is exact if only a collection is left. ``links_before`` are boxes known to be connected to
    joints, or that must not go into the collection. ``scratch`` is overwritten.
    """
    _collect_chains(board, collections, node, links_before)
    collection_boxes = np.int64(collections[node.code, BOXES])
    _bound_by_boxes(
        node, count_bits(open_boxes(board, node.horizontal, node.vertical)) + collection_boxes
    )
    if is_leaf(node):
        node.lower = node.upper = np.int64(collections[node.code, VALUE])
    else:
        pack_images(board, node.horizontal, node.vertical, scratch)
        node.hash = position_hash(board, canonical_without(board, scratch, NO_EDGE), node.code)


@inner_kernel
def is_leaf(node):
    """Whether only a collection is left."""
    return (node.horizontal | node.vertical) == ZERO


@inner_kernel
def _bound_by_boxes(node, boxes):
    """Set the number of boxes that are not completed, and the bounds from it."""
    node.boxes, node.lower, node.upper = boxes, -boxes, boxes


@inner_kernel
def position_hash(board, packed, code):
    """A one-to-one function of a packed set of edges and a collection.

    Multiplications by odd numbers and xor-shifts are invertible.
    """
    x = packed
    if code > 0:
        x |= np.uint64(code) << board.edges
    x *= MIX_1
    x ^= x >> SHIFT_32
    x *= HASH_MULTIPLIER
    return x ^ (x >> SHIFT_32)


@inner_kernel
def _collect_chains(board, collections, node, links_before):
    """Move the independent chains and loops of a node from the board into its collection.

    Only boxes of valence 2 that are not among ``links_before`` are examined. Returns the boxes of
    valence 2 before the move.
    """
    _, links, joints = valences(board, node.horizontal, node.vertical)
    unseen = links & ~links_before
    while unseen != ZERO:
        seed = unseen & (~unseen + ONE)
        part = independent(board, node.horizontal, node.vertical, seed, links, joints)
        unseen &= ~(part | seed)
        if part != ZERO:
            loop = is_loop(board, node.horizontal, node.vertical, part)
            kind = kind_of(count_bits(part), loop, count_bits(board.boxes))
            more = np.int64(collections[node.code, AFTER_ADDING + kind])
            if more >= 0:
                node.code = more
                node.horizontal, node.vertical = draw_around(
                    board, node.horizontal, node.vertical, part
                )
    return links


@inner_kernel
def list_moves(board, collections, node, children):
    """Write the moves of a node that may reach ``gamma`` into ``children``; returns their number.

    Safe moves come first, in the board's order.
    """
    count = _list_safe_moves(board, node, children)
    _, links, _ = valences(board, node.horizontal, node.vertical)
    while links != ZERO:
        seed = links & (~links + ONE)
        part = spread(board, node.horizontal, node.vertical, seed, links)
        links &= ~part
        length = count_bits(part)
        spare = spare_boxes(length, is_loop(board, node.horizontal, node.vertical, part))
        move = OPENING + lowest_bit_index(seed)
        count += _list_opening(
            node, children[count], move, _best_opening(length, spare, node.boxes)
        )
    for group in range(GROUPS):
        rest = np.int64(collections[node.code, AFTER_OPENING + group])
        if rest >= 0:
            length = np.int64(collections[node.code, BOXES]) - np.int64(collections[rest, BOXES])
            most = _best_opening(length, _spare_boxes_of_group(group), node.boxes)
            count += _list_opening(node, children[count], COLLECTION + group, most)
    return count


@inner_kernel
def _list_safe_moves(board, node, children):
    """Write the safe moves of a node into ``children`` in board order; returns their number."""
    _, links, _ = valences(board, node.horizontal, node.vertical)
    safe_horizontal = node.horizontal & ~(links | (links << board.stride))
    safe_vertical = node.vertical & ~(links | (links << ONE))
    count = 0
    for i in range(np.int64(board.edges)):
        edge = board.order[i]
        safe = safe_horizontal if edge < 64 else safe_vertical
        if (safe >> np.uint64(edge & 63)) & ONE != ZERO:
            children[count].move = edge
            count += 1
    return count


@inner_kernel
def _list_opening(node, child, move, most):
    """Write an opening of value at most ``most`` into ``child``; 0 if that is not enough."""
    if most < node.gamma:
        node.best = max(node.best, most)
        return 0
    child.move = move
    return 1


@inner_kernel
def _best_opening(captured, spare, boxes):
    """The greatest value of opening a chain or loop in a position of this many boxes."""
    return boxes - 2 * captured if spare == 0 else spare - captured - ((boxes - captured) & 1)


@inner_kernel
def _spare_boxes_of_group(group):
    """The boxes of a chain or loop of a group that the opponent may leave; see :mod:`.chains`."""
    return 2 * group


@inner_kernel
def fill_child(board, collections, node, packed, scratch, child):
    """Set ``child`` to the position after its move; ``packed`` holds the images of ``node``."""
    child.horizontal, child.vertical, child.code = node.horizontal, node.vertical, node.code
    child.captured = child.spare = 0
    _, links, _ = valences(board, node.horizontal, node.vertical)
    if child.move >= COLLECTION:
        group = child.move - COLLECTION
        child.code = np.int64(collections[node.code, AFTER_OPENING + group])
        child.captured = np.int64(collections[node.code, BOXES]) - np.int64(
            collections[child.code, BOXES]
        )
        child.spare = _spare_boxes_of_group(group)
        complete_node(board, collections, child, scratch, links)
    elif child.move >= OPENING:
        box = ONE << np.uint64(child.move - OPENING)
        part = spread(board, node.horizontal, node.vertical, box, links)
        loop = is_loop(board, node.horizontal, node.vertical, part)
        child.spare = spare_boxes(count_bits(part), loop)
        _open_chain(board, child, part)
        complete_node(board, collections, child, scratch, links)
    else:
        draw(child, child.move)
        links_after = _collect_chains(board, collections, child, links)
        if child.code != node.code:
            complete_node(board, collections, child, scratch, links_after)
        else:
            _bound_by_boxes(child, node.boxes)
            image = canonical_without(board, packed, child.move)
            child.hash = position_hash(board, image, child.code)


@inner_kernel
def draw(node, edge):
    """Draw an edge, given by its bit (plus 64 if it is vertical)."""
    if edge < 64:
        node.horizontal &= ~(ONE << np.uint64(edge))
    else:
        node.vertical &= ~(ONE << np.uint64(edge - 64))


@inner_kernel
def _open_chain(board, node, part):
    """Draw all edges that are drawn once a chain or loop is opened, and count the captured boxes.

    If both ends of a chain meet one joint of valence 3, that joint can be captured in turn, and the
    chain on its third edge.
    """
    node.captured = count_bits(part)
    while part != ZERO:
        node.horizontal, node.vertical = draw_around(board, node.horizontal, node.vertical, part)
        part, _, _ = valences(board, node.horizontal, node.vertical)
        node.captured += count_bits(part)


@inner_kernel
def margin_bounds(child):
    """The bounds on the margin of the move that leads to ``child``."""
    if child.spare == 0:
        return -(child.captured + child.upper), -(child.captured + child.lower)
    low, high = child.lower + child.spare, child.upper + child.spare
    nearest = child.boxes & 1 if low <= 0 <= high else min(abs(low), abs(high))
    base = child.captured - child.spare
    return -(base + max(abs(low), abs(high))), -(base + nearest)


@inner_kernel
def child_gamma(child, gamma):
    """The number to compare V of ``child`` with to decide whether its move reaches ``gamma``."""
    if child.spare == 0:
        window = -gamma - child.captured + 1
    else:
        reach = -gamma - child.captured + child.spare  # |V + spare| must not be larger
        window = (
            -reach - child.spare if child.lower < -reach - child.spare else reach - child.spare + 1
        )
    # V is odd if and only if the number of boxes is.
    return window + ((window ^ child.boxes) & 1)
