"""Bitboards of the m,n,k solver: the cells, lines and symmetries of a board.

Cell (row, column) is bit ``row * (cols + 1) + column``. The spare column keeps rows apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.boards.grid import cell_symmetries
from ....envs.boards.stones import DIRECTIONS
from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import inner_kernel
from ....envs.compiled.randomness import SALT_2, mix64
from ....envs.games.tic_tac_toe.rules import TicTacToe

ZERO, ONE, BYTE = np.uint64(0), np.uint64(1), np.uint64(255)
MOST_CELLS = 64


class MnkBoard(NamedTuple):
    """A board for the search.

    Attributes:
        cells: number of cells.
        connect: stones in a row that win.
        all_cells: the set of all cells.
        lines: uint64 (lines,): every row of ``connect`` cells.
        images: uint64 (symmetries, 8, 256): the image of each value of each byte of a set.
        symmetric_stones: positions with at most this many stones are looked up under all
            symmetries.
    """

    cells: int
    connect: int
    all_cells: np.uint64
    lines: Any
    images: Any
    symmetric_stones: int


def make_board(rules: TicTacToe) -> MnkBoard:
    """The board of a game whose rows, with a spare column, fit 64 bits."""
    rows, cols, connect = rules.rows, rules.cols, rules.connect
    bits = [row * (cols + 1) + col for row in range(rows) for col in range(cols)]
    lines = []
    for row_step, col_step in DIRECTIONS:
        for row in range(rows):
            for col in range(cols):
                cells = [(row + i * row_step, col + i * col_step) for i in range(connect)]
                if all(0 <= y < rows and 0 <= x < cols for y, x in cells):
                    lines.append(sum(1 << bits[y * cols + x] for y, x in cells))
    symmetries = cell_symmetries(rows, cols)
    images = np.zeros((len(symmetries), 8, 256), np.uint64)
    value = np.arange(256, dtype=np.uint64)
    for symmetry, targets in enumerate(symmetries):
        for cell, target in enumerate(targets):
            byte, offset = divmod(bits[cell], 8)
            present = (value >> np.uint64(offset)) & ONE
            images[symmetry, byte] |= present << np.uint64(bits[target])
    return MnkBoard(
        rows * cols,
        connect,
        np.uint64(sum(1 << bit for bit in bits)),
        np.array(lines, np.uint64),
        images,
        max(4, rows * cols // 2),
    )


@inner_kernel
def image_of(images, symmetry, stones):
    """A set of cells under a symmetry, byte by byte."""
    if symmetry == 0:
        return stones
    image = ZERO
    for byte in range(8):
        image |= images[symmetry, byte, (stones >> np.uint64(8 * byte)) & BYTE]
    return image


@inner_kernel
def key_of(board, own, opp):
    """The canonical image of a position: the one with the lowest hash.

    Returns its hash, its stones and the symmetry to it.
    """
    lowest, best = _hash_of(own, opp), 0
    if count_bits(own | opp) <= board.symmetric_stones:
        for symmetry in range(1, board.images.shape[0]):
            image_hash = _hash_of(
                image_of(board.images, symmetry, own), image_of(board.images, symmetry, opp)
            )
            if image_hash < lowest:
                lowest, best = image_hash, symmetry
    own, opp = image_of(board.images, best, own), image_of(board.images, best, opp)
    return lowest, own, opp, best


@inner_kernel
def _hash_of(own, opp):
    """A hash of the stones of both sides."""
    return mix64(own) ^ mix64(opp ^ SALT_2)
