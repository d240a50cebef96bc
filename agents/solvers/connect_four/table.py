"""The transposition table of the connect-four solver: bounds, best move and effort in 64 bits.

An entry holds a check of the key, the lower and the upper bound proved, the best move and the
effort. A bijection scrambles the key. The low bits of the scrambled key are the number of its
bucket. The check is the rest of it and a few bits more. Bucket number and check together are the
whole key, so an entry is never taken for that of another position.

A bucket has two entries. The first keeps the position that took more effort, the second the
latest. A search begins in a small part of the table, which fits into the processor's cache, and
uses larger parts as it goes on. The part in use is a mask of bucket numbers: the check makes up
for the bits that the mask leaves out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import GAMMA
from ...table_size import MIB, entries_within
from .board import ONE, ZERO

BUCKET_BYTES = 16
DATA_BITS = 24
CHECK_BITS = 64 - DATA_BITS
DATA = np.uint64((1 << DATA_BITS) - 1)
DATA_SHIFT = np.uint64(DATA_BITS)
SEVEN_BITS, FIVE_BITS = np.uint64(127), np.uint64(31)
UPPER_SHIFT, COLUMN_SHIFT, EFFORT_SHIFT = np.uint64(7), np.uint64(14), np.uint64(19)
KEY_SHIFT = np.uint64(24)
OFFSET = 64  # added to bounds to store them
NO_COLUMN = 31
UNKNOWN = 63  # an upper bound that says nothing, and the negative of such a lower bound
MOST_EFFORT = 31
ALL_NODES = 1 << 62
# The parts of the table: a mask of bucket numbers, and up to how many nodes a search uses it.
# They are 1 MiB and 64 MiB; after them comes the whole table.
PARTS = ((np.uint64((1 << 16) - 1), 30_000), (np.uint64((1 << 22) - 1), 3_000_000))


class ConnectFourTable(NamedTuple):
    """The transposition table.

    Attributes:
        entries: uint64 (2^n,), two to a bucket.
        buckets: the mask of bucket numbers in use.
        key_mask: as many bits as keys have.
        check_shift: how many low bits of a key are not in the check; the mask of buckets has at
            least as many.
    """

    entries: np.ndarray
    buckets: np.uint64
    key_mask: np.uint64
    check_shift: np.uint64


def least_memory_mb(key_bits: int) -> int:
    """The smallest table for keys of so many bits, in MiB.

    Bucket number and check must hold the whole key.
    """
    return max(1, (BUCKET_BYTES << max(key_bits - CHECK_BITS, 0)) // MIB)


def new_table(memory_mb: int, key_bits: int) -> ConnectFourTable:
    """An empty table of at most so many MiB: a power of two of buckets."""
    buckets = entries_within(memory_mb, BUCKET_BYTES)
    return ConnectFourTable(
        np.zeros(2 * buckets, np.uint64),
        np.uint64(buckets - 1),
        np.uint64((1 << key_bits) - 1),
        np.uint64(max(key_bits - CHECK_BITS, 0)),
    )


@kernel
def part_in_use(table, nodes):
    """The mask of buckets after so many nodes, and up to how many nodes it is used."""
    for level in range(len(PARTS)):
        buckets, limit = PARTS[level]
        if nodes < limit:
            return min(table.buckets, max(buckets, (ONE << table.check_shift) - ONE)), limit
    return table.buckets, ALL_NODES


@kernel
def scramble(table, key):
    """A bijection of keys whose low bits depend on all bits of the key."""
    key ^= key >> KEY_SHIFT
    key = (key * GAMMA) & table.key_mask
    key ^= key >> KEY_SHIFT
    key = (key * GAMMA) & table.key_mask
    return key ^ (key >> KEY_SHIFT)


@kernel
def first_slot(table, key):
    """The first entry of the bucket of a scrambled key."""
    return np.int64((key & table.buckets) << ONE)


@kernel
def probe(table, key):
    """The data of the entry for a scrambled key, or 0; see the functions ``…_of`` below."""
    slot = first_slot(table, key)
    check = (key >> table.check_shift) << DATA_SHIFT
    entry = table.entries[slot]
    if (entry ^ check) <= DATA:
        return entry & DATA
    entry = table.entries[slot + 1]
    if (entry ^ check) <= DATA:
        return entry & DATA
    return ZERO


@kernel
def store(table, key, lower, upper, column, nodes):
    """Keep bounds and the best move of a position that took so many nodes.

    A bound that is not known is ``-UNKNOWN`` or ``UNKNOWN``. Bounds stored before remain valid.
    """
    first = first_slot(table, key)
    check = (key >> table.check_shift) << DATA_SHIFT
    slot = first + 1
    for each in (first, first + 1):
        entry = table.entries[each]
        if (entry ^ check) <= DATA and entry & DATA != ZERO:
            lower = max(lower, lower_of(entry))
            upper = min(upper, upper_of(entry))
            slot = each
            break
    effort = 1
    while nodes > 1 and effort < MOST_EFFORT:
        nodes >>= 1
        effort += 1
    if slot != first and effort >= np.int64(table.entries[first] >> EFFORT_SHIFT & FIVE_BITS):
        table.entries[slot] = table.entries[first]
        slot = first
    data = (
        np.uint64(lower + OFFSET)
        | (np.uint64(upper + OFFSET) << UPPER_SHIFT)
        | (np.uint64(column) << COLUMN_SHIFT)
        | (np.uint64(effort) << EFFORT_SHIFT)
    )
    table.entries[slot] = check | data


@kernel
def lower_of(data):
    """The lower bound, ``-UNKNOWN`` if none is known."""
    return np.int64(data & SEVEN_BITS) - OFFSET


@kernel
def upper_of(data):
    """The upper bound, ``UNKNOWN`` if none is known."""
    return np.int64((data >> UPPER_SHIFT) & SEVEN_BITS) - OFFSET


@kernel
def column_of(data):
    """The best move, in the orientation of the key, or ``NO_COLUMN``."""
    return np.int64((data >> COLUMN_SHIFT) & FIVE_BITS)
