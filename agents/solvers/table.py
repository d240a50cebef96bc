"""The transposition table of exact searches: bounds on values, and best actions.

An entry has as many words as a key. The low bits of its first word are its data: the proved bounds
and action. The other bits are those of the key's first word, whose low bits are 0. The other words
of the key are stored in full, so entries of different positions are never confused. Each is mixed
with the word before, so an entry written in part by several threads matches no key (Hyatt, Mann, "A
lockless transposition-table implementation for parallel search", ICGA Journal 25, 2002).

A bucket has one or two entries. The first keeps the position that took more effort, the second the
latest (Breuker, Uiterwijk, van den Herik, "Replacement schemes for transposition tables", ICCA
Journal 17, 1994).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.randomness import GAMMA
from .table_size import entries_within

ZERO, ONE = np.uint64(0), np.uint64(1)
NO_ACTION = -1


class BoundTable(NamedTuple):
    """A table, and the widths in bits of an entry's data.

    Attributes:
        entries: uint64 (buckets, entries of a bucket, words).
        bound: the width of each of two bounds, the lower one first.
        action: the width of the best action. The effort, a logarithm, takes the rest.
        data: the mask of the data in the first word of an entry.
    """

    entries: Any
    bound: np.uint64
    action: np.uint64
    data: np.uint64


def new_table(
    memory_mb: int, words: int, bucket: int = 2, widths: tuple[int, int, int] = (16, 16, 8)
) -> BoundTable:
    """An empty table of at most ``memory_mb`` MiB: a power of two of buckets.

    ``words`` is the number of words of a key, ``bucket`` of entries in a bucket, ``widths`` the
    widths of a bound, an action and the effort.
    """
    bound, action, effort = widths
    buckets = entries_within(memory_mb, 8 * bucket * words)
    return BoundTable(
        np.zeros((buckets, bucket, words), np.uint64),
        np.uint64(bound),
        np.uint64(action),
        np.uint64((1 << 2 * bound + action + effort) - 1),
    )


@inner_kernel
def bucket_of(table, position_hash):
    """The bucket of a position."""
    return np.int64(position_hash & np.uint64(table.entries.shape[0] - 1))


@inner_kernel
def _data_at(table, bucket, entry, key):
    """The data of an entry, ``ZERO`` if it is not for the position with this key."""
    data = table.entries[bucket, entry, 0] ^ key[0]
    if data > table.data:
        return ZERO
    before = data
    for word in range(1, len(key)):
        if table.entries[bucket, entry, word] != key[word] ^ before * GAMMA:
            return ZERO
        before = table.entries[bucket, entry, word]
    return data


@inner_kernel
def probe(table, bucket, key):
    """The data of a position's entry, or ``ZERO``; see the functions ``…_of`` below."""
    for entry in range(table.entries.shape[1]):
        data = _data_at(table, bucket, entry, key)
        if data != ZERO:
            return data
    return ZERO


@inner_kernel
def store(table, bucket, key, lower, upper, action, nodes):
    """Store bounds and the best action of a position whose search took this many nodes.

    Earlier bounds remain valid. So does the earlier action if there is no new one.
    """
    entries = table.entries
    entry = entries.shape[1] - 1
    for each in range(entries.shape[1]):
        before = _data_at(table, bucket, each, key)
        if before != ZERO:
            lower, upper = max(lower, lower_of(table, before)), min(upper, upper_of(table, before))
            if action == NO_ACTION:
                action = action_of(table, before)
            entry = each
            break
    effort_shift = table.bound + table.bound + table.action
    most_effort = table.data >> effort_shift
    effort = ONE
    while nodes > 1 and effort < most_effort:
        nodes >>= 1
        effort += ONE
    if entry != 0 and effort >= (entries[bucket, 0, 0] & table.data) >> effort_shift:
        for word in range(len(key)):
            entries[bucket, entry, word] = entries[bucket, 0, word]
        entry = 0
    offset = np.int64(ONE << (table.bound - ONE))
    data = (
        np.uint64(lower + offset)
        | (np.uint64(upper + offset) << table.bound)
        | (np.uint64(action & np.int64(_mask_of(table.action))) << (table.bound + table.bound))
        | (effort << effort_shift)
    )
    entries[bucket, entry, 0] = key[0] | data
    for word in range(1, len(key)):
        data = key[word] ^ data * GAMMA
        entries[bucket, entry, word] = data


@inner_kernel
def _mask_of(width):
    """A mask of low bits."""
    return (ONE << width) - ONE


@inner_kernel
def lower_of(table, data):
    """The lower bound."""
    return np.int64(data & _mask_of(table.bound)) - np.int64(ONE << (table.bound - ONE))


@inner_kernel
def upper_of(table, data):
    """The upper bound."""
    return lower_of(table, data >> table.bound)


@inner_kernel
def action_of(table, data):
    """The best action, or ``NO_ACTION``."""
    action = data >> (table.bound + table.bound)
    return np.int64((action + ONE) & _mask_of(table.action)) - 1
