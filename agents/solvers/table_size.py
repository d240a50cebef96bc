"""The size of a transposition table.

Searches that prove different things about positions have different transposition tables: bounds of
exact searches (:mod:`.table`; Othello's is faster, that of dots and boxes also lies in
files), proof numbers of Hex, and results at a depth. All of them have the same interface:

- ``new_table(memory_mb, …)`` allocates an empty table of at most that many MiB.
- ``probe(table, key, …)`` returns the table's data for the position with this key.
- ``store(table, key, …, what is proved, best move, effort)`` stores a result. In a full bucket it
    replaces the entry of the least effort.
"""

from __future__ import annotations

MIB = 1 << 20


def entries_within(memory_mb: float, entry_bytes: int, least: int = 1) -> int:
    """The largest power of two of entries that fits into ``memory_mb``, at least ``least``."""
    entries = least
    while entries * 2 * entry_bytes <= memory_mb * MIB:
        entries *= 2
    return entries
