"""The transposition table of alpha-beta: the results of searched positions.

Entries come in buckets of two: the first keeps the deeper search, the second the latest. Each
search stamps its entries with its generation and ignores those of other generations, so a table
needs no clearing between searches. Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes
for transposition tables", ICCA Journal 17, 1994.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.specification import SpecificationError
from ..solvers.table_size import MIB, entries_within

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.int32),
        ("action", np.int16),
        ("depth", np.uint8),
        ("tag", np.uint8),
    ],
    align=True,
)
# The low two bits of a tag say whether the stored value is a bound or exact.
LOWER, UPPER, EXACT = 1, 2, 3
GENERATIONS = 63  # The high six bits of a tag hold the generation, 1 to 63.
NO_ACTION = -1


def new_table(memory_mb: float) -> np.recarray[Any, Any]:
    """An empty table of at most ``memory_mb`` MiB.

    Its size is a power of two of entries, at least one bucket.
    """
    return np.zeros(entries_within(memory_mb, ENTRY.itemsize, least=2), ENTRY).view(np.recarray)


def check_table_size(memory_mb: float) -> None:
    """Refuse a table larger than the machine's memory."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / MIB
    if memory_mb > total:
        raise SpecificationError(
            f"table={memory_mb:g} is not possible: this machine has {total:.0f} MiB of memory"
        )


@inner_kernel
def begin_generation(state, table):
    """Set ``state.generation`` to a generation without entries in the table."""
    state.generation = state.generation % GENERATIONS + 1
    if state.generation == 1:
        for i in range(table.size):
            table[i].tag = 0


@kernel
def probe(table, key, generation):
    """The index of this generation's entry for ``key``, or −1."""
    bucket = np.int64(key & np.uint64(table.size - 2))
    for index in range(bucket, bucket + 2):
        if table[index].key == key and table[index].tag >> 2 == generation:
            return index
    return -1


@kernel
def store(table, key, generation, value, bound, action, depth):
    """Keep the result of a search.

    It replaces the first entry of the bucket if that is shallower or from another generation, else
    the second.
    """
    index = np.int64(key & np.uint64(table.size - 2))
    first = table[index]
    if first.key != key and first.tag >> 2 == generation and first.depth > depth:
        index += 1
    entry = table[index]
    if action == NO_ACTION and entry.key == key and entry.tag >> 2 == generation:
        action = entry.action  # A search that fails low finds no best action.
    entry.key = key
    entry.value = value
    entry.action = action
    entry.depth = depth
    entry.tag = (generation << 2) | bound


@inner_kernel
def bound_of(value, alpha, beta):
    """The kind of bound of a value from a search within a window."""
    return UPPER if value <= alpha else LOWER if value >= beta else EXACT


@inner_kernel
def settles(bound, value, alpha, beta):
    """Whether a stored value decides a search within a window."""
    return (
        bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
    )
