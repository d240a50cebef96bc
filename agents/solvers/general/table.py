"""The transposition table of the general solver: bounds on the value, and the best action.

An entry holds the position itself: the words of its record that differ between positions of the
game. So it is never taken for that of another position. A position that differs from others in
other words too is not kept. A bucket has two entries: the first keeps the position that took more
effort, the second the latest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.kernels import inner_kernel
from ...table_size import entries_within

BUCKET = 2  # entries
NO_ACTION = -1
LOWEST, HIGHEST = -(1 << 14), 1 << 14  # bounds that say nothing; values lie between them
# The data word of an entry: both bounds, the best action and the effort, each with an offset.
OFFSET = 1 << 15
SIXTEEN_BITS, EFFORT_MASK = np.uint64(0xFFFF), np.uint64(0xFF)
UPPER_SHIFT, ACTION_SHIFT, EFFORT_SHIFT = np.uint64(16), np.uint64(32), np.uint64(48)
MARK = np.uint64(1 << 63)  # tells data from an empty entry
EMPTY = np.uint64(0)
ONE = np.uint64(1)


class Layout(NamedTuple):
    """Which words of a record tell positions apart.

    Attributes:
        stored: int64: the numbers of the words that an entry of the table holds.
        constant: int64: those of the other words.
        initial: uint64: the words of the initial position. A position that differs from it in a
            constant word is not looked up.
    """

    stored: Any
    constant: Any
    initial: Any


def new_table(memory_mb: int, words: int) -> np.ndarray:
    """An empty table of at most so many MiB for positions of so many words.

    uint64 of shape (entries, words + 1), the data in the last column; a power of two of buckets.
    """
    buckets = entries_within(memory_mb, 8 * BUCKET * (words + 1))
    return np.zeros((BUCKET * buckets, words + 1), np.uint64)


@inner_kernel
def bucket_of(table, key):
    """The first entry of the bucket of a position with this key."""
    return np.int64(key & np.uint64(table.shape[0] // BUCKET - 1)) * BUCKET


@inner_kernel
def probe(table, bucket, words, layout):
    """The data of the entry of a position, or ``EMPTY``; see the functions ``…_of`` below.

    ``words`` are those of the position's record.
    """
    for entry in range(bucket, bucket + BUCKET):
        if holds(table, entry, words, layout):
            return table[entry, layout.stored.size]
    return EMPTY


@inner_kernel
def holds(table, entry, words, layout):
    """Whether an entry is that of a position."""
    if table[entry, layout.stored.size] == EMPTY:
        return False
    for place in range(layout.stored.size):
        if table[entry, place] != words[layout.stored[place]]:
            return False
    return can_hold(words, layout)


@inner_kernel
def can_hold(words, layout):
    """Whether the stored words of a position tell it from all others."""
    for place in range(layout.constant.size):
        if words[layout.constant[place]] != layout.initial[layout.constant[place]]:
            return False
    return True


@inner_kernel
def store(table, bucket, words, layout, lower, upper, action, nodes):
    """Keep bounds and the best action of a position that took so many nodes.

    Bounds stored before remain valid.
    """
    if not can_hold(words, layout):
        return
    effort = ONE
    while nodes > 1:
        nodes >>= 1
        effort += ONE
    data, entry = layout.stored.size, bucket + 1
    for each in range(bucket, bucket + BUCKET):
        if holds(table, each, words, layout):
            before = table[each, data]
            lower, upper = max(lower, lower_of(before)), min(upper, upper_of(before))
            if action == NO_ACTION:
                action = action_of(before)
            entry = each
            break
    if entry != bucket and effort >= (table[bucket, data] >> EFFORT_SHIFT) & EFFORT_MASK:
        for place in range(data + 1):
            table[entry, place] = table[bucket, place]
        entry = bucket
    for place in range(data):
        table[entry, place] = words[layout.stored[place]]
    table[entry, data] = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << UPPER_SHIFT)
        | (np.uint64(action + 1) << ACTION_SHIFT)
        | (effort << EFFORT_SHIFT)
        | MARK
    )


@inner_kernel
def lower_of(data):
    """The lower bound."""
    return np.int64(data & SIXTEEN_BITS) - OFFSET


@inner_kernel
def upper_of(data):
    """The upper bound."""
    return np.int64((data >> UPPER_SHIFT) & SIXTEEN_BITS) - OFFSET


@inner_kernel
def action_of(data):
    """The best action, or ``NO_ACTION``."""
    return np.int64((data >> ACTION_SHIFT) & SIXTEEN_BITS) - 1
