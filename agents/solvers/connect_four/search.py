"""Connect four exactly: null-window negamax with a transposition table, on an explicit stack.

Every search has a null window: is the value at least beta? :func:`solve_positions` narrows the
bounds of a position by such searches until they meet. The work is done in slices. A kernel returns
when its node budget is used up, and continues from its stack on the next call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import inner_kernel, kernel
from ..parallel import Paths, clear, enter, is_busy, lone_record, nodes_of_all
from ..prefetch import prefetch
from ..table import NO_ACTION, action_of, lower_of, store, upper_of
from . import table as t
from .board import ONE, ZERO, column_at, follow, key_of, safe_moves, win_at_once, winning_cells

NOT_EXPANDED = -1
LOWEST = -64  # below every value
TABLE_MOVE_SCORE = 1 << 20
THREAT_SCORE = 64
QUARTERING_RANGE = 8  # bounds further apart are narrowed from their ends
LEAST_FREE = 18  # free cells of a position whose search is worth sharing between threads
ELDEST = 2  # the first children, searched by all threads: often one is good enough
CATCH_UP_NODES = 1 << 12  # between two checks of the other threads' results

# A position of the search tree and its null window. It is first filled in as a child of another;
# the fields from `nodes_before` on are used once it is searched.
NODE = np.dtype(
    [
        ("own", np.uint64),  # the stones of the side to move
        ("opp", np.uint64),
        ("moves", np.uint64),  # the cells that do not lose at once
        ("key", np.uint64),  # scrambled
        ("beta", np.int32),  # is the value at least beta?
        ("stones", np.int16),  # on the board
        ("column", np.int8),  # the move of the parent that leads here
        ("opponent", np.bool_),  # whether the side to move is the parent's opponent
        ("mirrored", np.bool_),  # whether the key is from the mirror image
        ("table_column", np.int8),  # the best move by the table, or NO_ACTION
        ("score", np.int32),  # its rank among its parent's children
        ("nodes_before", np.int64),  # nodes visited before this one
        ("best", np.int32),  # the best value so far
        ("best_column", np.int8),
        ("count", np.int8),  # children to search, or NOT_EXPANDED
        ("cursor", np.int8),  # children searched
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("index", np.int64),  # the position being solved
        ("searching", np.bool_),  # whether it has been put on the stack
        ("nodes", np.int64),  # visited in all slices
        ("nodes_before", np.int64),  # visited before this position
        ("ply", np.int64),
        ("value", np.int64),  # the result of the latest null window
    ],
    align=True,
)

# A position to solve: its bounds are narrowed, `column` becomes a best move.
TASK = np.dtype(
    [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("lower", np.int64),
        ("upper", np.int64),
        ("column", np.int64),
    ],
    align=True,
)


class ConnectFourStack(NamedTuple):
    """The plies of a search.

    Attributes:
        nodes: NODE (plies,).
        children: NODE (plies, cols): the children of each node that need a search.
        order: int64 (plies, cols): their indices, the most promising first.
        state: one STATE record.
        paths: the current paths of the threads.
    """

    nodes: Any
    children: Any
    order: Any
    state: Any
    paths: Paths


def new_stack(cells: int, cols: int, paths: Paths) -> ConnectFourStack:
    """A stack for games of at most ``cells`` plies."""
    plies = cells + 2
    return ConnectFourStack(
        np.zeros(plies, NODE).view(np.recarray),
        np.zeros((plies, cols), NODE).view(np.recarray),
        np.zeros((plies, cols), np.int64),
        lone_record(STATE),
        paths,
    )


def begin(stack: ConnectFourStack) -> None:
    """Prepare the stack for :func:`solve_positions` from the first position on."""
    state = stack.state
    state.index = state.nodes = 0
    state.searching = False
    clear(stack.paths)


@inner_kernel
def solve_positions(board, table, stack, tasks, weak, node_limit):
    """Narrow the bounds of positions that are not over; True when all are solved.

    False means that ``node_limit`` nodes have been visited; the next call continues.

    - ``tasks``: TASK (positions,). Each is solved when its bounds meet, with ``weak`` when the
        result is known. If the bounds meet from the start, the search only looks for a move that
        attains the value.
    """
    state = stack.state
    while state.index < len(tasks):
        task = tasks[state.index]
        if not state.searching:
            has_value = task.lower == task.upper
            if _bounds_without_search(board, task, weak):
                state.index += 1
                continue
            state.nodes_before = state.nodes
            state.searching = True
            beta = task.lower if has_value else _next_beta(task.lower, task.upper, weak)
            begin_search(board, table, stack, task, beta)
        complete = False
        while not complete:
            if state.nodes >= node_limit:
                return False
            sharing = is_shared(board, stack.paths, stack.nodes[0])
            nodes = state.nodes - state.nodes_before
            if sharing:  # all threads use the same part of the table
                nodes = nodes_of_all(stack.paths, nodes)
            buckets, limit = t.part_in_use(table, nodes)
            part = t.ConnectFourTable(table.bounds, buckets, table.key_mask, table.check_shift)
            limit = min(node_limit, state.nodes_before + limit)
            if sharing:
                catch_up(board, part, stack)
                limit = min(limit, state.nodes + CATCH_UP_NODES)
            complete = search(board, part, stack, limit)
        # The result of the null window is a bound.
        root = stack.nodes[0]
        if state.value >= root.beta:
            task.column = root.best_column
            task.lower = max(task.lower, state.value)
        else:
            task.upper = min(task.upper, state.value)
        if _is_solved(task, weak):
            state.index += 1
            state.searching = False
        else:
            begin_search(board, table, stack, task, _next_beta(task.lower, task.upper, weak))
    return True


@kernel
def _is_solved(task, weak):
    """Whether the bounds prove the value, or with ``weak`` the result."""
    return task.lower >= task.upper or (weak and (task.lower > 0 or task.upper < 0))


@kernel
def _bounds_without_search(board, task, weak):
    """Bound a position by its next two plies and choose a move; returns whether it is solved."""
    own, opp = task.own, task.opp
    occupied = own | opp
    left = board.cells - count_bits(occupied)
    # 1. An immediate win, or only moves that lose at once.
    wins = win_at_once(board, own, opp)
    moves = safe_moves(board, own, opp, winning_cells(board, opp, occupied))
    if wins != ZERO or moves == ZERO:
        task.lower = (left + 1) // 2 if wins != ZERO else -(left // 2)
        task.upper = task.lower
        task.column = _middle_column(
            board, wins if wins != ZERO else (occupied + board.bottom) & board.playable
        )
        return True
    # 2. Otherwise no side wins within two plies, and every safe move attains the lower bound.
    has_value = task.lower == task.upper
    task.column = _middle_column(board, moves)
    lowest = -max((left - 2) // 2, 0)
    if has_value:
        return task.lower <= lowest
    task.lower, task.upper = max(task.lower, lowest), min(task.upper, (left - 1) // 2)
    return _is_solved(task, weak)


@kernel
def _next_beta(lower, upper, weak):
    """The beta of the next null window, above ``lower`` and at most ``upper``.

    Quick wins and losses are cheap to prove or refute. So the ends come first, a quarter of the way
    in each time, and their table entries help near the value, where searches are expensive. Once
    the bounds are close, the next question is the result, then the middle.
    """
    if not weak and upper - lower > QUARTERING_RANGE:
        quarter = (upper - lower) // 4
        return upper - quarter if upper + lower >= 0 else lower + 1 + quarter
    if lower < 0 and upper > 0:
        return np.int64(1) if weak or upper + lower >= 0 else np.int64(0)
    if weak:
        return np.int64(1) if upper > 0 else np.int64(0)
    return lower + (upper - lower + 1) // 2


@kernel
def _middle_column(board, moves):
    """The column nearest the middle that contains one of the moves."""
    best, distance = NO_ACTION, 2 * board.cols
    for column in range(board.cols):
        if (
            moves & (board.column << (np.uint64(column) * board.height)) != ZERO
            and from_middle(board, column) < distance
        ):
            best, distance = column, from_middle(board, column)
    return best


@kernel
def from_middle(board, column):
    """Twice the distance of a column from the middle."""
    return abs(2 * column - board.cols + 1)


@inner_kernel
def begin_search(board, table, stack, task, beta):
    """Make a position the root of a search with a null window."""
    root, state = stack.nodes[0], stack.state
    own, opp = task.own, task.opp
    root.own, root.opp = own, opp
    root.moves = safe_moves(board, own, opp, winning_cells(board, opp, own | opp))
    root.stones, root.beta = count_bits(own | opp), beta
    root.opponent, root.table_column = False, NO_ACTION
    _set_key(board, table, root)
    _begin_node(root, state.nodes)
    state.ply = 0


@inner_kernel
def _set_key(board, table, node):
    """Set the key of a node, which is the same for its mirror image."""
    key, node.mirrored = key_of(board, node.own, node.opp)
    node.key = t.scramble(table, key)


@inner_kernel
def _begin_node(node, nodes):
    """Mark a node as not expanded, after this many nodes."""
    node.count, node.cursor, node.nodes_before = NOT_EXPANDED, 0, nodes


@inner_kernel
def search(board, table, stack, node_limit):
    """Search the null window of the root; False if ``node_limit`` is reached first.

    ``state.value`` is then a lower bound on its value if it is at least beta, else an upper bound.
    """
    nodes, children, order, state, _ = stack
    ply, node_count = state.ply, state.nodes
    complete = False
    while True:
        node = nodes[ply]
        # 1. A new node: find its children, and order those that need a search.
        if node.count == NOT_EXPANDED:
            if node_count >= node_limit:
                break
            node_count += 1
            # It takes the value of the children that need no search.
            open_children = list_children(board, table, node, children[ply])
            count = _order_children(board, table, node, children[ply], order[ply], open_children)
            node.count = count if node.best < node.beta else 0
        # 2. Search the next child.
        if node.cursor >= ELDEST and is_shared(board, stack.paths, node):
            _choose_child(board, table, stack, ply)
        if node.best < node.beta and node.cursor < node.count:
            nodes[ply + 1] = children[ply, order[ply, node.cursor]]
            node.cursor += 1
            ply += 1
            _begin_node(nodes[ply], node_count)
            continue
        # 3. After the last child, the value goes into the table and to the parent.
        if node.count > 0:
            store_node(board, table, node, node_count)
        if ply == 0:
            state.value = node.best
            complete = True
            break
        value = -np.int64(node.best) if node.opponent else np.int64(node.best)
        parent = nodes[ply - 1]
        if value > parent.best:
            parent.best, parent.best_column = value, node.column
        ply -= 1
    state.ply, state.nodes = ply, node_count
    return complete


@inner_kernel
def is_shared(board, paths, node):
    """Whether the children of a node are divided among the threads."""
    return board.cells - node.stones > paths.least_free


@inner_kernel
def _choose_child(board, table, stack, ply):
    """Move the next child that no other thread searches to the cursor, or any if all are searched.

    Children that the table has decided meanwhile are skipped, and the node takes their value.
    """
    node, children, order = stack.nodes[ply], stack.children[ply], stack.order[ply]
    place = np.int64(node.cursor)
    while node.best < node.beta and place < node.count:
        index = order[place]
        child = children[index]
        is_decided = _take_value(table, node, child, t.probe(table, child.key))
        free = board.cells - np.int64(child.stones)
        if is_decided or not is_busy(stack.paths, child.key, free):
            for i in range(place, node.cursor, -1):
                order[i] = order[i - 1]
            order[node.cursor] = index
            if not is_decided:
                break
            node.cursor += 1
        place += 1
    if node.best < node.beta and node.cursor < node.count:
        child = children[order[node.cursor]]
        enter(stack.paths, child.key, board.cells - np.int64(child.stones))


@inner_kernel
def catch_up(board, table, stack):
    """Return to the first node of the stack that other threads have decided, if there is one."""
    state = stack.state
    for ply in range(state.ply + 1):
        node = stack.nodes[ply]
        if node.count == NOT_EXPANDED:
            break
        if ply == 0:  # its best column is needed, which its entry may lack
            for place in range(node.cursor, node.count):
                child = stack.children[0, stack.order[0, place]]
                _take_value(table, node, child, t.probe(table, child.key))
        data = t.probe(table, node.key)
        if data != ZERO and upper_of(table.bounds, data) < node.beta:
            node.best = upper_of(table.bounds, data)
        elif data != ZERO and lower_of(table.bounds, data) >= node.beta and ply > 0:
            node.best = lower_of(table.bounds, data)
            node.best_column = _mirrored_column(board, node.mirrored, action_of(table.bounds, data))
        elif node.best < node.beta:
            continue
        node.cursor, state.ply = node.count, ply
        break


@inner_kernel
def store_node(board, table, node, node_count):
    """Store the result of the search of a node."""
    value = np.int64(node.best)
    lower, upper = (value, t.UNKNOWN) if value >= node.beta else (-t.UNKNOWN, value)
    column = _mirrored_column(board, node.mirrored, np.int64(node.best_column))
    bucket, check = t.bucket_of(table, node.key), t.check_of(table, node.key)
    nodes = node_count - node.nodes_before
    store(table.bounds, bucket, check, lower, upper, column, nodes)


@inner_kernel
def _mirrored_column(board, is_mirror, column):
    """A column, or its mirror image."""
    return board.cols - 1 - column if is_mirror and column != NO_ACTION else column


@inner_kernel
def list_children(board, table, node, children):
    """Fill ``children`` with the ones that need a search; returns their number.

    Their table entries are prefetched.
    """
    own, opp, moves, beta = node.own, node.opp, node.moves, np.int64(node.beta)
    best, best_column, count = LOWEST, NO_ACTION, 0
    while moves != ZERO:
        cell = moves & (~moves + ONE)
        moves ^= cell
        column = column_at(board, cell)
        after = own | cell
        threats = winning_cells(board, after, after | opp)
        has_answer, value, c_own, c_opp, c_stones, c_beta, c_moves, other_side = follow(
            board, opp, after, threats, np.int64(node.stones) + 1, 1 - beta
        )
        opponent = other_side == 0
        if has_answer:
            if opponent:
                value = -value
            if value > best:
                best, best_column = value, column
                if best >= beta:
                    break
            continue
        child = children[count]
        child.own, child.opp, child.moves = c_own, c_opp, c_moves
        child.stones, child.beta, child.opponent, child.column = (
            c_stones,
            c_beta,
            opponent,
            column,
        )
        _set_key(board, table, child)
        prefetch(table.bounds.entries, t.bucket_of(table, child.key))
        child.score = _move_score(board, after | opp, threats, column)
        if column == node.table_column:
            child.score += TABLE_MOVE_SCORE
        count += 1
    node.best, node.best_column = best, best_column
    return count


@inner_kernel
def _move_score(board, occupied, threats, column):
    """The move-ordering score: threats created, then nearness to the middle.

    A threat two cells above the top of a column counts twice: the next move cannot block it.
    """
    upcoming = threats & ((occupied + board.bottom) << ONE)
    return THREAT_SCORE * (count_bits(threats) + count_bits(upcoming)) - from_middle(board, column)


@inner_kernel
def _order_children(board, table, node, children, order, open_children):
    """Order the children that the table does not decide (enhanced transposition cut-off).

    Returns their number; the node takes the values of the others.
    """
    count = 0
    for i in range(open_children):
        if node.best >= node.beta:
            break
        child = children[i]
        data = t.probe(table, child.key)
        child.table_column = NO_ACTION
        if data != ZERO:
            if _take_value(table, node, child, data):
                continue
            child.table_column = _mirrored_column(
                board, child.mirrored, action_of(table.bounds, data)
            )
        place = count
        while place > 0 and children[order[place - 1]].score < child.score:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
        count += 1
    return count


@inner_kernel
def _take_value(table, node, child, data):
    """Whether the table's data decide a child; if so, the node takes its value."""
    if data == ZERO:
        return False
    lower, upper = lower_of(table.bounds, data), upper_of(table.bounds, data)
    if lower < child.beta <= upper:
        return False
    value = lower if lower >= child.beta else upper
    if child.opponent:
        value = -value
    if value > node.best:
        node.best, node.best_column = value, child.column
    return True
