"""The search of the m,n,k solver: negamax on bitboards that determines the winner.

Players alternate strictly, so values (+1 a win for the side to move, 0 a draw, −1 a loss) are
negated from ply to ply. One pass over the lines of a position finds the winning cells of both
sides, the cells that still matter, whether a side can win at all, and an order of the moves.

Sources: Allis, "Searching for solutions in games and artificial intelligence", 1994 (threats); van
den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", 2002.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits, lowest_bit_index
from ....envs.compiled.kernels import inner_kernel, kernel
from ..parallel import Paths, enter, is_busy, lone_record
from ..table import action_of, bucket_of, lower_of, probe, store, upper_of
from .board import MOST_CELLS, ONE, ZERO, MnkBoard, key_of

ENTER, LEAVE, ADVANCE, FINISH, PUT_OFF = range(5)  # what to do next at the current ply
LEAST_FREE = 14  # free cells of a position whose search is worth sharing between threads
CATCH_UP_NODES = 1 << 12  # between two looks at what other threads have proved
KEY_WORDS, BUCKET = 3, 1  # key: the stones of both sides; one entry, the latest position
LOWEST = -2  # below every value
NO_MOVE = MOST_CELLS  # takes the place of a move in an entry of the table too
# The score that an open line adds to each of its cells, by the stones already in it.
WEIGHTS = np.array([1, 4, 16, 64, 256, 1024, 4096, 16384, 65536], np.int64)
TABLE_MOVE_SCORE = 1 << 40

NODE = np.dtype(
    [
        ("own", np.uint64),  # the stones of the side to move
        ("opp", np.uint64),
        ("key_hash", np.uint64),  # the key in the table, and the symmetry to it
        ("key_own", np.uint64),
        ("key_opp", np.uint64),
        ("symmetry", np.int64),
        ("alpha", np.int64),  # is the value more than alpha?
        ("best", np.int64),
        ("best_move", np.int64),
        ("count", np.int64),  # of moves
        ("cursor", np.int64),
        ("late", np.int64),  # the number of postponed moves at the end
    ],
    align=True,
)

STATE = np.dtype(
    [("ply", np.int64), ("step", np.int64), ("value", np.int64), ("nodes", np.int64)], align=True
)


class MnkStack(NamedTuple):
    """The plies of a search.

    Attributes:
        nodes: NODE (plies,).
        moves: int8 (plies, 64): the moves of each node as cells, the most promising first.
        scores: int64 (64,): the score of each cell at the node being entered.
        state: one STATE record.
        paths: where the threads are.
    """

    nodes: Any
    moves: Any
    scores: Any
    state: Any
    paths: Paths


class Lines(NamedTuple):
    """The result of one pass over the lines of a position."""

    wins: np.uint64  # cells on which the side to move wins
    dangers: np.uint64  # cells on which the other side would win
    live: np.uint64  # free cells of lines that one side can still fill
    own_open: bool  # whether the side to move can still fill a line
    opp_open: bool


def new_stack(board: MnkBoard, paths: Paths) -> MnkStack:
    """A stack for every game on a board."""
    plies = board.cells + 2
    return MnkStack(
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros((plies, MOST_CELLS), np.int8),
        np.zeros(MOST_CELLS, np.int64),
        lone_record(STATE),
        paths,
    )


@kernel
def begin(stack, own, opp, alpha):
    """Prepare the stack: is the value of a position more than ``alpha``?"""
    root, state = stack.nodes[0], stack.state
    root.own, root.opp = own, opp
    root.alpha, root.best_move = alpha, NO_MOVE
    state.ply = state.value = state.nodes = 0
    state.step = ENTER


@inner_kernel
def run(board, table, stack, nodes_allowed):
    """Continue for a limited number of nodes; returns whether the search is complete.

    The result is in ``state.value``, the best move in the root.
    """
    state, root = stack.state, stack.nodes[0]
    if count_bits(board.all_cells & ~(root.own | root.opp)) < stack.paths.least_free:
        return _run_alone(board, table, stack, nodes_allowed)
    limit = state.nodes + nodes_allowed
    complete = False
    while state.nodes < limit and not complete:
        catch_up(table, stack)
        portion = min(limit - state.nodes, CATCH_UP_NODES)
        complete = _run_alone(board, table, stack, portion)
    return complete


@inner_kernel
def catch_up(table, stack):
    """Leave the first node that other threads have decided, if there is one."""
    state = stack.state
    for ply in range(state.ply):
        node = stack.nodes[ply]
        if node.count == 1:  # a forced reply is not stored
            continue
        data = probe(table, bucket_of(table, node.key_hash), (ZERO, node.key_own, node.key_opp))
        if data == ZERO:
            continue
        if upper_of(table, data) <= node.alpha:
            state.value = upper_of(table, data)
        elif lower_of(table, data) > node.alpha and ply > 0:  # the root needs its best move too
            state.value = lower_of(table, data)
        else:
            continue
        state.ply, state.step = ply, LEAVE
        break


@inner_kernel
def _run_alone(board, table, stack, nodes_allowed):
    """Continue as :func:`run` does, without checking other threads' results on the way."""
    nodes, moves, scores, state, paths = stack
    ply, step, value, node_count = state.ply, state.step, state.value, state.nodes
    limit = node_count + nodes_allowed
    while step != FINISH:
        node = nodes[ply]
        if step == ENTER:
            if node_count >= limit:
                break
            node_count += 1
            step, value = enter_node(
                board, table, node, moves[ply], scores, paths, ply == 0, may_wait(nodes, ply)
            )
        elif step == PUT_OFF:
            ply -= 1
            _put_off(nodes[ply], moves[ply])
            step = ADVANCE
        elif step == LEAVE:
            if ply == 0:
                step = FINISH
            else:
                ply -= 1
                node = nodes[ply]
                if -value > node.best:
                    node.best, node.best_move = -value, np.int64(moves[ply, node.cursor - 1])
                step = ADVANCE
        elif node.cursor == node.count or node.best > node.alpha:
            store_node(table, node)
            value = node.best
            step = LEAVE
        else:
            child, move = nodes[ply + 1], np.uint64(moves[ply, node.cursor])
            child.own, child.opp = node.opp, node.own | (ONE << move)
            child.alpha = -node.alpha - 1
            node.cursor += 1
            ply += 1
            step = ENTER
    state.ply, state.step, state.value, state.nodes = ply, step, value, node_count
    return step == FINISH


@inner_kernel
def may_wait(nodes, ply):
    """Whether the move to this ply may be postponed: not the first, and only once."""
    if ply == 0:
        return False
    parent = nodes[ply - 1]
    return 1 < parent.cursor <= parent.count - parent.late


@inner_kernel
def _put_off(node, moves):
    """Make the move at the cursor the last one."""
    move = moves[node.cursor - 1]
    for i in range(node.cursor, node.count):
        moves[i - 1] = moves[i]
    moves[node.count - 1] = move
    node.cursor -= 1
    node.late += 1


@inner_kernel
def enter_node(board, table, node, moves, scores, paths, at_root, may_wait):
    """Visit a position: LEAVE with its value, or ADVANCE with its moves in order.

    PUT_OFF if another thread searches it and it may be postponed.
    """
    empty = board.all_cells & ~(node.own | node.opp)
    # 1. One pass over the lines: who can still win where, and the score of each cell.
    lines = _scan_lines(board, node.own, node.opp, empty, scores)
    # 2. An immediate win; a full board; sides that cannot win any more.
    if lines.wins != ZERO:
        node.best_move = lowest_bit_index(lines.wins)
        return LEAVE, 1
    if empty == ZERO or (not lines.own_open and not lines.opp_open):
        return LEAVE, 0
    upper, lower = np.int64(lines.own_open), -np.int64(lines.opp_open)
    if lower > node.alpha:
        return LEAVE, lower
    if upper <= node.alpha:
        return LEAVE, upper
    node.best, node.best_move, node.cursor, node.late = LOWEST, NO_MOVE, 0, 0
    # 3. Two threats cannot be blocked, one must be.
    if lines.dangers != ZERO:
        if lines.dangers & (lines.dangers - ONE) != ZERO:
            return LEAVE, -1
        moves[0] = lowest_bit_index(lines.dangers)
        node.count = 1
        return ADVANCE, 0
    # 4. The table may settle the node, or name the move to try first.
    key_hash, own, opp, symmetry = key_of(board, node.own, node.opp)
    node.key_hash, node.key_own, node.key_opp = key_hash, own, opp
    node.symmetry = symmetry
    data = probe(table, bucket_of(table, key_hash), (ZERO, own, opp))
    if data != ZERO:
        lower, upper = lower_of(table, data), upper_of(table, data)
        if not at_root and lower > node.alpha:
            return LEAVE, lower
        if not at_root and upper <= node.alpha:
            return LEAVE, upper
        if symmetry == 0 and action_of(table, data) != NO_MOVE:
            scores[action_of(table, data)] = TABLE_MOVE_SCORE
    free = count_bits(empty)
    if free >= paths.least_free:
        if may_wait and is_busy(paths, key_hash, free):
            return PUT_OFF, 0
        enter(paths, key_hash, free)
    # 5. The moves that matter, those with the highest scores first.
    node.count = _order_moves(lines.live, empty, scores, moves)
    return ADVANCE, 0


@inner_kernel
def _scan_lines(board, own, opp, empty, scores):
    """Visit all lines that one side can still fill, and set the score of each cell."""
    scores[:] = 0
    wins, dangers, live, own_open, opp_open = ZERO, ZERO, ZERO, False, False
    for i in range(board.lines.size):
        line = board.lines[i]
        mine, theirs = line & own, line & opp
        if mine != ZERO and theirs != ZERO:
            continue
        free = line & empty
        stones = count_bits(mine | theirs)
        if theirs == ZERO:
            own_open = True
            if stones == board.connect - 1:
                wins |= free
        if mine == ZERO:
            opp_open = True
            if stones == board.connect - 1:
                dangers |= free
        live |= free
        weight = WEIGHTS[min(stones, WEIGHTS.size - 1)]
        while free != ZERO:
            scores[lowest_bit_index(free)] += weight
            free &= free - ONE
    return Lines(wins, dangers, live, own_open, opp_open)


@inner_kernel
def _order_moves(live, empty, scores, moves):
    """Write the relevant moves by descending score; returns their number.

    All cells without an open line are equivalent waiting moves: only the lowest is listed.
    """
    dead = empty & ~live
    candidates = live & empty
    if dead != ZERO:
        candidates |= dead & (~dead + ONE)
    count = 0
    while candidates != ZERO:
        cell = lowest_bit_index(candidates)
        candidates &= candidates - ONE
        place = count
        while place > 0 and scores[moves[place - 1]] < scores[cell]:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = cell
        count += 1
    return count


@inner_kernel
def store_node(table, node):
    """Store the result of the search of a position.

    A forced reply is not stored: recomputing it costs nothing.
    """
    if node.count == 1:
        return
    lower, upper = (node.best, 1) if node.best > node.alpha else (-1, node.best)
    move = node.best_move if node.symmetry == 0 else NO_MOVE
    bucket, key = bucket_of(table, node.key_hash), (ZERO, node.key_own, node.key_opp)
    store(table, bucket, key, lower, upper, move, 1)
