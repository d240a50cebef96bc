"""The layers of a compiled network, and the parts of the workspace that they read and write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import evaluation as e
from .tile import BLOCKS, LANES


class Buffer:
    """A part of the workspace: a board for one position, or vectors of all positions.

    A board has a margin of zeros, which convolutions read.

    Attributes:
        start: the index of its first number; indices count the numbers of one position.
        base: its offset in the workspace.
        blocks: the number of blocks of 16 channels.
        rows, columns, margin: the size of a board; a vector has no rows.
        cell: distance from cell to cell, and from position to position, in words of four bytes.
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
        """The indices of its numbers: (1, channels, rows, columns), or (1, channels)."""
        channel = np.arange(channels)
        if not self.is_board:
            return self.start + channel[None]
        first = channel // LANES * self.block_size + channel % LANES + self.start
        rows = (np.arange(self.rows) + self.margin) * self.row_size
        columns = (np.arange(self.columns) + self.margin) * LANES
        places: np.ndarray = first[:, None, None] + rows[:, None] + columns
        return places[None]

    def first_cell(self, margin: int = 0) -> int:
        """The offset of the first cell in the workspace, or of that ``margin`` cells before it."""
        inside = self.margin - margin
        return self.base + inside * (self.row_size + self.cell) * self.is_board


class Layer:
    """A layer: the buffers it reads and writes, and its row once all buffers have a base."""

    def __init__(
        self, row: Callable[[Layer], list[int]], reads: list[Buffer], writes: Buffer
    ) -> None:
        self.row, self.reads, self.writes = row, reads, writes
        self.add: Buffer | None = None
        self.relu = False
        self.can_add = False  # whether one more term can be added to its sums


def board_layers(all_layers: list[Layer]) -> set[Layer]:
    """The layers of boards, and the layers they depend on: run position by position."""
    layers: set[Layer] = set()
    needs: set[Buffer] = set()
    for layer in reversed(all_layers):
        if layer.writes in needs or any(buffer.is_board for buffer in (layer.writes, *layer.reads)):
            layers.add(layer)
            needs.update(layer.reads)
    return layers


def place(buffers: list[Buffer], layers: list[Layer], share: bool) -> int:
    """Assign every buffer its base; returns the number of floats of all buffers.

    With ``share``, boards reuse the memory of boards that are no longer needed.
    """
    end, last = 0, dict[Buffer, int]()
    spare: dict[tuple[int, ...], list[int]] = {}
    for index, layer in enumerate(layers):
        last.update(dict.fromkeys([*layer.reads, layer.writes], index))
    boards = [layer.writes for layer in layers]
    for buffer in buffers:
        if not buffer.is_board:
            buffer.base, end = end, end + buffer.floats
    for index, layer in enumerate(layers):
        buffer = layer.writes
        if buffer.is_board and boards.index(buffer) == index:
            shape = buffer.blocks, buffer.rows, buffer.columns, buffer.cell
            if spare.get(shape):
                buffer.base = spare[shape].pop()
            else:
                buffer.base, end = end, end + buffer.floats
        for each in {*layer.reads, buffer}:
            if share and each.is_board and last[each] == index:
                shape = each.blocks, each.rows, each.columns, each.cell
                spare.setdefault(shape, []).append(each.base)
    return end
