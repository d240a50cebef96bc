"""The transposition table of the dots-and-boxes solver: bounds and effort in 64 bits.

A bucket is one cache line of eight entries. The hash of a position is a one-to-one function of it.
Its upper bits, at least 14, are the number of its bucket, and an entry holds all the others, so no
two positions are ever taken for one another. Below them an entry holds four bits of effort and
twice five bits: half the distance of the lower bound from −boxes and of the upper bound from
+boxes. An entry without knowledge is 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.kernels import inner_kernel
from ...table_size import entries_within
from .board import ONE, ZERO

ENTRIES = 8  # in a bucket
BUCKET = np.dtype([("entries", np.uint64, ENTRIES)])
LEAST_BUCKET_BITS = 14
BOUND_MASK, EFFORT_MASK = np.uint64(31), np.uint64(15)
LOWER_SHIFT, EFFORT_SHIFT, HASH_SHIFT = np.uint64(5), np.uint64(10), np.uint64(14)


class Table(NamedTuple):
    """The transposition table.

    Attributes:
        buckets: BUCKET (2^n,), aligned with cache lines.
        shift: how many bits of a hash its entry holds; the others are the number of its bucket.
    """

    buckets: Any
    shift: np.uint64


def new_table(memory_mb: int, edges: int) -> Table:
    """An empty table of at most so many MiB that is of use on a board of so many edges."""
    useful = 1 << max(LEAST_BUCKET_BITS, edges - 11)
    count = min(entries_within(memory_mb, BUCKET.itemsize), useful)
    words = np.zeros(ENTRIES * (count + 1), np.uint64)
    start = -(words.ctypes.data // 8) % ENTRIES
    buckets = words[start : start + ENTRIES * count].view(BUCKET).view(np.recarray)
    return Table(buckets, np.uint64(64 - (count.bit_length() - 1)))


@inner_kernel
def bucket_of(table, position_hash):
    """The number of the bucket of a position."""
    return np.int64(position_hash >> table.shift)


@inner_kernel
def rest_of(table, position_hash):
    """The bits of a hash that its entry holds."""
    return position_hash & ((ONE << table.shift) - ONE)


@inner_kernel
def probe(table, position_hash, boxes):
    """The bounds known of a position of so many boxes: (lower, upper)."""
    entries = table.buckets[bucket_of(table, position_hash)].entries
    rest = rest_of(table, position_hash)
    data, copies = ZERO, ZERO
    for slot in range(ENTRIES):  # without a branch, so that all eight are compared at once
        entry = entries[slot]
        is_own = entry >> HASH_SHIFT == rest
        data |= entry if is_own else ZERO
        copies += ONE if is_own else ZERO
    if copies > ONE:  # threads have stored it at the same time, each in a slot of its own
        data = ZERO
        for slot in range(ENTRIES):
            entry = entries[slot]
            if entry >> HASH_SHIFT == rest and entry > data:
                data = entry
    lower = 2 * np.int64((data >> LOWER_SHIFT) & BOUND_MASK) - boxes
    upper = boxes - 2 * np.int64(data & BOUND_MASK)
    return lower, upper


@inner_kernel
def store(table, position_hash, boxes, lower, upper, positions):
    """Keep bounds of a position of so many boxes that took so many positions to search.

    They replace the position's own entry, or a free one, or that of the least effort.
    """
    entries = table.buckets[bucket_of(table, position_hash)].entries
    rest = rest_of(table, position_hash)
    index, least = 0, EFFORT_MASK + ONE
    for slot in range(ENTRIES):
        entry = entries[slot]
        if entry == ZERO or entry >> HASH_SHIFT == rest:
            index = slot
            break
        stored_effort = (entry >> EFFORT_SHIFT) & EFFORT_MASK
        if stored_effort < least:
            index, least = slot, stored_effort
    effort = ZERO
    while positions > 0 and effort < EFFORT_MASK:
        positions >>= 2
        effort += ONE
    half_distances = np.uint64((lower + boxes) >> 1), np.uint64((boxes - upper) >> 1)
    bounds = half_distances[0] << LOWER_SHIFT | half_distances[1]
    entries[index] = rest << HASH_SHIFT | effort << EFFORT_SHIFT | bounds
