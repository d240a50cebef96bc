"""The transposition table: what a search found out about a position, for when it meets the position
again.

Entries come in buckets of two: the first keeps the deeper search, the second the latest. Each
search stamps its entries with its generation and believes no other's, so a table needs no clearing
between searches. Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes for transposition
tables", ICCA Journal 17, 1994.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...envs.compiled.kernels import kernel
from ...envs.specification import SpecificationError

ENTRY = np.dtype(
    (
        np.record,
        [
            ("key", np.uint64),
            ("value", np.int32),
            ("action", np.int16),
            ("depth", np.uint8),
            ("tag", np.uint8),
        ],
    )
)
# which side of the true value the stored one is; the low bits of a tag
LOWER, UPPER, EXACT = 1, 2, 3
GENERATIONS = 63  # the high bits of a tag, 1 to 63
NO_ACTION = -1
ONE = np.uint64(1)


def new_table(megabytes: float) -> np.recarray[Any, Any]:
    """An empty table of at most ``megabytes``: a power of two of entries, at least one bucket."""
    entries = 2
    while entries * 2 * ENTRY.itemsize <= megabytes * 2**20:
        entries *= 2
    return np.zeros(entries, ENTRY).view(np.recarray)


def check_table_size(megabytes: float) -> None:
    """Refuse a table larger than the machine's memory."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    if megabytes > total:
        raise SpecificationError(
            f"table={megabytes:g} is not possible: this machine has {total:.0f} MB of memory"
        )


@kernel
def probe(table, key, generation):
    """The index of the entry for ``key`` written by this generation, or −1."""
    bucket = np.int64(key & np.uint64(table.size - 2))
    for index in range(bucket, bucket + 2):
        if table[index].key == key and table[index].tag >> 2 == generation:
            return index
    return -1


@kernel
def store(table, key, generation, value, action, depth, bound):
    """Enter a result: over the shallower or outdated first entry of the bucket, else over the
    second.
    """
    index = np.int64(key & np.uint64(table.size - 2))
    first = table[index]
    if first.key != key and first.tag >> 2 == generation and first.depth > depth:
        index += 1
    entry = table[index]
    if action == NO_ACTION and entry.key == key and entry.tag >> 2 == generation:
        action = entry.action  # a fail-low search has no best action of its own
    entry.key = key
    entry.value = value
    entry.action = action
    entry.depth = depth
    entry.tag = (generation << 2) | bound
