"""The transposition table of the Hex solver: proof numbers, regions and carriers.

A position is stored with its dead and captured cells filled, and shares its entry with its half
turn: the key is the image with the lower stones. An entry contains all stones, so there are no
collisions. A bucket has four entries; if it is full, the entry with the fewest nodes is replaced.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....agents.solvers.table_size import entries_within
from .....envs.compiled.kernels import inner_kernel
from .....envs.compiled.randomness import SALT_1, SALT_2, mix64

BUCKET = 4
UNKNOWN = -1  # no entry
SWAPS = np.array([1, 2, 4, 8, 16, 32], np.uint64)
MASKS = np.array(
    [
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x00FF00FF00FF00FF,
        0x0000FFFF0000FFFF,
        0x00000000FFFFFFFF,
    ],
    np.uint64,
)

ENTRY = np.dtype(
    [
        ("first", np.uint64),  # the stones of player 0 and of player 1
        ("second", np.uint64),
        ("region", np.uint64),  # where the mover must play; the winner's carrier if solved
        ("carrier", np.uint64),  # what the opponent needs against moves outside the region
        ("phi", np.uint32),  # the proof numbers of the mover's win and of its loss
        ("delta", np.uint32),
        ("nodes", np.uint32),
        ("mover", np.uint32),  # the player plus 1; 0 is an empty entry
    ],
    align=True,
)


class _HexKey(NamedTuple):
    """The key image of a position, whether it is the half turn, and the bucket."""

    first: np.uint64
    second: np.uint64
    flip: bool
    bucket: int


def new_table(memory_mb: int) -> np.recarray[Any, Any]:
    """An empty table of at most ``memory_mb`` MiB; its number of entries is a power of two."""
    return np.zeros(entries_within(memory_mb, ENTRY.itemsize, BUCKET), ENTRY).view(np.recarray)


@inner_kernel
def half_turn(cells, stones):
    """A set of cells after a half turn: its bits in reverse."""
    for level in range(6):
        swap, mask = SWAPS[level], MASKS[level]
        stones = ((stones >> swap) & mask) | ((stones & mask) << swap)
    return stones >> np.uint64(64 - cells)


@inner_kernel
def key_of(table, cells, first, second, mover):
    """The key of a position."""
    other_first, other_second = half_turn(cells, first), half_turn(cells, second)
    flip = other_first < first or (other_first == first and other_second < second)
    if flip:
        first, second = other_first, other_second
    salt = SALT_1 if mover == 0 else SALT_2
    place = mix64(first ^ salt) ^ mix64(second + salt)
    return _HexKey(
        first, second, flip, np.int64(place & np.uint64(table.size - 1)) // BUCKET * BUCKET
    )


@inner_kernel
def probe(table, key, mover):
    """The index of the entry for a key, or ``UNKNOWN``."""
    for index in range(key.bucket, key.bucket + BUCKET):
        entry = table[index]
        if entry.mover == mover + 1 and entry.first == key.first and entry.second == key.second:
            return index
    return UNKNOWN


@inner_kernel
def store(table, cells, key, mover, phi, delta, region, carrier, nodes):
    """Store the result of a position."""
    index = probe(table, key, mover)
    if index == UNKNOWN:
        index = key.bucket
        for other in range(key.bucket, key.bucket + BUCKET):
            if table[other].nodes < table[index].nodes:
                index = other
        table[index].nodes = 0
    entry = table[index]
    entry.first, entry.second, entry.mover = key.first, key.second, mover + 1
    entry.phi, entry.delta = phi, delta
    entry.region = half_turn(cells, region) if key.flip else region
    entry.carrier = half_turn(cells, carrier) if key.flip else carrier
    entry.nodes = min(np.int64(entry.nodes) + nodes + 1, 0xFFFFFFFF)
