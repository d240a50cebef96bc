"""Connect four exactly: null-window negamax with a transposition table, on an explicit stack.

Every search asks one question, "is the value at least beta?"; :func:`solve_positions` narrows the bounds of a position by such
questions until they meet. The work is cut into slices: a kernel returns when its allowance of nodes is used up and goes on from its
arrays when it is called again.

The table. An entry is one uint64: a check of the key, the lower and the upper bound proved, the move that was best, and a measure of
the work. The key is scrambled by a bijection of 64 bits; its high bits are the index and the rest is the check, so that index and check
together are the whole key and an entry is never taken for another position's. Two entries share a bucket: the first keeps the
position that took more work, the second the latest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..envs.bits import count_bits
from ..envs.kernels import kernel
from .prefetch import prefetch
from .solver_connect_four_board import ONE, ZERO, follow, key_of, safe_moves, win_at_once, winning_cells

DATA_BITS = 24
DATA = np.uint64((1 << DATA_BITS) - 1)
SEVEN, FOURTEEN, NINETEEN = np.uint64(7), np.uint64(14), np.uint64(19)
SEVEN_BITS, FIVE_BITS = np.uint64(127), np.uint64(31)
OFFSET = 64  # added to bounds to store them
MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(24)
NO_COLUMN = 31
UNKNOWN = 63  # a bound that says nothing

# What a slice of work hands to the next: columns of `state`.
INDEX, PHASE, SP, NODES, VALUE = range(5)
STATE_SIZE = 5
BEGIN, SEARCH = range(2)  # phases

# Columns of a ply's and of a child's integers.
PLACED, BETA, TURNED, BEST, COUNT, CURSOR, BEST_COLUMN, TABLE_COLUMN, MIRRORED, BEFORE = range(10)
C_PLACED, C_BETA, C_TURNED, C_SCORE, C_COLUMN, C_TABLE_COLUMN, C_MIRRORED = range(7)


class Table(NamedTuple):
    """The transposition table.

    Attributes:
        entries: uint64 (2^n,).
        key_mask: as many bits as keys have.
        align: brings a key's highest bit to the top of a uint64.
        index_shift: brings the bucket's number down, to be doubled.
        check_shift: drops the bucket's number off the top.
    """

    entries: np.ndarray
    key_mask: np.uint64
    align: np.uint64
    index_shift: np.uint64
    check_shift: np.uint64


def least_memory_mb(key_bits: int) -> int:
    """The memory that a table for keys of so many bits takes at least, in MiB: bucket number and check must hold the whole key."""
    return max(1, (16 << max(key_bits - (64 - DATA_BITS), 0)) >> 20)


def make_table(key_bits: int, memory_mb: int) -> Table:
    """The largest table, of a power of two entries, that the memory holds."""
    bucket_bits = (memory_mb << 16).bit_length() - 1
    numbers = (1 << key_bits) - 1, 64 - key_bits, 64 - bucket_bits, bucket_bits
    return Table(np.zeros(2 << bucket_bits, np.uint64), *(np.uint64(number) for number in numbers))


class Stack(NamedTuple):
    """The plies of a search: one row per ply, or one per child of a ply (row ply * columns + child).

    Attributes:
        own, opp, moves, key: uint64 (plies,): the node, its moves, its scrambled key.
        plies: int64 (plies, 10), see the constants above.
        child_own, child_opp, child_moves, child_key: uint64 (plies * columns,): children that are nodes to be searched.
        children: int64 (plies * columns, 7).
        order: int64 (plies, columns): the children in the order in which they are searched.
    """

    own: np.ndarray
    opp: np.ndarray
    moves: np.ndarray
    key: np.ndarray
    plies: np.ndarray
    child_own: np.ndarray
    child_opp: np.ndarray
    child_moves: np.ndarray
    child_key: np.ndarray
    children: np.ndarray
    order: np.ndarray


def make_stack(cells: int, columns: int) -> Stack:
    """A stack for games of at most ``cells`` plies."""
    plies, children = cells + 2, (cells + 2) * columns
    own, opp, moves, key = np.zeros((4, plies), np.uint64)
    child_own, child_opp, child_moves, child_key = np.zeros((4, children), np.uint64)
    ply_numbers, child_numbers, order = np.zeros((plies, 10), np.int64), np.zeros((children, 7), np.int64), np.zeros((plies, columns), np.int64)
    return Stack(own, opp, moves, key, ply_numbers, child_own, child_opp, child_moves, child_key, child_numbers, order)


@kernel
def scramble(table, key):
    """A bijection of keys, aligned to the top of the uint64, whose high bits depend on all bits of the key."""
    key ^= key >> HALF
    key = (key * MULTIPLY) & table.key_mask
    key ^= key >> HALF
    key = (key * MULTIPLY) & table.key_mask
    key ^= key >> HALF
    return key << table.align


@kernel
def probe(table, key):
    """The data of a scrambled key, or 0."""
    slot = np.int64(key >> table.index_shift) << 1
    check = key << table.check_shift
    entry = table.entries[slot]
    if (entry ^ check) <= DATA:
        return entry & DATA
    entry = table.entries[slot + 1]
    if (entry ^ check) <= DATA:
        return entry & DATA
    return ZERO


@kernel
def store(table, key, lower, upper, column, work):
    """Keep bounds of a position (``UNKNOWN``, with its sign, for one that is not known); bounds known before are kept too."""
    first = np.int64(key >> table.index_shift) << 1
    check = key << table.check_shift
    slot = first + 1
    for each in (first, first + 1):
        entry = table.entries[each]
        if (entry ^ check) <= DATA and entry & DATA != ZERO:
            lower = max(lower, lower_of(entry))
            upper = min(upper, upper_of(entry))
            slot = each
            break
    effort = 1
    while work > 1 and effort < 31:
        work >>= 1
        effort += 1
    if slot != first and effort >= np.int64((table.entries[first] >> NINETEEN) & FIVE_BITS):
        table.entries[slot] = table.entries[first]
        slot = first
    data = np.uint64(lower + OFFSET) | (np.uint64(upper + OFFSET) << SEVEN) | (np.uint64(column) << FOURTEEN) | (np.uint64(effort) << NINETEEN)
    table.entries[slot] = check | data


@kernel
def lower_of(data):
    return np.int64(data & SEVEN_BITS) - OFFSET


@kernel
def upper_of(data):
    return np.int64((data >> SEVEN) & SEVEN_BITS) - OFFSET


@kernel
def column_of(data):
    """The move that was best, in the orientation of the key; NO_COLUMN if none is known."""
    return np.int64((data >> FOURTEEN) & FIVE_BITS)


@kernel
def enter(stack, ply, own, opp, moves, key, mirrored, table_column, placed, beta, turned, nodes):
    """Make a node the top of the stack."""
    stack.own[ply], stack.opp[ply], stack.moves[ply], stack.key[ply] = own, opp, moves, key
    row = stack.plies[ply]
    row[PLACED], row[BETA], row[TURNED] = placed, beta, turned
    row[BEST], row[COUNT], row[CURSOR], row[BEST_COLUMN] = -OFFSET, -1, 0, NO_COLUMN
    row[TABLE_COLUMN], row[MIRRORED], row[BEFORE] = table_column, mirrored, nodes


@kernel
def expand(board, table, stack, ply):
    """List the children of the node at ``ply`` that need searching, best first, and take the value of all others into the node."""
    own, opp, moves = stack.own[ply], stack.opp[ply], stack.moves[ply]
    node = stack.plies[ply]
    placed, beta = node[PLACED], node[BETA]
    best, best_column, found = node[BEST], NO_COLUMN, 0
    base = ply * board.cols
    height = np.int64(board.height)
    # 1. A child that forced moves or bounds decide is not searched. The table entries of the others are sent for.
    while moves != ZERO:
        cell = moves & (~moves + ONE)
        moves ^= cell
        column = count_bits(cell - ONE) // height
        decided, value, c_own, c_opp, c_placed, c_beta, c_moves, turned = follow(board, opp, own | cell, placed + 1, 1 - beta)
        turned ^= 1  # now 1 if the value is the other side's
        if decided:
            if turned == 1:
                value = -value
            if value > best:
                best, best_column = value, column
                if best >= beta:
                    node[BEST], node[BEST_COLUMN], node[COUNT] = best, best_column, 0
                    return
            continue
        child = base + found
        key, mirrored = key_of(board, c_own, c_opp)
        key = scramble(table, key)
        prefetch(table.entries, np.int64(key >> table.index_shift) << 1)
        stack.child_own[child], stack.child_opp[child], stack.child_moves[child], stack.child_key[child] = c_own, c_opp, c_moves, key
        row = stack.children[child]
        row[C_PLACED], row[C_BETA], row[C_TURNED], row[C_COLUMN], row[C_MIRRORED] = c_placed, c_beta, turned, column, mirrored
        # The threats a move creates make its place in the order; among equals those nearer the middle come first.
        after = own | cell
        row[C_SCORE] = 64 * count_bits(winning_cells(board, after, after | opp)) - abs(2 * column - board.cols + 1)
        if column == node[TABLE_COLUMN]:
            row[C_SCORE] += 1 << 20
        found += 1
    # 2. Nor is a child that the table decides (enhanced transposition cut-off). The others are sorted.
    count = 0
    order = stack.order[ply]
    for child in range(base, base + found):
        row = stack.children[child]
        data = probe(table, stack.child_key[child])
        row[C_TABLE_COLUMN] = NO_COLUMN
        if data != ZERO:
            lower, upper = lower_of(data), upper_of(data)
            if lower >= row[C_BETA] or upper < row[C_BETA]:
                value = lower if lower >= row[C_BETA] else upper
                if row[C_TURNED] == 1:
                    value = -value
                if value > best:
                    best, best_column = value, row[C_COLUMN]
                    if best >= beta:
                        node[BEST], node[BEST_COLUMN], node[COUNT] = best, best_column, 0
                        return
                continue
            column = column_of(data)
            row[C_TABLE_COLUMN] = board.cols - 1 - column if row[C_MIRRORED] and column != NO_COLUMN else column
        place = count
        while place > 0 and stack.children[order[place - 1], C_SCORE] < row[C_SCORE]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = child
        count += 1
    node[BEST], node[BEST_COLUMN], node[COUNT] = best, best_column, count


@kernel
def search(board, table, stack, state, node_limit):
    """Answer the question of the node at the bottom of the stack; True if it was finished within the allowance of nodes.

    ``state[VALUE]`` is then a lower bound on its value if it is at least beta, an upper bound if not.
    """
    ply, nodes = state[SP], state[NODES]
    finished = False
    while True:
        node = stack.plies[ply]
        # 1. A new node: find its children.
        if node[COUNT] < 0:
            if nodes >= node_limit:
                break
            nodes += 1
            expand(board, table, stack, ply)
        # 2. The next child is searched,
        if node[BEST] < node[BETA] and node[CURSOR] < node[COUNT]:
            child = stack.order[ply, node[CURSOR]]
            node[CURSOR] += 1
            row = stack.children[child]
            ply += 1
            enter(
                stack,
                ply,
                stack.child_own[child],
                stack.child_opp[child],
                stack.child_moves[child],
                stack.child_key[child],
                row[C_MIRRORED],
                row[C_TABLE_COLUMN],
                row[C_PLACED],
                row[C_BETA],
                row[C_TURNED],
                nodes,
            )
            continue
        # 3. or there is none left to search and the node's value goes into the table and to its parent.
        value = node[BEST]
        if node[COUNT] > 0:
            column = node[BEST_COLUMN]
            if node[MIRRORED] and column != NO_COLUMN:
                column = board.cols - 1 - column
            if value >= node[BETA]:
                store(table, stack.key[ply], value, UNKNOWN, column, nodes - node[BEFORE])
            else:
                store(table, stack.key[ply], -UNKNOWN, value, column, nodes - node[BEFORE])
        if ply == 0:
            state[VALUE] = value
            finished = True
            break
        if node[TURNED] == 1:
            value = -value
        ply -= 1
        parent = stack.plies[ply]
        if value > parent[BEST]:
            parent[BEST] = value
            parent[BEST_COLUMN] = stack.children[stack.order[ply, parent[CURSOR] - 1], C_COLUMN]
    state[SP], state[NODES] = ply, nodes
    return finished


@kernel
def next_question(lower, upper, weak):
    """The beta to ask next: 0 and 1 decide the result; wins and losses far from a draw are quicker to prove or refute."""
    if weak:
        return np.int64(1) if upper > 0 else np.int64(0)
    middle = lower + (upper - lower + 1) // 2
    if middle <= 0 and lower // 2 < middle:
        middle = -((-lower) // 2)
    elif middle > 0 and upper // 2 > middle:
        middle = upper // 2
    return min(max(middle, lower + 1), upper)


@kernel
def ask(table, stack, key, mirrored, own, opp, moves, placed, beta, state):
    """Put the root on the stack with a question."""
    enter(stack, 0, own, opp, moves, scramble(table, key), mirrored, NO_COLUMN, placed, beta, 0, state[NODES])
    state[SP] = 0
    state[PHASE] = SEARCH


@kernel
def middle_column(board, moves):
    """The column nearest the middle that holds one of the moves."""
    best, distance = NO_COLUMN, 2 * board.cols
    for column in range(board.cols):
        if moves & (board.column << (np.uint64(column) * board.height)) != ZERO and abs(2 * column - board.cols + 1) < distance:
            best, distance = column, abs(2 * column - board.cols + 1)
    return best


@kernel
def solve_positions(board, table, stack, state, owns, opps, lowers, uppers, columns, weak, node_limit):
    """Narrow the bounds of positions that are not over; True when all are done, False when the allowance of nodes is used up.

    - ``state``: int64 (STATE_SIZE,), zeros at first; ``state[NODES]`` counts the nodes of all slices.
    - ``owns``, ``opps``: uint64 (positions,): the stones of the side to move and of the other.
    - ``lowers``, ``uppers``: int64 (positions,): bounds to begin with; narrowed until they meet (``weak``: until the result is known). Where
      they meet at first, the search only looks for a move that attains the value.
    - ``columns``: int64 (positions,): filled with a best move.
    """
    while state[INDEX] < len(owns):
        i = state[INDEX]
        own, opp = owns[i], opps[i]
        placed = count_bits(own | opp)
        if state[PHASE] == BEGIN:
            # 1. A win at once, or nothing but moves that lose at once.
            left = board.cells - placed
            wins = win_at_once(board, own, opp)
            moves = safe_moves(board, own, opp)
            if wins != ZERO or moves == ZERO:
                lowers[i] = (left + 1) // 2 if wins != ZERO else -(left // 2)
                uppers[i] = lowers[i]
                columns[i] = middle_column(board, wins if wins != ZERO else ((own | opp) + board.bottom) & board.playable)
                state[INDEX] += 1
                continue
            # 2. Otherwise nobody wins within two plies, and any of the moves left attains the lower bound.
            known = lowers[i] == uppers[i]
            columns[i] = middle_column(board, moves)
            lowest = -max((left - 2) // 2, 0)
            if known and lowers[i] <= lowest:
                state[INDEX] += 1
                continue
            lowers[i], uppers[i] = max(lowers[i], lowest), min(uppers[i], (left - 1) // 2)
            if (lowers[i] >= uppers[i] and not known) or (weak and (lowers[i] > 0 or uppers[i] < 0)):
                state[INDEX] += 1
                continue
            beta = lowers[i] if known else next_question(lowers[i], uppers[i], weak)
            key, mirrored = key_of(board, own, opp)
            ask(table, stack, key, mirrored, own, opp, moves, placed, beta, state)
        # 3. Ask until the bounds meet.
        if not search(board, table, stack, state, node_limit):
            return False
        value, beta, column = state[VALUE], stack.plies[0, BETA], stack.plies[0, BEST_COLUMN]
        if value >= beta:
            columns[i] = column
            lowers[i] = max(lowers[i], value)
        else:
            uppers[i] = min(uppers[i], value)
        if lowers[i] >= uppers[i] or (weak and (lowers[i] > 0 or uppers[i] < 0)):
            state[INDEX] += 1
            state[PHASE] = BEGIN
            continue
        beta = next_question(lowers[i], uppers[i], weak)
        key, mirrored = key_of(board, own, opp)
        ask(table, stack, key, mirrored, own, opp, safe_moves(board, own, opp), placed, beta, state)
    return True
