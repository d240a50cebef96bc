"""The transposition table of Othello: bounds on the value, and the best move.

An entry contains the discs of both sides, mixed with its data. So there are no collisions, and an
entry that another thread has partly overwritten is not found. A bucket has two entries: the first
keeps the position that took more effort, the second the latest. A search with few free cells uses a
small part of the table, which stays in the processor's caches.
"""

from __future__ import annotations

import numpy as np

from .....agents.solvers.table_size import entries_within
from .....envs.compiled.kernels import inner_kernel
from .....envs.compiled.randomness import GAMMA, MIX_1, mix64
from ..board import ONE, ZERO

WORDS = 3  # per entry: two sides and the data
BUCKET_WORDS = 2 * WORDS
OFFSET = 64  # added to values to store them
BYTE = np.uint64(255)
UPPER_SHIFT, MOVE_SHIFT, EFFORT_SHIFT = np.uint64(8), np.uint64(16), np.uint64(24)
MARK = np.uint64(1 << 32)  # distinguishes data from an empty entry
UNKNOWN = 64  # an unknown bound is this or its negative
NO_CELL = 127


def new_table(memory_mb: int) -> np.ndarray:
    """An empty table of at most ``memory_mb`` MiB, uint64; the buckets are a power of two."""
    return np.zeros(entries_within(memory_mb, 8 * BUCKET_WORDS) * BUCKET_WORDS, np.uint64)


@inner_kernel
def bucket_mask(table, free):
    """The mask of bucket numbers for a search that begins with ``free`` free cells."""
    buckets = np.uint64(table.size // BUCKET_WORDS)
    return min(buckets, ONE << np.uint64(max(free, 8))) - ONE


@inner_kernel
def bucket_of(mask, own, other):
    """The first word of the bucket of a position."""
    key = mix64(own + GAMMA * other ^ (other >> UPPER_SHIFT))
    return np.int64(key & mask) * BUCKET_WORDS


@inner_kernel
def probe(table, bucket, own, other):
    """The data of a position's entry, or 0; see the functions ``…_of`` below."""
    for word in (bucket, bucket + WORDS):
        data = table[word + 2]
        if holds(table, word, data, own, other):
            return data
    return ZERO


@inner_kernel
def holds(table, word, data, own, other):
    """Whether an entry with this data belongs to a position."""
    return (
        table[word] == own ^ data * GAMMA
        and table[word + 1] == other ^ own * MIX_1 ^ data
        and data != ZERO
    )


@inner_kernel
def store(table, bucket, own, other, lower, upper, move, nodes):
    """Store bounds and the best move of a position; ``nodes`` is the search effort.

    Earlier bounds remain valid.
    """
    effort = 1
    while nodes > 1:
        nodes >>= 1
        effort += 1
    word = bucket + WORDS
    for each in (bucket, bucket + WORDS):
        data = table[each + 2]
        if holds(table, each, data, own, other):
            lower, upper = max(lower, lower_of(data)), min(upper, upper_of(data))
            if move == NO_CELL:
                move = move_of(data)
            word = each
            break
    if word != bucket and effort >= np.int64(table[bucket + 2] >> EFFORT_SHIFT & BYTE):
        for i in range(WORDS):
            table[word + i] = table[bucket + i]
        word = bucket
    data = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << UPPER_SHIFT)
        | (np.uint64(move) << MOVE_SHIFT)
        | (np.uint64(effort) << EFFORT_SHIFT)
        | MARK
    )
    table[word], table[word + 1] = own ^ data * GAMMA, other ^ own * MIX_1 ^ data
    table[word + 2] = data


@inner_kernel
def lower_of(data):
    """The lower bound."""
    return np.int64(data & BYTE) - OFFSET


@inner_kernel
def upper_of(data):
    """The upper bound."""
    return np.int64(data >> UPPER_SHIFT & BYTE) - OFFSET


@inner_kernel
def move_of(data):
    """The best move, or ``NO_CELL``."""
    return np.int64(data >> MOVE_SHIFT & BYTE)
