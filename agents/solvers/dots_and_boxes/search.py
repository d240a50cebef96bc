"""The search of the dots-and-boxes solver, on an explicit stack of quiet positions.

V, the margin of the rest of the game for the player to move, is

    V(P) = max over the moves of P of −(captured − s + |V(R) + s|), or −(captured + V(R)) if s = 0.

A safe move, one that makes no box capturable, captures nothing: −V(R). Every other move opens a
chain or loop. R is the position after the opponent's captures, s the number of boxes that the
opponent may leave to keep the move.

Every node has a null window: is V(P) at least ``gamma``? Two-sided bounds on V decide it. They
come from a table, from the children, and from the number of boxes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import inner_kernel
from ..parallel import Paths, enter, is_busy, lone_record
from ..prefetch import prefetch
from .board import SCRATCH, pack_images
from .nodes import NODE, child_gamma, fill_child, is_leaf, list_moves, margin_bounds
from .table import bucket_of, probe, store

ONE_BY_ONE = 2  # children tried before the others are looked up in the table
LEAST_FREE = 22  # free edges of a position whose search is worth sharing between threads
CATCH_UP_NODES = 1 << 12  # between two looks at what other threads have proved

STATE = np.dtype(
    [
        ("ply", np.int64),
        ("nodes", np.int64),  # positions visited
        ("result", np.int64),  # the answer of the latest node: a bound on its V
        ("entering", np.bool_),  # whether the node at this ply is new
    ],
    align=True,
)


class DotsAndBoxesStack(NamedTuple):
    """The plies of a search.

    Attributes:
        nodes: NODE (plies,).
        children: NODE (plies, moves).
        packed: SCRATCH (plies,): the packed images of each node.
        scratch: SCRATCH record for other images.
        state: one STATE record.
        paths: where the threads are.
    """

    nodes: Any
    children: Any
    packed: Any
    scratch: Any
    state: Any
    paths: Paths


def new_stack(edges: int, paths: Paths) -> DotsAndBoxesStack:
    """A stack for searches on a board of this many edges."""
    plies = edges + 2
    return DotsAndBoxesStack(
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros((plies, edges + 4), NODE).view(np.recarray),
        np.zeros(plies, SCRATCH).view(np.recarray),
        lone_record(SCRATCH),
        lone_record(STATE),
        paths,
    )


def begin(stack: DotsAndBoxesStack, gamma: int) -> None:
    """Set the question for the root: is its V at least ``gamma``?"""
    root, state = stack.nodes[0], stack.state
    root.gamma, root.count, root.cursor = gamma, 0, 0
    state.ply, state.nodes, state.entering = 0, 0, True


@inner_kernel
def search(board, collections, table, stack, positions_allowed):
    """Continue for a limited number of positions; returns whether the search is complete.

    ``state.result`` is then a lower bound on the root's V if V is at least ``gamma``, else an upper
    bound.
    """
    state = stack.state
    if free_edges(stack.nodes[0]) < stack.paths.least_free:
        return _search_alone(board, collections, table, stack, positions_allowed)
    limit = state.nodes + positions_allowed
    complete = False
    while state.nodes < limit and not complete:
        complete = catch_up(table, stack)
        if not complete:
            portion = min(limit - state.nodes, CATCH_UP_NODES)
            complete = _search_alone(board, collections, table, stack, portion)
    return complete


@inner_kernel
def free_edges(node):
    """The free edges of a position, without those of its collection."""
    return count_bits(node.horizontal) + count_bits(node.vertical)


@inner_kernel
def catch_up(table, stack):
    """Return to the first node that other threads have decided; True if that is the root."""
    state = stack.state
    for ply in range(state.ply if state.entering else state.ply + 1):
        node = stack.nodes[ply]
        look_up(table, node)
        if not node.upper >= node.gamma > node.lower:
            state.result = node.lower if node.lower >= node.gamma else node.upper
            state.ply, state.entering = ply - 1, False
            return ply == 0
    return False


@inner_kernel
def _search_alone(board, collections, table, stack, positions_allowed):
    """Continue as :func:`search` does, without checking other threads' results on the way."""
    nodes, children, packed, _, state, _ = stack
    ply, positions, result, entering = state.ply, state.nodes, state.result, state.entering
    limit = positions + positions_allowed
    complete = False
    while positions < limit and not complete:
        node = nodes[ply]
        # 1. A new position whose bounds decide its window is not searched.
        if entering:
            positions += 1
            node.began = positions
            look_up(table, node)
        else:
            child = children[ply, node.cursor]  # its search has bounded its V
            if result >= nodes[ply + 1].gamma:
                child.lower = max(child.lower, result)
            else:
                child.upper = min(child.upper, result)
        if not entering or node.upper >= node.gamma > node.lower:
            # 2. Otherwise its moves are tried in turn.
            if entering:
                node.best = -node.boxes
                pack_images(board, node.horizontal, node.vertical, packed[ply])
                node.count = list_moves(board, collections, node, children[ply])
                node.cursor = node.filled = 0
            if _find_child_to_search(board, collections, table, stack, ply):
                ply += 1
                child = nodes[ply]
                nodes[ply] = children[ply - 1, node.cursor]
                child.gamma = child_gamma(child, node.gamma)
                child.count = child.cursor = 0
                entering = True
                continue
            store(table, node.hash, node.boxes, node.lower, node.upper, positions - node.began)
        # 3. The answer goes to the parent.
        result = node.lower if node.lower >= node.gamma else node.upper
        if ply == 0:
            complete = True
        else:
            ply -= 1
            entering = False
    state.ply, state.nodes, state.result, state.entering = ply, positions, result, entering
    return complete


@inner_kernel
def look_up(table, node):
    """Narrow the bounds of a node by the table."""
    if not is_leaf(node):
        lower, upper = probe(table, node.hash, node.boxes)
        node.lower, node.upper = max(node.lower, lower), min(node.upper, upper)


@inner_kernel
def _find_child_to_search(board, collections, table, stack, ply):
    """Move the cursor to the next child that may be good enough; False if the bounds on V suffice.

    The first children are often good enough, so they are tried before the others are filled in.
    """
    node, children = stack.nodes[ply], stack.children[ply]
    sharing = free_edges(node) > stack.paths.least_free
    while node.cursor < node.count:
        if node.cursor == node.filled:
            last = node.cursor + 1 if node.cursor < ONE_BY_ONE else node.count
            _fill_children(board, collections, table, stack, ply, last)
        if sharing:
            _prefer_child_of_nobody(table, stack, ply)
        worst, most = margin_bounds(children[node.cursor])
        if worst >= node.gamma:
            node.lower = worst
            return False
        if most >= node.gamma:
            if sharing:
                enter(stack.paths, children[node.cursor].hash, free_edges(children[node.cursor]))
            return True
        node.best = max(node.best, most)
        node.cursor += 1
    # No child is good enough: the best of them bounds V from above.
    node.upper = min(node.upper, node.best)
    return False


@inner_kernel
def _prefer_child_of_nobody(table, stack, ply):
    """If another thread searches the child at the cursor, swap in one that no thread searches.

    First the child is looked up again, since it may be decided meanwhile.
    """
    node, children = stack.nodes[ply], stack.children[ply]
    for i in range(node.cursor, node.filled):
        child = children[i]
        look_up(table, child)
        worst, most = margin_bounds(child)
        is_decided = worst >= node.gamma or most < node.gamma
        if is_decided and i > node.cursor:
            continue
        if is_decided or not is_busy(stack.paths, child.hash, free_edges(child)):
            if i > node.cursor:
                stack.nodes[ply + 1] = children[node.cursor]
                children[node.cursor] = child
                children[i] = stack.nodes[ply + 1]
            break


@inner_kernel
def _fill_children(board, collections, table, stack, ply, last):
    """Fill in the children of a node up to number ``last`` and bound them from the table.

    If one is good enough, the cursor moves to it. The table entries of all of them are prefetched
    together, before the first is read.
    """
    node, children = stack.nodes[ply], stack.children[ply]
    for i in range(node.filled, last):
        fill_child(board, collections, node, stack.packed[ply], stack.scratch, children[i])
        prefetch(table.buckets, bucket_of(table, children[i].hash))
    for i in range(node.filled, last):
        look_up(table, children[i])
        if margin_bounds(children[i])[0] >= node.gamma:
            node.cursor = i
    node.filled = last
