"""The search of the Hex solver: depth-first proof-number search with carriers.

The proof number ``phi`` of a position is the least number of positions to prove for a win of the
side to move; ``delta`` is the same for a loss. The search follows the most-proving child until
another child is clearly better.

The opponent's proof of a child has a carrier: the free cells that the win needs. A move outside the
carrier loses too, and so does a move outside a semi connection between the opponent's edges. The
mover must play in the cells common to all of them, the region. If the region is empty, the mover
has lost, and the union of the carriers is the carrier of the opponent's win.

Sources: Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002; Pawlewicz,
Lew, "Improving depth-first PN-search: 1 + ε trick", 2006; Hayward, Björnsson, Johanson, Kan, Po,
van Rijswijck, "Solving 7×7 Hex with domination, fill-in, and virtual connections", 2005; Arneson,
Hayward, Henderson, "Solving Hex: beyond humans", 2010.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....envs.compiled.bits import count_bits, lowest_bit_index
from .....envs.compiled.kernels import inner_kernel, kernel
from .board import BIT, DEAD, ONE, PLACE, ZERO, HexBoard, code_of, fill
from .connections import FULL, JOINED, SEMI, connect
from .table import UNKNOWN, half_turn, key_of, probe, store

ENTER, LOOK, LEAVE, FINISH = range(4)  # what to do next at the current ply
PROVED = 1 << 30  # infinity: the proof number of a disproved result
NO_CELL = -1

NODE = np.dtype(
    [
        ("first", np.uint64),  # the stones of player 0 and of player 1
        ("second", np.uint64),
        ("mover", np.int64),
        ("phi_limit", np.int64),  # the search of this node ends when a proof number reaches it
        ("delta_limit", np.int64),
        ("phi", np.int64),
        ("delta", np.int64),
        ("region", np.uint64),
        ("carrier", np.uint64),
        ("inferior", np.uint64),
        ("killers", np.uint64),
        ("count", np.int64),  # number of children
        ("child", np.int64),
        ("start", np.int64),  # node count at the start
    ],
    align=True,
)

CHILD = np.dtype(
    [
        ("cell", np.int64),
        ("first", np.uint64),
        ("second", np.uint64),
        ("own_captures", np.uint64),  # of the parent's mover
        ("captures", np.uint64),  # of the opponent
        ("phi", np.int64),  # for the child's mover
        ("delta", np.int64),
        ("carrier", np.uint64),  # the winner's, once solved
    ],
    align=True,
)

STATE = np.dtype(
    [("ply", np.int64), ("step", np.int64), ("nodes", np.int64), ("action", np.int64)], align=True
)


class HexStack(NamedTuple):
    """The plies of a search.

    Attributes:
        nodes: NODE (plies,).
        children: CHILD (plies, cells).
        state: one STATE record.
    """

    nodes: Any
    children: Any
    state: Any


def new_stack(board: HexBoard) -> HexStack:
    """A stack for every position of a board."""
    plies = board.cells + 2
    return HexStack(
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros((plies, board.cells), CHILD).view(np.recarray),
        np.zeros(1, STATE).view(np.recarray)[0],
    )


@kernel
def begin(board, stack, first, second, mover):
    """Prepare the stack for the search of one position."""
    root, state = stack.nodes[0], stack.state
    first, second, captures_1, captures_2 = fill(board, first, second, board.all_cells)
    root.first, root.second, root.mover = first, second, mover
    root.phi_limit = root.delta_limit = PROVED
    state.ply = state.nodes = 0
    state.step = ENTER
    captures = captures_1 if mover == 0 else captures_2
    state.action = lowest_bit_index(captures) if captures != ZERO else NO_CELL


@inner_kernel
def evaluate(board, own_net, opponent_net, node):
    """Set the proof numbers, region and carrier of a node by the connections of both sides.

    Returns the winning cell of a semi connection, or NO_CELL.
    """
    mover = node.mover
    own, other = node.first, node.second
    if mover == 1:
        own, other = other, own
    edge, free = board.cells, board.all_cells & ~(own | other)
    node.phi, node.delta, node.carrier = 0, PROVED, ZERO
    best = connect(board, own_net, own, other, mover, SEMI)
    if best == JOINED:
        node.region = ZERO
        return NO_CELL
    if best == FULL:
        node.region = own_net.full[edge, edge + 1, 0]
        return lowest_bit_index(node.region)
    if best == SEMI:
        node.region = own_net.edge_semi[0]
        return own_net.edge_key[0]
    best = connect(board, opponent_net, other, own, 1 - mover, FULL)
    if best in (JOINED, FULL):
        node.phi, node.delta = PROVED, 0
        node.region = ZERO if best == JOINED else opponent_net.full[edge, edge + 1, 0]
        return NO_CELL
    node.region = free
    for i in range(opponent_net.counts[0]):
        carrier = opponent_net.edge_semi[i]
        if node.region & ~carrier != ZERO:
            node.region &= carrier
            node.carrier |= carrier
    node.phi, node.delta = 1, count_bits(node.region)
    if node.region == ZERO:
        node.phi, node.region = PROVED, node.carrier
    return NO_CELL


@inner_kernel
def prune(board, node):
    """Find inferior moves: the opponent has an answer that makes them dead.

    This answer, the killer, gains the opponent a stone, so playing on the killer cell is no worse.
    Killers are not inferior.
    """
    free = board.all_cells & ~(node.first | node.second)
    answer = 2 if node.mover == 0 else 1
    node.inferior = node.killers = ZERO
    left = node.region
    while left != ZERO:
        cell = lowest_bit_index(left)
        left &= left - ONE
        if node.killers & BIT[cell] != ZERO:
            continue
        code = code_of(board, node.first, node.second, cell)
        for number in range(6):
            other = board.around[cell, number]
            if other >= 0 and free & ~node.inferior & BIT[other] != ZERO:
                if DEAD[code + answer * PLACE[number]]:
                    node.inferior |= BIT[cell]
                    node.killers |= BIT[other]
                    break


@inner_kernel
def _make_children(board, node, children):
    """The positions after the moves in the region, with their dead and captured cells filled."""
    node.count = 0
    left = node.region & ~node.inferior
    while left != ZERO:
        cell = lowest_bit_index(left)
        left &= left - ONE
        child = children[node.count]
        node.count += 1
        child.cell = cell
        first, second = node.first, node.second
        if node.mover == 0:
            first |= BIT[cell]
        else:
            second |= BIT[cell]
        first, second, captures_1, captures_2 = fill(board, first, second, board.beside[cell])
        child.first, child.second = first, second
        child.own_captures = captures_1 if node.mover == 0 else captures_2
        child.captures = captures_2 if node.mover == 0 else captures_1
        child.phi = child.delta = 1


@inner_kernel
def look_up(board, table, node, children):
    """Read the table's entries of the unsolved children."""
    for i in range(node.count):
        child = children[i]
        if child.phi != 0 and child.delta != 0 and node.region & BIT[child.cell] != ZERO:
            key = key_of(table, board.cells, child.first, child.second, 1 - node.mover)
            index = probe(table, key, 1 - node.mover)
            if index != UNKNOWN:
                entry = table[index]
                child.phi, child.delta = np.int64(entry.phi), np.int64(entry.delta)
                carrier = np.uint64(entry.region)
                child.carrier = half_turn(board.cells, carrier) if key.flip else carrier


@inner_kernel
def _sum_up(node, children):
    """Set a node's proof numbers by its children; returns the best child, the second-best delta.

    The region of a solved node is the winner's carrier.
    """
    for i in range(node.count):
        child = children[i]
        if child.delta == 0:
            node.phi, node.delta = 0, PROVED
            node.region = BIT[child.cell] | child.carrier | child.own_captures
            return i, PROVED
        if child.phi == 0 and node.region & BIT[child.cell] != ZERO:
            carrier = child.carrier | child.captures
            node.region &= carrier
            node.carrier |= carrier
    best, second = NO_CELL, PROVED
    node.phi, node.delta = PROVED, 0
    for i in range(node.count):
        child = children[i]
        if node.region & BIT[child.cell] != ZERO:
            node.delta = min(node.delta + child.phi, PROVED - 1)
            if child.delta < node.phi:
                second, node.phi, best = node.phi, child.delta, i
            elif child.delta < second:
                second = child.delta
    if best == NO_CELL:
        if node.region != ZERO:  # only inferior moves remain: the opponent needs their killers
            node.carrier |= node.killers
        node.region = node.carrier
    return best, second


@kernel
def run(board, table, stack, own_net, opponent_net, nodes_allowed):
    """Continue the search for ``nodes_allowed`` nodes; whether it is complete.

    The root's proof numbers then give the winner, and ``state.action`` a winning move.
    """
    nodes, children, state = stack
    ply, step, node_count = state.ply, state.step, state.nodes
    limit = node_count + nodes_allowed
    while step != FINISH:
        node = nodes[ply]
        if step == ENTER:
            if node_count >= limit:
                break
            node.start = node_count
            key = key_of(table, board.cells, node.first, node.second, node.mover)
            index = probe(table, key, node.mover)
            if index != UNKNOWN:
                entry = table[index]
                node.phi, node.delta = np.int64(entry.phi), np.int64(entry.delta)
                node.region, node.carrier = np.uint64(entry.region), np.uint64(entry.carrier)
                if key.flip:
                    node.region = half_turn(board.cells, node.region)
                    node.carrier = half_turn(board.cells, node.carrier)
            if index == UNKNOWN or (ply == 0 and node.phi == 0):
                node_count += 1
                cell = evaluate(board, own_net, opponent_net, node)
                if ply == 0 and cell != NO_CELL:
                    state.action = cell
            if node.phi >= node.phi_limit or node.delta >= node.delta_limit:
                step = LEAVE
            else:
                prune(board, node)
                _make_children(board, node, children[ply])
                step = LOOK
        elif step == LOOK:
            look_up(board, table, node, children[ply])
            best, second = _sum_up(node, children[ply])
            if node.phi >= node.phi_limit or node.delta >= node.delta_limit:
                if ply == 0 and node.phi == 0:
                    state.action = children[ply, best].cell
                step = LEAVE
            else:
                node.child = best
                child, below = children[ply, best], nodes[ply + 1]
                below.first, below.second, below.mover = child.first, child.second, 1 - node.mover
                below.phi_limit = node.delta_limit - node.delta + child.phi
                # a quarter more than the second-best, so that the search switches less often
                below.delta_limit = min(node.phi_limit, second + second // 4 + 1)
                ply += 1
                step = ENTER
        else:
            key = key_of(table, board.cells, node.first, node.second, node.mover)
            store(
                table, board.cells, key, node.mover, node.phi, node.delta, node.region,
                node.carrier, node_count - node.start,
            )  # fmt: skip
            if ply == 0:
                step = FINISH
            else:
                ply -= 1
                child = children[ply, nodes[ply].child]
                child.phi, child.delta, child.carrier = node.phi, node.delta, node.region
                step = LOOK
    state.ply, state.step, state.nodes = ply, step, node_count
    return step == FINISH
