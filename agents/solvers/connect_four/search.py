"""Connect four exactly: null-window negamax with a transposition table, on an explicit stack.

Every search asks one question, "is the value at least beta?"; :func:`solve_positions` narrows the
bounds of a position by such questions until they meet. The work is cut into slices: a kernel
returns when its allowance of nodes is used up and goes on from its arrays when it is called again.

The table. An entry is one uint64: a check of the key, the lower and the upper bound proved, the
move that was best, and a measure of the work. The key is scrambled by a bijection; its low bits are
the bucket, and the check is all of it but bits that every bucket's number holds, so that bucket and
check together are the whole key and an entry is never taken for another position's. Two entries
share a bucket: the first keeps the position that took more work, the second the latest. A search
begins in a small part of the table, which stays in the processor's cache, and takes more as it
grows: fewer low bits or more make no difference to what an entry means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import kernel
from ..prefetch import prefetch
from .board import (
    ONE,
    ZERO,
    column_at,
    follow,
    key_of,
    safe_moves,
    win_at_once,
    winning_cells,
)

DATA_BITS = 24
CHECK_BITS = 64 - DATA_BITS
DATA = np.uint64((1 << DATA_BITS) - 1)
DATA_SHIFT = np.uint64(DATA_BITS)
SEVEN, FOURTEEN, NINETEEN = np.uint64(7), np.uint64(14), np.uint64(19)
SEVEN_BITS, FIVE_BITS = np.uint64(127), np.uint64(31)
OFFSET = 64  # added to bounds to store them
MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(24)
NO_COLUMN = 31
UNKNOWN = 63  # a bound that says nothing

# What a slice of work hands to the next: columns of `state`.
INDEX, PHASE, PLY, NODES, VALUE, SINCE = range(6)
STATE_SIZE = 6
BEGIN, SEARCH = range(2)  # phases
ALL_NODES = 1 << 62
# Parts of the table, as masks of bucket numbers (16 bytes each), for searches up to a number of
# nodes: 1 MiB, 64 MiB, then all.
PARTS = ((np.uint64((1 << 16) - 1), 30_000), (np.uint64((1 << 22) - 1), 3_000_000))

# The stack of plies: two arrays with one row per ply, one of sets of cells and keys (uint64) and
# one of numbers (int64). A row holds the columns of the node and then, child after child, those of
# its children that are to be searched. Two arrays and not one for each column, because compiled
# code counts references to every array that it hands to another function.
OWN, OPP, MOVES, KEY = range(4)
SETS = 4
PLACED, BETA, TURNED, MIRRORED, TABLE_COLUMN, COLUMN, SCORE = range(7)  # of nodes and children
BEST, BEST_COLUMN, COUNT, CURSOR, BEFORE = range(7, 12)  # of nodes
ORDER = 7  # of children: which child is searched in this place
NODE_NUMBERS, CHILD_NUMBERS = 12, 8


class Table(NamedTuple):
    """The transposition table.

    Attributes:
        entries: uint64 (2^n,), two to a bucket.
        buckets: the mask of bucket numbers in use.
        key_mask: as many bits as keys have.
        dropped: how many low bits of a key are not in the check; the mask of buckets has at least
            as many.
    """

    entries: np.ndarray
    buckets: np.uint64
    key_mask: np.uint64
    dropped: np.uint64


def least_memory_mb(key_bits: int) -> int:
    """The memory that a table for keys of so many bits takes at least, in MiB: bucket number and
    check must hold the whole key.
    """
    return max(1, (16 << max(key_bits - CHECK_BITS, 0)) >> 20)


def make_table(key_bits: int, memory_mb: int) -> Table:
    """The largest table, of a power of two entries, that the memory holds."""
    bucket_bits = (memory_mb << 16).bit_length() - 1
    numbers = (1 << bucket_bits) - 1, (1 << key_bits) - 1, max(key_bits - CHECK_BITS, 0)
    return Table(np.zeros(2 << bucket_bits, np.uint64), *(np.uint64(number) for number in numbers))


class Stack(NamedTuple):
    """The plies of a search, as described above.

    Attributes:
        sets: uint64 (plies, SETS * (1 + cols)).
        numbers: int64 (plies, NODE_NUMBERS + CHILD_NUMBERS * cols).
    """

    sets: np.ndarray
    numbers: np.ndarray


def make_stack(cells: int, cols: int) -> Stack:
    """A stack for games of at most ``cells`` plies."""
    return Stack(
        np.zeros((cells + 2, SETS * (1 + cols)), np.uint64),
        np.zeros((cells + 2, NODE_NUMBERS + CHILD_NUMBERS * cols), np.int64),
    )


@kernel
def part_of(table, nodes):
    """The part of the table for a search of so many nodes so far, and the number of nodes up to
    which it is meant for.
    """
    for level in range(len(PARTS)):
        buckets, limit = PARTS[level]
        if nodes < limit:
            return Table(
                table.entries,
                min(table.buckets, max(buckets, (ONE << table.dropped) - ONE)),
                table.key_mask,
                table.dropped,
            ), limit
    return table, ALL_NODES


@kernel
def scramble(table, key):
    """A bijection of keys whose low bits depend on all bits of the key."""
    key ^= key >> HALF
    key = (key * MULTIPLY) & table.key_mask
    key ^= key >> HALF
    key = (key * MULTIPLY) & table.key_mask
    return key ^ (key >> HALF)


@kernel
def first_slot(table, key):
    """The first entry of the bucket of a scrambled key."""
    return np.int64((key & table.buckets) << ONE)


@kernel
def probe(table, key):
    """The data of a scrambled key, or 0."""
    slot = first_slot(table, key)
    check = (key >> table.dropped) << DATA_SHIFT
    entry = table.entries[slot]
    if (entry ^ check) <= DATA:
        return entry & DATA
    entry = table.entries[slot + 1]
    if (entry ^ check) <= DATA:
        return entry & DATA
    return ZERO


@kernel
def store(table, key, lower, upper, column, work):
    """Keep bounds of a position (``UNKNOWN``, with its sign, for one that is not known); bounds
    known before are kept too.
    """
    first = first_slot(table, key)
    check = (key >> table.dropped) << DATA_SHIFT
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
    data = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << SEVEN)
        | (np.uint64(column) << FOURTEEN)
        | (np.uint64(effort) << NINETEEN)
    )
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
def expand(board, table, sets, numbers, ply):
    """List the children of the node at ``ply`` that need searching, best first, and take the value
    of all others into the node.
    """
    own, opp, moves = sets[ply, OWN], sets[ply, OPP], sets[ply, MOVES]
    placed, beta, table_column = (
        numbers[ply, PLACED],
        numbers[ply, BETA],
        numbers[ply, TABLE_COLUMN],
    )
    best, best_column, found = -OFFSET, NO_COLUMN, 0
    # 1. A child that forced moves or bounds decide is not searched. The table entries of the others
    #    are sent for.
    while moves != ZERO:
        cell = moves & (~moves + ONE)
        moves ^= cell
        column = column_at(board, cell)
        after = own | cell
        threats = winning_cells(board, after, after | opp)
        decided, value, c_own, c_opp, c_placed, c_beta, c_moves, turned = follow(
            board, opp, after, threats, placed + 1, 1 - beta
        )
        turned ^= 1  # now 1 if the value is the other side's
        if decided:
            if turned == 1:
                value = -value
            if value > best:
                best, best_column = value, column
                if best >= beta:
                    break
            continue
        key, mirrored = key_of(board, c_own, c_opp)
        key = scramble(table, key)
        prefetch(table.entries, first_slot(table, key))
        child = SETS * (1 + found)
        (
            sets[ply, child + OWN],
            sets[ply, child + OPP],
            sets[ply, child + MOVES],
            sets[ply, child + KEY],
        ) = c_own, c_opp, c_moves, key
        child = NODE_NUMBERS + CHILD_NUMBERS * found
        numbers[ply, child + PLACED], numbers[ply, child + BETA], numbers[ply, child + TURNED] = (
            c_placed,
            c_beta,
            turned,
        )
        numbers[ply, child + COLUMN], numbers[ply, child + MIRRORED] = column, mirrored
        # The threats a move creates make its place in the order, twice those that nobody will block
        # by playing next; then comes the middle.
        upcoming = threats & (((after | opp) + board.bottom) << ONE)
        score = 64 * (count_bits(threats) + count_bits(upcoming)) - abs(2 * column - board.cols + 1)
        numbers[ply, child + SCORE] = score + (1 << 20 if column == table_column else 0)
        found += 1
    # 2. Nor is a child that the table decides (enhanced transposition cut-off). The others are
    #    sorted.
    count = 0
    for i in range(found):
        if best >= beta:
            break
        child = NODE_NUMBERS + CHILD_NUMBERS * i
        data = probe(table, sets[ply, SETS * (1 + i) + KEY])
        column = NO_COLUMN
        if data != ZERO:
            c_beta, lower, upper = numbers[ply, child + BETA], lower_of(data), upper_of(data)
            if lower >= c_beta or upper < c_beta:
                value = lower if lower >= c_beta else upper
                if numbers[ply, child + TURNED] == 1:
                    value = -value
                if value > best:
                    best, best_column = value, numbers[ply, child + COLUMN]
                continue
            column = column_of(data)
            if numbers[ply, child + MIRRORED] == 1 and column != NO_COLUMN:
                column = board.cols - 1 - column
        numbers[ply, child + TABLE_COLUMN] = column
        place = count
        score = numbers[ply, child + SCORE]
        while place > 0:
            earlier = numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * (place - 1) + ORDER]
            if numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * earlier + SCORE] >= score:
                break
            numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * place + ORDER] = earlier
            place -= 1
        numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * place + ORDER] = i
        count += 1
    numbers[ply, BEST], numbers[ply, BEST_COLUMN], numbers[ply, COUNT] = (
        best,
        best_column,
        count if best < beta else 0,
    )


@kernel
def search(board, table, stack, state, node_limit):
    """Answer the question of the node at the bottom of the stack; True if it was finished within
    the allowance of nodes.

    ``state[VALUE]`` is then a lower bound on its value if it is at least beta, an upper bound if
    not.
    """
    sets, numbers = stack.sets, stack.numbers
    ply, nodes = state[PLY], state[NODES]
    finished = False
    while True:
        # 1. A new node: find its children.
        if numbers[ply, COUNT] < 0:
            if nodes >= node_limit:
                break
            nodes += 1
            expand(board, table, sets, numbers, ply)
        # 2. The next child is searched,
        cursor = numbers[ply, CURSOR]
        if numbers[ply, BEST] < numbers[ply, BETA] and cursor < numbers[ply, COUNT]:
            numbers[ply, CURSOR] = cursor + 1
            i = numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * cursor + ORDER]
            for k in range(SETS):
                sets[ply + 1, k] = sets[ply, SETS * (1 + i) + k]
            for k in range(COLUMN):
                numbers[ply + 1, k] = numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * i + k]
            ply += 1
            numbers[ply, COUNT], numbers[ply, CURSOR], numbers[ply, BEFORE] = -1, 0, nodes
            continue
        # 3. or there is none left to search and the node's value goes into the table and to its
        #    parent.
        value, beta = numbers[ply, BEST], numbers[ply, BETA]
        if numbers[ply, COUNT] > 0:
            column = numbers[ply, BEST_COLUMN]
            if numbers[ply, MIRRORED] == 1 and column != NO_COLUMN:
                column = board.cols - 1 - column
            lower, upper = (value, UNKNOWN) if value >= beta else (-UNKNOWN, value)
            store(table, sets[ply, KEY], lower, upper, column, nodes - numbers[ply, BEFORE])
        if ply == 0:
            state[VALUE] = value
            finished = True
            break
        if numbers[ply, TURNED] == 1:
            value = -value
        ply -= 1
        if value > numbers[ply, BEST]:
            numbers[ply, BEST] = value
            i = numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * (numbers[ply, CURSOR] - 1) + ORDER]
            numbers[ply, BEST_COLUMN] = numbers[ply, NODE_NUMBERS + CHILD_NUMBERS * i + COLUMN]
    state[PLY], state[NODES] = ply, nodes
    return finished


@kernel
def next_question(lower, upper, weak):
    """The beta to ask next, above ``lower`` and at most ``upper``.

    Quick wins and losses are cheap to prove or refute, so the ends come first, a quarter of the way
    in each time; what they leave in the table helps near the value, where questions are expensive.
    Once little is left, the result is asked for, then the middle.
    """
    if not weak and upper - lower > 8:
        quarter = (upper - lower) // 4
        return upper - quarter if upper + lower >= 0 else lower + 1 + quarter
    if lower < 0 and upper > 0:
        return np.int64(1) if weak or upper + lower >= 0 else np.int64(0)
    if weak:
        return np.int64(1) if upper > 0 else np.int64(0)
    return lower + (upper - lower + 1) // 2


@kernel
def ask(board, table, stack, state, own, opp, placed, beta):
    """Put a position on the stack, as the root, with a question."""
    key, mirrored = key_of(board, own, opp)
    sets, numbers = stack.sets, stack.numbers
    sets[0, OWN], sets[0, OPP], sets[0, MOVES] = (
        own,
        opp,
        safe_moves(board, own, opp, winning_cells(board, opp, own | opp)),
    )
    sets[0, KEY] = scramble(table, key)
    (
        numbers[0, PLACED],
        numbers[0, BETA],
        numbers[0, TURNED],
        numbers[0, MIRRORED],
        numbers[0, TABLE_COLUMN],
    ) = placed, beta, 0, mirrored, NO_COLUMN
    numbers[0, COUNT], numbers[0, CURSOR], numbers[0, BEFORE] = -1, 0, state[NODES]
    state[PLY], state[PHASE] = 0, SEARCH


@kernel
def middle_column(board, moves):
    """The column nearest the middle that holds one of the moves."""
    best, distance = NO_COLUMN, 2 * board.cols
    for column in range(board.cols):
        if (
            moves & (board.column << (np.uint64(column) * board.height)) != ZERO
            and abs(2 * column - board.cols + 1) < distance
        ):
            best, distance = column, abs(2 * column - board.cols + 1)
    return best


@kernel
def solve_positions(
    board, table, stack, state, owns, opps, lowers, uppers, columns, weak, node_limit
):
    """Narrow the bounds of positions that are not over; True when all are done, False when the
    allowance of nodes is used up.

    - ``state``: int64 (STATE_SIZE,), zeros at first; ``state[NODES]`` counts the nodes of all
      slices.
    - ``owns``, ``opps``: uint64 (positions,): the stones of the side to move and of the other.
    - ``lowers``, ``uppers``: int64 (positions,): bounds to begin with; narrowed until they meet
      (``weak``: until the result is known). Where they meet at first, the search only looks for a
      move that attains the value.
    - ``columns``: int64 (positions,): filled with a best move.
    """
    while state[INDEX] < len(owns):
        i = state[INDEX]
        own, opp = owns[i], opps[i]
        placed = count_bits(own | opp)
        if state[PHASE] == BEGIN:
            state[SINCE] = state[NODES]
            # 1. A win at once, or nothing but moves that lose at once.
            left = board.cells - placed
            wins = win_at_once(board, own, opp)
            moves = safe_moves(board, own, opp, winning_cells(board, opp, own | opp))
            if wins != ZERO or moves == ZERO:
                lowers[i] = (left + 1) // 2 if wins != ZERO else -(left // 2)
                uppers[i] = lowers[i]
                columns[i] = middle_column(
                    board, wins if wins != ZERO else ((own | opp) + board.bottom) & board.playable
                )
                state[INDEX] += 1
                continue
            # 2. Otherwise nobody wins within two plies, and any of the moves left attains the lower
            #    bound.
            known = lowers[i] == uppers[i]
            columns[i] = middle_column(board, moves)
            lowest = -max((left - 2) // 2, 0)
            if known and lowers[i] <= lowest:
                state[INDEX] += 1
                continue
            lowers[i], uppers[i] = max(lowers[i], lowest), min(uppers[i], (left - 1) // 2)
            if (lowers[i] >= uppers[i] and not known) or (
                weak and (lowers[i] > 0 or uppers[i] < 0)
            ):
                state[INDEX] += 1
                continue
            beta = lowers[i] if known else next_question(lowers[i], uppers[i], weak)
            ask(board, table, stack, state, own, opp, placed, beta)
        # 3. Ask until the bounds meet.
        finished = False
        while not finished:
            if state[NODES] >= node_limit:
                return False
            part, limit = part_of(table, state[NODES] - state[SINCE])
            finished = search(board, part, stack, state, min(node_limit, state[SINCE] + limit))
        value, beta, column = state[VALUE], stack.numbers[0, BETA], stack.numbers[0, BEST_COLUMN]
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
        ask(board, table, stack, state, own, opp, placed, beta)
    return True
