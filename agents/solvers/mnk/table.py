"""The transposition table of the m,n,k solver: bounds on the result and the best move.

Positions with few stones share one entry with their images under the symmetries of the board. The
image with the lowest hash stands for all of them. An entry holds the stones themselves, so it is
never taken for that of another position. Each hash has one place in the table, and the latest
position keeps it.
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
UNKNOWN = -1  # no entry

ENTRY = np.dtype(
    [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("lower", np.int8),
        ("upper", np.int8),
        ("move", np.int8),
        ("used", np.int8),
    ]
)


class Key(NamedTuple):
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
    return Key(lowest, image_of(board.images, best, own), image_of(board.images, best, opp)), best


@inner_kernel
def hash_of(own, opp):
    """A hash of the stones of both sides."""
    return mix64(own) ^ mix64(opp ^ SALT_2)


@inner_kernel
def probe(table, key):
    """The index of the entry for a key, or ``UNKNOWN``."""
    index = np.int64(key.hash & np.uint64(table.size - 1))
    entry = table[index]
    return index if entry.used and entry.own == key.own and entry.opp == key.opp else UNKNOWN


@inner_kernel
def store(table, key, lower, upper, move):
    """Keep bounds and the best move; bounds stored before remain valid."""
    entry = table[np.int64(key.hash & np.uint64(table.size - 1))]
    if entry.used and entry.own == key.own and entry.opp == key.opp:
        lower, upper = max(lower, np.int64(entry.lower)), min(upper, np.int64(entry.upper))
    entry.own, entry.opp, entry.used = key.own, key.opp, 1
    entry.lower, entry.upper, entry.move = lower, upper, move
