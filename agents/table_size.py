"""How large a transposition table may be.

Each search that needs a transposition table has its own, because each proves something else about
a position. All of them have the same interface:

- ``new_table(memory_mb, …)`` allocates an empty table of at most that many MiB.
- ``probe(table, key, …)`` returns what the table knows of the position with this key.
- ``store(table, key, …, what is proved, best move, effort)`` keeps a result. Where the bucket is
  full, the entry that took the least effort gives way.
"""

from __future__ import annotations

MIB = 1 << 20


def entries_within(memory_mb: float, entry_bytes: int, least: int = 1) -> int:
    """The largest power of two of entries that fits into ``memory_mb``, at least ``least``."""
    entries = least
    while entries * 2 * entry_bytes <= memory_mb * MIB:
        entries *= 2
    return entries
