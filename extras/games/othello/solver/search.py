"""The search of Othello's solver: null-window negamax on two bitboards, with an explicit stack.

Every search asks: is the value more than ``alpha``? Positions with many free cells use the table,
and first try the moves that leave the opponent the fewest replies ("fastest first"). Positions with
few free cells first try cells in quadrants with an odd number of free cells (parity), which is
cheaper; the last four cells have specialised functions.

Sources: Andersson, "Writing an Othello program", 2007 (parity, the last cells); Buro, "Techniques
for the design of game evaluation functions", 1994 (fastest first); Delorme, Edax (stability).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....agents.solvers.prefetch import prefetch
from .....envs.compiled.bits import count_bits, lowest_bit_index
from .....envs.compiled.kernels import inner_kernel, kernel
from ..board import ONE, ZERO
from . import table as t
from .board import OthelloBoard, final_margin, stable_discs
from .lanes import RAYS, open_cells, turned_discs
from .last_cells import LOWEST, last_few, last_four

ENTER, LEAVE, ADVANCE, FINISH = range(4)  # what to do next at the current ply
SHALLOW = 7  # largest number of free cells for move ordering by parity
MOST_MOVES = 40
# Stable discs are counted if alpha is at least STABILITY_SLOPE * free cells - STABILITY_LESS.
STABILITY_SLOPE, STABILITY_LESS = 2, 4

NODE = np.dtype(
    [
        ("own", np.uint64),  # the discs of the side to move
        ("other", np.uint64),
        ("moves", np.uint64),  # its open cells; at a shallow node the untried ones
        ("alpha", np.int64),
        ("best", np.int64),
        ("best_move", np.int64),
        ("move", np.int64),  # the cell that leads to the next ply
        ("free", np.int64),  # number of free cells
        ("odd", np.int64),  # the quadrants with an odd number of free cells
        ("count", np.int64),  # children left, or SHALLOW_NODE
        ("bucket", np.int64),
        ("nodes_before", np.int64),
    ],
    align=True,
)
SHALLOW_NODE = -1
# Move ordering: penalty per reply, bonus for an odd quadrant, bonus for the table's move.
REPLY_SCORE, ODD_SCORE, TABLE_MOVE_SCORE = 16, 8, 1 << 20

CHILD = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("moves", np.uint64),
        ("move", np.int64),
        ("bucket", np.int64),
        ("score", np.int64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("ply", np.int64),
        ("step", np.int64),
        ("value", np.int64),
        ("nodes", np.int64),
        ("mask", np.uint64),  # mask of the buckets in use
    ],
    align=True,
)


class OthelloStack(NamedTuple):
    """The plies of a search.

    Attributes:
        nodes: NODE (plies,).
        children: CHILD (plies, MOST_MOVES): unsearched children.
        state: one STATE record.
    """

    nodes: Any
    children: Any
    state: Any


def new_stack(board: OthelloBoard) -> OthelloStack:
    """A stack for every game on a board: there may be a pass before each disc."""
    plies = 2 * board.size
    return OthelloStack(
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros((plies, MOST_MOVES), CHILD).view(np.recarray),
        np.zeros(1, STATE).view(np.recarray)[0],
    )


@kernel
def begin(board, table, stack, own, other, alpha, most_free):
    """Prepare a null-window search of an unfinished position above ``alpha``.

    ``most_free`` is the number of free cells that decides how much of the table is used.
    """
    root, state = stack.nodes[0], stack.state
    free = board.cells & ~(own | other)
    root.own, root.other, root.alpha = own, other, alpha
    root.moves = open_cells(board.cells, own, other)
    root.free, root.odd = count_bits(free), 0
    while free != ZERO:
        root.odd ^= board.quadrants[lowest_bit_index(free)]
        free &= free - ONE
    state.ply = state.value = state.nodes = 0
    state.step = ENTER
    state.mask = t.bucket_mask(table, most_free)


@inner_kernel
def run(board, table, stack, nodes_allowed):
    """Continue the search for about ``nodes_allowed`` nodes; whether it is complete.

    The value is then in ``state.value``, the best move in the root.
    """
    nodes, children, state = stack
    ply, step, value, node_count = state.ply, state.step, state.value, state.nodes
    limit = node_count + nodes_allowed
    while step != FINISH:
        node = nodes[ply]
        if step == ENTER:
            if node_count >= limit:
                break
            node.nodes_before = node_count
            node_count += 1
            if node.free <= 4 and ply > 0:
                value, visits = last_few(board, node.own, node.other, node.odd, node.alpha)
                node_count += visits
                step = LEAVE
            else:
                step, value = enter_node(board, table, state.mask, node, children[ply], ply == 0)
        elif step == LEAVE:
            if ply == 0:
                step = FINISH
                continue
            ply -= 1
            node = nodes[ply]
            if -value > node.best:
                node.best, node.best_move = -value, node.move
            step = ADVANCE
        elif node.count == SHALLOW_NODE:
            value, visits = _try_shallow(board, node, nodes[ply + 1])
            node_count += visits
            step = LEAVE if value != LOWEST else ENTER
            ply += step == ENTER
        elif node.count == 0 or node.best > node.alpha:
            store_node(board, table, node, node_count)
            value = node.best
            step = LEAVE
        else:
            node.count -= 1
            child = _take_best(children[ply], node.count)
            after = nodes[ply + 1]
            after.own, after.other, after.moves = child.own, child.other, child.moves
            node.move = child.move
            after.alpha = -node.alpha - 1
            after.free, after.odd = node.free, node.odd
            if child.move != t.NO_CELL:
                after.free -= 1
                after.odd ^= board.quadrants[child.move]
            ply += 1
            step = ENTER
    state.ply, state.step, state.value, state.nodes = ply, step, value, node_count
    return step == FINISH


@inner_kernel
def enter_node(board, table, mask, node, children, at_root):
    """Visit a position: LEAVE with its value, or ADVANCE with its moves."""
    own, other, alpha = node.own, node.other, node.alpha
    node.best, node.best_move = LOWEST, t.NO_CELL
    # 1. A pass, or the end of the game.
    if node.moves == ZERO:
        moves = open_cells(board.cells, other, own)
        if moves == ZERO:
            return LEAVE, final_margin(board, own, other)
        child = children[0]
        child.own, child.other, child.moves = other, own, moves
        child.move, child.score, node.count = t.NO_CELL, 0, 1
        return ADVANCE, 0
    # 2. Stability cutoff.
    if alpha >= STABILITY_SLOPE * node.free - STABILITY_LESS and not at_root:
        upper = board.size - 2 * stable_discs(board, other, own)
        if upper <= alpha:
            return LEAVE, upper
    # 3. Few free cells: moves by parity.
    if node.free <= SHALLOW and not at_root:
        node.count = SHALLOW_NODE
        return ADVANCE, 0
    # 4. Transposition table.
    node.bucket = t.bucket_of(mask, own, other)
    data = t.probe(table, node.bucket, own, other)
    first = t.NO_CELL
    if data != ZERO:
        lower, upper = t.lower_of(data), t.upper_of(data)
        first = t.move_of(data)
        if not at_root and lower > alpha:
            return LEAVE, lower
        if not at_root and upper <= alpha:
            return LEAVE, upper
    # 5. Fastest first.
    node.count = list_children(board, table, mask, node, children, first, at_root)
    return ADVANCE, 0


@inner_kernel
def list_children(board, table, mask, node, children, first, at_root):
    """List the children that the table does not settle; returns their number."""
    moves, count = node.moves, 0
    odd_cells = board.quadrant_cells[node.odd]
    while moves != ZERO:
        move = lowest_bit_index(moves)
        moves &= moves - ONE
        flips = turned_discs(RAYS, move, node.own, node.other)
        child = children[count]
        child.own, child.other = node.other ^ flips, node.own ^ flips | (ONE << move)
        child.bucket = t.bucket_of(mask, child.own, child.other)
        prefetch(table, child.bucket)
        child.move, child.moves = move, open_cells(board.cells, child.own, child.other)
        replies = count_bits(child.moves) + count_bits(child.moves & board.corners)
        child.score = board.values[move] - REPLY_SCORE * replies
        if odd_cells & (ONE << move) != ZERO:
            child.score += ODD_SCORE
        if move == first:
            child.score += TABLE_MOVE_SCORE
        count += 1
    if at_root or node.free <= SHALLOW + 1:  # children of the latter are not in the table
        return count
    i = 0
    while i < count:
        child = children[i]
        data = t.probe(table, child.bucket, child.own, child.other)
        i += 1
        if data == ZERO:
            continue
        lower, upper = -t.upper_of(data), -t.lower_of(data)
        if lower > node.alpha:
            node.best, node.best_move = lower, child.move
            return 0
        if upper <= node.alpha:
            if upper > node.best:
                node.best, node.best_move = upper, child.move
            count -= 1
            i -= 1
            swap(child, children[count])
    return count


@inner_kernel
def swap(one, other):
    """Exchange two children."""
    one.own, other.own = other.own, one.own
    one.other, other.other = other.other, one.other
    one.moves, other.moves = other.moves, one.moves
    one.move, other.move = other.move, one.move
    one.bucket, other.bucket = other.bucket, one.bucket
    one.score, other.score = other.score, one.score


@inner_kernel
def _take_best(children, last):
    """Take the child with the highest score; the last child takes its place."""
    best = last
    for i in range(last):
        if children[i].score > children[best].score:
            best = i
    if best != last:
        swap(children[best], children[last])
    return children[last]


@inner_kernel
def _try_shallow(board, node, after):
    """Try the next moves of a node with few free cells.

    Returns LOWEST if the position ``after`` the next move needs a search, else the node's value.
    """
    visits = 0
    while node.moves != ZERO and node.best <= node.alpha:
        first = node.moves & board.quadrant_cells[node.odd]
        move = lowest_bit_index(first if first != ZERO else node.moves)
        node.moves &= ~(ONE << move)
        flips = turned_discs(RAYS, move, node.own, node.other)
        own, other = node.other ^ flips, node.own ^ flips | (ONE << move)
        odd = node.odd ^ board.quadrants[move]
        if node.free == 5:
            value, count = last_four(board, own, other, odd, -node.alpha - 1)
            visits += count
            node.best = max(node.best, -value)
        else:
            node.move = move
            after.own, after.other, after.alpha = own, other, -node.alpha - 1
            after.free, after.odd = node.free - 1, odd
            after.moves = open_cells(board.cells, own, other)
            return LOWEST, visits
    return node.best, visits


@inner_kernel
def store_node(board, table, node, node_count):
    """Store the proved bound of a position; a pass is not stored."""
    if node.moves == ZERO or node.free <= SHALLOW:
        return
    lower = node.best if node.best > node.alpha else -t.UNKNOWN
    upper = node.best if node.best <= node.alpha else t.UNKNOWN
    nodes = node_count - node.nodes_before
    t.store(table, node.bucket, node.own, node.other, lower, upper, node.best_move, nodes)
