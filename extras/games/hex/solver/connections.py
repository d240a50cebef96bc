"""Virtual connections of one side: H-search.

A full connection joins two ends even if the opponent moves first, a semi connection if the side
moves first. Ends are the side's chains of stones, its two edges and single free cells. The carrier
is the set of free cells that a connection needs. Two rules build larger connections:

- And: full connections from x to m and from m to y with disjoint carriers are a full connection
  from x to y if m is a chain, a semi connection if m is a free cell.
- Or: semi connections from x to y without a cell common to all carriers are a full connection.

Source: Anshelevich, "A hierarchical approach to computer Hex", Artificial Intelligence 134, 2002.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....envs.compiled.bits import count_bits, lowest_bit_index
from .....envs.compiled.kernels import inner_kernel, kernel
from .board import BIT, ONE, ZERO, HexBoard, neighbours_of

MOST_FULL, MOST_SEMI = 8, 24  # carriers for two ends; the edges have more semi connections
MOST_EDGE_SEMI = 256
MOST_STEPS = 1 << 14
JOINED, FULL, SEMI, NOTHING = 3, 2, 1, 0


class Net(NamedTuple):
    """The connections of one side. Ends are cells (the lowest cell of a chain) and the two edges.

    Attributes:
        chain: bool (ends,): whether an end is a chain or an edge, not a free cell.
        links: int64 (ends, ends): the ends to which each end has full connections.
        full: uint64 (ends, ends, MOST_FULL): their carriers, the same in both directions.
        semi: uint64 (ends, ends, MOST_SEMI): carriers of semi connections, lower end first.
        link_counts, full_counts, semi_counts: the numbers of entries.
        edge_semi: uint64 (MOST_EDGE_SEMI,): carriers of semi connections between the edges.
        edge_key: int64: the cell to play for each of them.
        steps: int64 (MOST_STEPS, 2), step_carriers: the queue of full connections to extend.
        counts: int64 (2,): the lengths of edge_semi and of steps.
    """

    chain: Any
    links: Any
    link_counts: Any
    full: Any
    full_counts: Any
    semi: Any
    semi_counts: Any
    edge_semi: Any
    edge_key: Any
    steps: Any
    step_carriers: Any
    counts: Any


def new_net(board: HexBoard) -> Net:
    """Empty arrays for the connections of one side."""
    ends = board.cells + 2
    return Net(
        np.zeros(ends, np.bool_),
        np.zeros((ends, ends), np.int64),
        np.zeros(ends, np.int64),
        np.zeros((ends, ends, MOST_FULL), np.uint64),
        np.zeros((ends, ends), np.int64),
        np.zeros((ends, ends, MOST_SEMI), np.uint64),
        np.zeros((ends, ends), np.int64),
        np.zeros(MOST_EDGE_SEMI, np.uint64),
        np.zeros(MOST_EDGE_SEMI, np.int64),
        np.zeros((MOST_STEPS, 2), np.int64),
        np.zeros(MOST_STEPS, np.uint64),
        np.zeros(2, np.int64),
    )


@inner_kernel
def _chain_of(board, own, seed):
    """All stones connected with a set of stones."""
    chain = seed
    while True:
        more = neighbours_of(board, seed) & own & ~chain
        if more == ZERO:
            return chain
        chain |= more
        seed = more


@inner_kernel
def _add_full(net, x, y, carrier):
    """Add a full connection unless a smaller carrier is known."""
    count, size = net.full_counts[x, y], 0
    for i in range(count):
        other = net.full[x, y, i]
        if other & ~carrier == ZERO:
            return
        if carrier & ~other != ZERO:
            net.full[x, y, size] = net.full[y, x, size] = other
            size += 1
    if size < MOST_FULL and net.counts[1] < MOST_STEPS:
        if count == 0:
            net.links[x, net.link_counts[x]] = y
            net.links[y, net.link_counts[y]] = x
            net.link_counts[x] += 1
            net.link_counts[y] += 1
        net.full[x, y, size] = net.full[y, x, size] = carrier
        size += 1
        step = net.counts[1]
        net.steps[step, 0], net.steps[step, 1] = x, y
        net.step_carriers[step] = carrier
        net.counts[1] = step + 1
    net.full_counts[x, y] = net.full_counts[y, x] = size


@inner_kernel
def _union_without_common_cell(carriers, count, carrier):
    """The union of carriers without a common cell, one of them given; all bits if there is none."""
    common = union = carrier
    while common != ZERO:
        best, least, smallest = -1, count_bits(common), 0
        for i in range(count):
            left = count_bits(common & carriers[i])
            size = count_bits(union | carriers[i])
            if left < least or (left == least and best >= 0 and size < smallest):
                best, least, smallest = i, left, size
        if best < 0:
            return ~ZERO
        common &= carriers[best]
        union |= carriers[best]
    return union


@inner_kernel
def _add_semi(net, edge, x, y, carrier, key):
    """Add a semi connection, and full connections by the or rule."""
    if x > y:
        x, y = y, x
    for i in range(net.full_counts[x, y]):
        if net.full[x, y, i] & ~carrier == ZERO:
            return
    at_edges = x == edge
    carriers = net.edge_semi if at_edges else net.semi[x, y]
    most = MOST_EDGE_SEMI if at_edges else MOST_SEMI
    count = net.counts[0] if at_edges else net.semi_counts[x, y]
    size = 0
    for i in range(count):
        other = carriers[i]
        if other & ~carrier == ZERO:
            return
        if carrier & ~other != ZERO:
            carriers[size] = other
            if at_edges:
                net.edge_key[size] = net.edge_key[i]
            size += 1
    if size < most:
        for i in range(size):
            if carriers[i] & carrier == ZERO:
                _add_full(net, x, y, carriers[i] | carrier)
        union = _union_without_common_cell(carriers, size, carrier)
        if union != ~ZERO:
            _add_full(net, x, y, union)
        carriers[size] = carrier
        if at_edges:
            net.edge_key[size] = key
        size += 1
    if at_edges:
        net.counts[0] = size
    else:
        net.semi_counts[x, y] = size


@kernel
def connect(board, net, own, other, side, enough):
    """Find the connections of a side until its edges have a connection of the kind ``enough``.

    Returns JOINED if stones connect the edges, else the best connection found between them.
    """
    chain, links, full, counts = net.chain, net.links, net.full, net.counts
    link_counts, full_counts, semi_counts = net.link_counts, net.full_counts, net.semi_counts
    steps, carriers = net.steps, net.step_carriers
    edge = board.cells
    ends = edge + 2
    free = board.all_cells & ~(own | other)
    for x in range(ends):
        chain[x] = False
        link_counts[x] = 0
        for y in range(ends):
            full_counts[x, y] = semi_counts[x, y] = 0
    counts[:] = 0
    # 1. Connect edges, chains and free cells with the adjacent free cells.
    left = own
    for number in range(2):
        seed = own & board.edges[side, number]
        stones = _chain_of(board, own, seed)
        if stones & board.edges[side, 1 - number] != ZERO:
            return JOINED
        left &= ~stones
        chain[edge + number] = True
        near = (neighbours_of(board, stones) | board.edges[side, number]) & free
        while near != ZERO:
            _add_full(net, lowest_bit_index(near), edge + number, ZERO)
            near &= near - ONE
    while left != ZERO:
        x = lowest_bit_index(left)
        stones = _chain_of(board, own, BIT[x])
        left &= ~stones
        chain[x] = True
        near = neighbours_of(board, stones) & free
        while near != ZERO:
            _add_full(net, x, lowest_bit_index(near), ZERO)
            near &= near - ONE
    cells = free
    while cells != ZERO:
        x = lowest_bit_index(cells)
        cells &= cells - ONE
        near = board.beside[x] & cells
        while near != ZERO:
            _add_full(net, x, lowest_bit_index(near), ZERO)
            near &= near - ONE
    # 2. Extend each full connection at both ends; an edge need not be a middle end.
    step = 0
    while step < counts[1]:
        carrier = carriers[step]
        for turn in range(2):
            x, middle = steps[step, turn], steps[step, 1 - turn]
            if middle >= edge:
                continue
            x_bit = BIT[x] if x < edge and not chain[x] else ZERO
            used = carrier | x_bit
            if not chain[middle]:
                used |= BIT[middle]
            for link in range(link_counts[middle]):
                y = links[middle, link]
                if y == x:
                    continue
                if y < edge and not chain[y] and carrier & BIT[y] != ZERO:
                    continue
                for i in range(full_counts[middle, y]):
                    beyond = full[middle, y, i]
                    if beyond & used == ZERO:
                        if chain[middle]:
                            _add_full(net, x, y, carrier | beyond)
                        else:
                            union = carrier | beyond | BIT[middle]
                            _add_semi(net, edge, x, y, union, middle)
        if full_counts[edge, edge + 1] > 0:
            return FULL
        if enough == SEMI and counts[0] > 0:
            return SEMI
        step += 1
    return SEMI if counts[0] > 0 else NOTHING
