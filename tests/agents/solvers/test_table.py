"""The table of bounds: what its entries keep, and which are not believed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from plyground.agents.solvers import table as t

SHAPES = [(1, 2, (7, 5, 5)), (3, 1, (16, 16, 8)), (3, 2, (16, 16, 8))]  # of new_table


def key_of(table, number):
    """A key of as many words as those of an entry; an array, or a tuple."""
    words = [0] * (table.entries.shape[2] - 1)
    first = (number + 1) * (int(table.data) + 1)
    return (
        np.array([first, *words], np.uint64)
        if number % 2
        else tuple(map(np.uint64, (first, *words)))
    )


def entry_of(table, bucket, key):
    """The bounds and the action of an entry, or None."""
    data = t.probe(table, bucket, key)
    if data == t.ZERO:
        return None
    return t.lower_of(table, data), t.upper_of(table, data), t.action_of(table, data)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_keeps_the_narrowest_bounds_and_the_latest_action(shape):
    table = t.new_table(1, *shape)
    assert table.entries.nbytes <= 1 << 20 < 4 * table.entries.nbytes
    for number, bucket in enumerate((0, 1, len(table.entries) - 1)):
        key = key_of(table, number)
        assert entry_of(table, bucket, key) is None
        t.store(table, bucket, key, -5, 63, 30, 1)
        assert entry_of(table, bucket, key) == (-5, 63, 30)
        t.store(table, bucket, key, -63, 7, 0, 1)
        assert entry_of(table, bucket, key) == (-5, 7, 0)
        t.store(table, bucket, key, -63, 63, t.NO_ACTION, 1 << 62)
        assert entry_of(table, bucket, key) == (-5, 7, 0)
        assert entry_of(table, bucket, key_of(table, number + 2)) is None
    t.store(table, 2, key, 1, 2, t.NO_ACTION, 1)
    assert entry_of(table, 2, key) == (1, 2, t.NO_ACTION)


@pytest.mark.parametrize("shape", SHAPES)
def test_of_the_positions_in_a_bucket_the_latest_stays_and_the_one_of_more_effort(shape):
    table = t.new_table(1, *shape)
    for number, nodes in enumerate((100, 5000, 10, 20)):
        t.store(table, 0, key_of(table, number), number, number, number, nodes)
    kept = [number for number in range(4) if entry_of(table, 0, key_of(table, number))]
    assert kept == ([1, 3] if shape[1] == 2 else [3])


def test_what_several_threads_wrote_in_part_is_not_believed():
    """Every mixture of the words of entries in one place, as threads could leave it."""
    table = t.new_table(1, 3)
    cells = [0, 1, 3, (1 << 62) - 1]
    keys = [tuple(map(np.uint64, (0, *sides))) for sides in itertools.product(cells, repeat=2)]
    entries = []
    for number, key in enumerate(keys):
        lower, upper = ((-1, -1), (0, 1), (1, 1), (-1, 0))[number % 4]
        table.entries[7] = 0
        t.store(table, 7, key, lower, upper, number % 8, 1)
        entries.append((key, *table.entries[7, 0].tolist()))
    hits = 0
    for first, second, third in itertools.product(entries, repeat=3):
        table.entries[7, 0] = first[1], second[2], third[3]
        for key, data, *_ in (first, second, third):
            assert t.probe(table, 7, key) in (0, data)
            hits += t.probe(table, 7, key) != 0
    assert hits >= 3 * len(entries)
