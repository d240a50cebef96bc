"""The transposition table of the connect-four solver: one word for each entry.

A bijection scrambles the key. The low bits of the scrambled key are the number of its bucket. The
check stored in an entry is the rest of the key and a few bits more. Bucket number and check
together are the whole key. A search begins in a small part of the table, which fits into the CPU
cache, and uses larger parts later. The part in use is a mask of bucket numbers: the check covers
the bits that the mask drops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import GAMMA
from .. import table as t
from ..table_size import MIB
from .board import ONE

BUCKET_BYTES = 16
WIDTHS = 7, 5, 5  # widths in bits of a bound, a column and the effort
DATA_BITS = 24
CHECK_BITS = 64 - DATA_BITS
DATA_SHIFT = KEY_SHIFT = np.uint64(DATA_BITS)
UNKNOWN = 63  # the trivial upper bound, and the negated trivial lower bound
ALL_NODES = 1 << 62
# The parts of the table: a mask of bucket numbers, and the nodes up to which a search uses it. They
# are 1 MiB and 64 MiB, followed by the whole table.
PARTS = ((np.uint64((1 << 16) - 1), 30_000), (np.uint64((1 << 22) - 1), 3_000_000))


class ConnectFourTable(NamedTuple):
    """The transposition table.

    Attributes:
        bounds: its entries.
        buckets: the mask of bucket numbers in use.
        key_mask: the mask of key bits.
        check_shift: the number of low bits of a key that are not in the check; the mask of buckets
            has at least as many.
    """

    bounds: t.BoundTable
    buckets: np.uint64
    key_mask: np.uint64
    check_shift: np.uint64


def least_memory_mb(key_bits: int) -> int:
    """The smallest table for keys of this many bits, in MiB.

    Bucket number and check must hold the whole key.
    """
    return max(1, (BUCKET_BYTES << max(key_bits - CHECK_BITS, 0)) // MIB)


def new_table(memory_mb: int, key_bits: int) -> ConnectFourTable:
    """An empty table of at most ``memory_mb`` MiB: a power of two of buckets."""
    bounds = t.new_table(memory_mb, 1, widths=WIDTHS)
    return ConnectFourTable(
        bounds,
        np.uint64(len(bounds.entries) - 1),
        np.uint64((1 << key_bits) - 1),
        np.uint64(max(key_bits - CHECK_BITS, 0)),
    )


@kernel
def part_in_use(table, nodes):
    """The mask of buckets after this many nodes, and the nodes up to which it is used."""
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
def bucket_of(table, key):
    """The bucket of a scrambled key."""
    return np.int64(key & table.buckets)


@kernel
def check_of(table, key):
    """The part of a scrambled key that an entry holds."""
    return ((key >> table.check_shift) << DATA_SHIFT,)


@kernel
def probe(table, key):
    """The data of the entry for a scrambled key, or 0."""
    return t.probe(table.bounds, bucket_of(table, key), check_of(table, key))
