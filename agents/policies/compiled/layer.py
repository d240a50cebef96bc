"""The layers of a compiled network, and the parts of the workspace that they read and write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import evaluation as e
from .tile import BLOCKS, LANES


class Buffer:
    """A part of the workspace: a board for one position, or vectors of all positions.

    A board has zeros around it, which convolutions read.

    Attributes:
        start: the place of its first number; places count the numbers of one position.
        base: where it begins in the workspace.
        blocks: of 16 channels.
        rows, columns, margin: of a board; a vector has no rows.
        cell: floats, or pairs of bfloat16, from cell to cell, and from position to position.
    """

    def __init__(
        self,
        start: int,
        channels: int,
        rows: int = 0,
        columns: int = 0,
        margin: int = 0,
        cell: int = LANES,
    ) -> None:
        self.start, self.base, self.is_board = start, 0, rows > 0
        self.blocks = -(-channels // (BLOCKS * LANES)) * BLOCKS
        self.rows, self.columns, self.margin, self.cell = rows, columns, margin, cell
        self.row_size = (columns + 2 * margin) * cell
        cells = (rows + 2 * margin) * (columns + 2 * margin) if self.is_board else e.BATCH
        self.block_size = cells * cell
        self.floats = self.blocks * self.block_size
        self.places = self.floats if self.is_board else self.blocks * LANES

    def tensor(self, channels: int) -> np.ndarray:
        """The places of its numbers: (1, channels, rows, columns), or (1, channels)."""
        channel = np.arange(channels)
        if not self.is_board:
            return self.start + channel[None]
        first = channel // LANES * self.block_size + channel % LANES + self.start
        rows = (np.arange(self.rows) + self.margin) * self.row_size
        columns = (np.arange(self.columns) + self.margin) * LANES
        places: np.ndarray = first[:, None, None] + rows[:, None] + columns
        return places[None]

    def first_cell(self, margin: int = 0) -> int:
        """Where the first cell lies in the workspace, or that ``margin`` cells before it."""
        inside = self.margin - margin
        return self.base + inside * (self.row_size + self.cell) * self.is_board


class Layer:
    """A layer: what it reads and writes, and its row once all buffers have a base."""

    def __init__(
        self, row: Callable[[Layer], list[int]], reads: list[Buffer], writes: Buffer
    ) -> None:
        self.row, self.reads, self.writes = row, reads, writes
        self.add: Buffer | None = None
        self.relu = False
        self.can_add = False  # a layer whose sums take one more number
