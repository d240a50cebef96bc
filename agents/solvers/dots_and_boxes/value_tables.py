"""Tables of the values of all positions of small boards of dots and boxes, kept on disk.

They are filled backwards from the end of the game. The table of a board has one byte for each set
of drawn edges, so 2^24 for 3 × 3 boxes. A file holds a header (board, layout), the table, and the
SHA-256 of both. A damaged file is built anew.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np

from ....envs.compiled.cache import cache_root
from ....envs.compiled.kernels import kernel
from ....envs.files import written_whole
from ....envs.games.dots_and_boxes.board import boxes_beside, count_edges
from ....envs.specification import SpecificationError

LARGEST = 24  # edges: 16 MiB, about two seconds
SMALL = 17  # edges: built in an instant
LAYOUT = 1

_tables: dict[tuple[int, int], np.ndarray] = {}


def value_table(rows: int, cols: int) -> np.ndarray:
    """The margin of the rest of the game for the player to move, for every set of drawn edges.

    Bit e of the index is set if the edge of action e is drawn. The table is loaded from disk if it
    was built before.

    Returns:
        int8 of shape (2^edges,), read-only.

    Raises:
        SpecificationError: the board has more than 24 edges.
    """
    edges = count_edges(rows, cols)
    if edges > LARGEST:
        raise SpecificationError(
            f"tables of all positions are for boards of at most {LARGEST} edges, {rows} × {cols} "
            f"boxes have {edges}"
        )
    if (rows, cols) not in _tables:
        table = _read(rows, cols)
        if table is None:
            table = np.zeros(1 << edges, np.int8)
            beside = np.array([boxes_beside(rows, cols, edge) for edge in range(edges)])
            fill_backwards(_sides_of_boxes(rows, cols), beside, table)
            _write(rows, cols, table)
        table.flags.writeable = False
        _tables[rows, cols] = table
    return _tables[rows, cols]


def is_at_hand(rows: int, cols: int) -> bool:
    """Whether the table is in memory or on disk, or has at most 2^17 positions to fill."""
    edges = count_edges(rows, cols)
    return edges <= SMALL or (
        edges <= LARGEST and ((rows, cols) in _tables or table_path(rows, cols).exists())
    )


def table_path(rows: int, cols: int) -> Path:
    """The file of a board's table."""
    return cache_root() / "tables" / f"dots_and_boxes_{rows}x{cols}.table"


def _sides_of_boxes(rows: int, cols: int) -> np.ndarray:
    """The sides of each box as a set of edges: int64 of shape (boxes,)."""
    sides = np.zeros(rows * cols, np.int64)
    for edge in range(count_edges(rows, cols)):
        for box in boxes_beside(rows, cols, edge):
            if box >= 0:
                sides[box] |= 1 << edge
    return sides


@kernel
def fill_backwards(sides, beside, table):
    """Fill ``table`` from its last entry.

    A position after a move has a larger number, so its value is known already.
    """
    edges = beside.shape[0]
    table[-1] = 0
    for drawn in range(table.size - 2, -1, -1):
        best = -128
        for edge in range(edges):
            if drawn >> edge & 1 == 0:
                after = drawn | 1 << edge
                gain = 0
                for side in range(2):
                    box = beside[edge, side]
                    if box >= 0 and after & sides[box] == sides[box]:
                        gain += 1
                value = np.int64(table[after])
                best = max(best, gain + value if gain else -value)
        table[drawn] = best


def _header(rows: int, cols: int) -> bytes:
    return f"plyground dots_and_boxes {rows} {cols} layout {LAYOUT}\n".encode()


def _read(rows: int, cols: int) -> np.ndarray | None:
    """The table on disk, or None where there is none or it is damaged."""
    header, size = _header(rows, cols), 1 << count_edges(rows, cols)
    try:
        data = table_path(rows, cols).read_bytes()
    except OSError:
        return None
    if (
        len(data) != len(header) + size + 32
        or not data.startswith(header)
        or hashlib.sha256(data[:-32]).digest() != data[-32:]
    ):
        return None
    return np.frombuffer(bytearray(data[len(header) : -32]), np.int8)


def _write(rows: int, cols: int, table: np.ndarray) -> None:
    """Put the table on disk in one step, so that no other process reads half of it.

    A disk that cannot be written is no error.
    """
    path = table_path(rows, cols)
    data = _header(rows, cols) + table.tobytes()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            file.write(data + hashlib.sha256(data).digest())
