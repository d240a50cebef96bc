"""Tables of values of dots and boxes on disk: damaged ones are built anew, sound ones are read."""

from __future__ import annotations

import numpy as np
import pytest
from plyground.agents.solvers.dots_and_boxes import value_tables as tables

SMALL = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]


@pytest.fixture
def tables_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_CACHE", str(tmp_path))
    monkeypatch.setattr(tables, "_tables", {})
    return tables.table_path(2, 2)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: data + b"\0",
    ],
)
def test_a_damaged_table_is_built_anew(tables_elsewhere, damage):
    whole = tables.value_table(2, 2).copy()
    good = tables_elsewhere.read_bytes()
    tables_elsewhere.write_bytes(damage(good))
    tables._tables.clear()
    assert np.array_equal(tables.value_table(2, 2), whole)
    assert tables_elsewhere.read_bytes() == good


def test_a_sound_table_is_read_from_disk(tables_elsewhere, monkeypatch):
    whole = tables.value_table(2, 2).copy()
    tables._tables.clear()
    monkeypatch.setattr(tables, "fill_backwards", lambda *arguments: pytest.fail("built again"))
    assert np.array_equal(tables.value_table(2, 2), whole)
