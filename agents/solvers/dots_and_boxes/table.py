"""The transposition table of the dots-and-boxes solver: bounds and effort in 64 bits.

A bucket is one cache line of eight entries. The hash of a position is a one-to-one function of it.
Its upper bits, at least 14, are the bucket number, and an entry holds all the others, so positions
are never confused. Below them an entry holds four bits of effort and two fields of five bits: half
the distance of the lower bound from −boxes and of the upper bound from +boxes. An empty entry is 0.

A table may be in a file. Its entries survive the process, even after a crash, and are valid for any
board of the same size: an entry is one word, and the file names its board.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.kernels import inner_kernel
from ....envs.loading.files import written_whole
from ....envs.specification import SpecificationError
from ..table_size import MIB, entries_within
from .board import ONE, ZERO

ENTRIES = 8  # in a bucket
BUCKET = np.dtype([("entries", np.uint64, ENTRIES)], align=True)
LEAST_BUCKET_BITS = 14
HEADER_BYTES = 4096  # the header of a file; the buckets begin on a memory page
BOUND_MASK, EFFORT_MASK = np.uint64(31), np.uint64(15)
LOWER_SHIFT, EFFORT_SHIFT, HASH_SHIFT = np.uint64(5), np.uint64(10), np.uint64(14)


class DotsAndBoxesTable(NamedTuple):
    """The transposition table.

    Attributes:
        buckets: BUCKET (2^n,), aligned with cache lines.
        shift: the number of bits of a hash that its entry holds; the others are the bucket number.
    """

    buckets: Any
    shift: np.uint64


def new_table(memory_mb: int, edges: int) -> DotsAndBoxesTable:
    """An empty table of at most ``memory_mb`` MiB, no larger than a board can use."""
    count = useful_buckets(memory_mb, edges)
    words = np.zeros(ENTRIES * (count + 1), np.uint64)
    start = -(words.ctypes.data // 8) % ENTRIES
    return _table_of(words[start : start + ENTRIES * count])


def useful_buckets(memory_mb: int, edges: int) -> int:
    """The number of buckets in ``memory_mb`` MiB, no more than a board can use."""
    useful = 1 << max(LEAST_BUCKET_BITS, edges - 11)
    return min(entries_within(memory_mb, BUCKET.itemsize), useful)


def _table_of(words: np.ndarray) -> DotsAndBoxesTable:
    """A table in words that are aligned with cache lines: uint64 (2^n,)."""
    count = len(words) // ENTRIES
    buckets = words.view(BUCKET).view(np.recarray)
    return DotsAndBoxesTable(buckets, np.uint64(64 - (count.bit_length() - 1)))


def table_in_file(path: Path, rows: int, cols: int, buckets: int) -> DotsAndBoxesTable:
    """The table in a file that is mapped into memory; a new file holds an empty one.

    Raises:
        SpecificationError: the file is not such a table, or has another size.
        OSError: it cannot be created, for example on a full disk.
    """
    size = HEADER_BYTES + BUCKET.itemsize * buckets
    header = f"plyground dots_and_boxes table 1: {rows} x {cols} boxes, {buckets} buckets\n"
    if not path.exists():
        with written_whole(path) as file:
            file.write(header.encode())
            file.truncate(size)
            if hasattr(os, "posix_fallocate"):  # so that storing never fails on a full disk
                os.posix_fallocate(file.fileno(), 0, size)
    with path.open("rb") as file:
        text = file.read(HEADER_BYTES).rstrip(b"\0").decode(errors="replace")
    if text != header or path.stat().st_size != size:
        raise SpecificationError(
            f"{path} holds no table of {size // MIB} MiB for {rows} × {cols} boxes: use "
            "the memory it was made with, or remove it"
        )
    words = np.memmap(path, np.uint64, "r+", HEADER_BYTES, (ENTRIES * buckets,))
    return _table_of(np.asarray(words))


@inner_kernel
def bucket_of(table, position_hash):
    """The bucket number of a position."""
    return np.int64(position_hash >> table.shift)


@inner_kernel
def _rest_of(table, position_hash):
    """The bits of a hash that its entry holds."""
    return position_hash & ((ONE << table.shift) - ONE)


@inner_kernel
def probe(table, position_hash, boxes):
    """The known bounds of a position of this many boxes: (lower, upper)."""
    entries = table.buckets[bucket_of(table, position_hash)].entries
    rest = _rest_of(table, position_hash)
    data, copies = ZERO, ZERO
    for slot in range(ENTRIES):  # without a branch, so that all eight are compared at once
        entry = entries[slot]
        is_own = entry >> HASH_SHIFT == rest
        data |= entry if is_own else ZERO
        copies += ONE if is_own else ZERO
    if copies > ONE:  # threads have stored it at the same time, each in another slot
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
    """Store bounds of a position of this many boxes; the search visited this many positions.

    They replace the position's entry, else a free one, else the one of the least effort.
    """
    entries = table.buckets[bucket_of(table, position_hash)].entries
    rest = _rest_of(table, position_hash)
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
