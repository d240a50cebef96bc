"""The transposition table of the m,n,k solver: bounds on the result and the best move.

Positions with few stones share one entry with their images under the symmetries of the board. The
image with the lowest hash stands for all of them. Each hash has one place in the table, and the
latest position keeps it.

An entry is three words: its data, and the stones of each side in exclusive or with a number drawn
from the data. So it is never taken for that of another position, and of an entry that several
threads have written in part nobody finds the stones (Hyatt, Mann, "A lockless transposition-table
implementation for parallel search", ICGA Journal 25, 2002).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import inner_kernel
from ....envs.compiled.randomness import SALT_2, mix64
from ...table_size import entries_within
from .board import image_of

NO_MOVE = -1
UNKNOWN = np.uint64(0)  # no entry

ENTRY = np.dtype([("own_check", np.uint64), ("opp_check", np.uint64), ("content", np.uint64)])
# The data: the bounds and the best move, each with 1 added, and a bit that is always set.
BOUND_MASK, MOVE_MASK = np.uint64(3), np.uint64(127)
UPPER_SHIFT, MOVE_SHIFT = np.uint64(2), np.uint64(4)
USED = np.uint64(1 << 11)


class MnkKey(NamedTuple):
    """The image of a position that stands for all its images: its hash and its stones."""

    hash: np.uint64
    own: np.uint64
    opp: np.uint64


def new_table(memory_mb: int) -> np.recarray[Any, Any]:
    """An empty table of at most so many MiB: a power of two of entries."""
    return np.zeros(entries_within(memory_mb, ENTRY.itemsize), ENTRY).view(np.recarray)


@inner_kernel
def key_of(board, own, opp):
    """The key of a position, and the symmetry that leads to the image it stands for."""
    lowest, best = hash_of(own, opp), 0
    if count_bits(own | opp) <= board.symmetric_stones:
        for symmetry in range(1, board.images.shape[0]):
            image_hash = hash_of(
                image_of(board.images, symmetry, own), image_of(board.images, symmetry, opp)
            )
            if image_hash < lowest:
                lowest, best = image_hash, symmetry
    return MnkKey(
        lowest, image_of(board.images, best, own), image_of(board.images, best, opp)
    ), best


@inner_kernel
def hash_of(own, opp):
    """A hash of the stones of both sides."""
    return mix64(own) ^ mix64(opp ^ SALT_2)


@inner_kernel
def probe(table, key):
    """The data of the entry for a key, or ``UNKNOWN``; see the functions ``…_of`` below."""
    entry = table[np.int64(key.hash & np.uint64(table.size - 1))]
    data = entry.content
    mask = mix64(data)
    is_own = entry.own_check ^ mask == key.own and entry.opp_check ^ mask == key.opp
    return data if is_own and data & USED != UNKNOWN else UNKNOWN


@inner_kernel
def store(table, key, lower, upper, move):
    """Keep bounds and the best move; bounds stored before remain valid."""
    before = probe(table, key)
    if before != UNKNOWN:
        lower, upper = max(lower, lower_of(before)), min(upper, upper_of(before))
    data = (
        USED
        | np.uint64(lower + 1)
        | (np.uint64(upper + 1) << UPPER_SHIFT)
        | (np.uint64(move + 1) << MOVE_SHIFT)
    )
    entry = table[np.int64(key.hash & np.uint64(table.size - 1))]
    mask = mix64(data)
    entry.own_check, entry.opp_check, entry.content = key.own ^ mask, key.opp ^ mask, data


@inner_kernel
def lower_of(data):
    """The lower bound on the result."""
    return np.int64(data & BOUND_MASK) - 1


@inner_kernel
def upper_of(data):
    """The upper bound on the result."""
    return np.int64((data >> UPPER_SHIFT) & BOUND_MASK) - 1


@inner_kernel
def move_of(data):
    """The best move, in the orientation of the key, or ``NO_MOVE``."""
    return np.int64((data >> MOVE_SHIFT) & MOVE_MASK) - 1
