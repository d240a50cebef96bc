"""Pattern tables of Othello on 8×8 boards: values of discs on edges, corners and lines.

The value of a position for the player to move is the sum of its patterns' weights. A pattern is a
set of cells; its discs form a number in base three: 0 for a free cell, 1 for a disc of the player
to move, 2 for a disc of the opponent. Patterns are read in the four rotations of the board. Mirror
images share a weight, so all eight images of a position have the same value. The cells open to
either player and the discs on the board count too. Each stage of the game, four discs long, has
separate weights.

The weights are in ``patterns.npz``, one array for each table: int8, (stages, classes), in eighths
of a disc. A class is a number and its mirror image; classes are in the order of their lower
numbers. Written by ``benchmarks/extras/games/othello/fit_patterns.py``.

Source: Buro, "Improving heuristic mini-max search by supervised learning", 2002.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import inner_kernel, kernel
from .board import open_cells

FILE = Path(__file__).with_name("patterns.npz")
DIGEST = "36a9e073c94e108c5de3bf0a2468d8e8e6423841d6789c2e6521cd24a588a73a"

SIZE = 8  # cells on a side of the board
# Stages by the discs placed since the start: the first up to ply 11, the last from ply 52.
STAGES, STAGE_PLIES, FIRST_PLIES = 12, 4, 8
POINTS_PER_DISC = 8
MOST_MOVES = 31  # largest number of open cells with a weight


class _PatternTable(NamedTuple):
    """The weights of a pattern.

    Attributes:
        cells: (row, column) of each digit, the lowest first.
        mirror: the places of the digits in the mirror image.
    """

    cells: tuple[tuple[int, int], ...]
    mirror: tuple[int, ...]

    @property
    def classes(self) -> np.ndarray[Any, Any]:
        """The class of each number, int64, (3^digits,)."""
        numbers = np.arange(3 ** len(self.cells))
        mirror = np.zeros_like(numbers)
        for place, mirrored_place in enumerate(self.mirror):
            mirror += numbers // 3**place % 3 * 3**mirrored_place
        lower = np.minimum(numbers, mirror)
        ranks = np.cumsum(lower == numbers) - 1
        return np.asarray(ranks[lower])


def _line(*cells: tuple[int, int]) -> _PatternTable:
    return _PatternTable(cells, tuple(range(len(cells)))[::-1])


TABLES = {
    "edge": _PatternTable(
        (*((0, i) for i in range(8)), (1, 1), (1, 6)), (7, 6, 5, 4, 3, 2, 1, 0, 9, 8)
    ),
    "block": _PatternTable(tuple((i // 5, i % 5) for i in range(10)), tuple(range(10))),
    "corner": _PatternTable(tuple((i // 3, i % 3) for i in range(9)), (0, 3, 6, 1, 4, 7, 2, 5, 8)),
    **{f"row{row + 1}": _line(*((row, i) for i in range(8))) for row in (1, 2, 3)},
    **{f"diagonal{n}": _line(*((i, i + 8 - n) for i in range(n))) for n in (8, 7, 6, 5, 4)},
}
COUNTS = 2 * (MOST_MOVES + 1) + STAGE_PLIES  # own open cells, the opponent's, plies of the stage
# The starts of tables and counts in the third array, which holds all tables but edges and blocks.
SIZES = np.array([3 ** len(table.cells) for table in list(TABLES.values())[2:]])
STARTS = np.cumsum(SIZES) - SIZES
FIRST_COUNT = int(SIZES.sum())


def load_weights() -> dict[str, np.ndarray[Any, Any]]:
    """The weights in the file, by table and class.

    Raises:
        RuntimeError: it is not the file of this version.
    """
    if hashlib.sha256(FILE.read_bytes()).hexdigest() != DIGEST:
        raise RuntimeError(f"{FILE} is not the file of this version of plyground")
    with np.load(FILE) as file:
        return {name: file[name] for name in file.files}


def spread_weights(weights: dict[str, np.ndarray[Any, Any]]) -> tuple[np.ndarray[Any, Any], ...]:
    """The weights by number, int8, (stages, …): of edges, of blocks, and of all others.

    There are three arrays since numba limits a constant in a kernel to one megabyte.
    """
    edge, block, *others = (weights[name][:, table.classes] for name, table in TABLES.items())
    return edge, block, np.concatenate([*others, weights["counts"]], 1)


EDGES, BLOCKS, OTHERS = spread_weights(load_weights())

_BITS = np.arange(1 << 10)[:, None] >> np.arange(10) & 1
TERNARY = (_BITS @ 3 ** np.arange(10)).astype(np.int32)  # numbers of own discs, by their bits
# the same for a block read from the right
MIRRORED = (_BITS @ 3 ** np.array([4, 3, 2, 1, 0, 9, 8, 7, 6, 5])).astype(np.int32)
DIAGONALS = np.array(
    [sum(1 << 9 * i + shift for i in range(8 - shift)) for shift in range(5)], np.uint64
)
FILES = np.uint64(0x0101010101010101)  # adds up rows
S = np.arange(64).astype(np.uint64)  # shift counts
FIVE, BYTE = np.uint64(0x1F), np.uint64(0xFF)
X_LEFT, X_RIGHT = np.uint64(1 << 8), np.uint64(1 << 9)
SECOND_FIVE = np.uint64(0x1F << 5)
THREE, SECOND_THREE, THIRD_THREE = np.uint64(7), np.uint64(7 << 3), np.uint64(7 << 6)
# halves that are exchanged when a board is transposed and its rows are reversed
SWAPS = np.array([0x00AA00AA00AA00AA, 0x0000CCCC0000CCCC, 0x00000000F0F0F0F0], np.uint64)
BYTES, PAIRS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)


@inner_kernel
def rotate(board):
    """The board after a quarter turn."""
    for i in range(3):  # transpose
        step = S[7 << i]
        swap = (board ^ (board >> step)) & SWAPS[i]
        board ^= swap ^ (swap << step)
    board = ((board >> S[8]) & BYTES) | ((board & BYTES) << S[8])  # reverse the rows
    board = ((board >> S[16]) & PAIRS) | ((board & PAIRS) << S[16])
    return (board >> S[32]) | (board << S[32])


@inner_kernel
def edge_bits(board):
    return (board & BYTE) | ((board >> S[1]) & X_LEFT) | ((board >> S[5]) & X_RIGHT)


@inner_kernel
def _corner_bits(board):
    return (board & THREE) | ((board >> S[5]) & SECOND_THREE) | ((board >> S[10]) & THIRD_THREE)


@inner_kernel
def _block_bits(board):
    return (board & FIVE) | ((board >> S[3]) & SECOND_FIVE)


@inner_kernel
def _diagonal_bits(board, shift):
    """The discs of a diagonal as a row, from the left."""
    return ((board & DIAGONALS[shift]) * FILES) >> S[56 + shift]


@inner_kernel
def number(own, other):
    """The number of a pattern, from the bits of both players' discs."""
    return np.int64(TERNARY[np.int64(own)]) + 2 * np.int64(TERNARY[np.int64(other)])


@kernel
def _stage_of(plies):
    """The stage of the game after ``plies`` placed discs."""
    return min(max((plies - FIRST_PLIES) // STAGE_PLIES, 0), STAGES - 1)


@inner_kernel
def pattern_points(rules, edges, blocks, others, position, player):
    """The points of an unfinished position on an 8×8 board, for a player.

    ``edges``, ``blocks`` and ``others`` are the weights, see :func:`spread_weights`.
    """
    own, other = position.discs[position.mover], position.discs[1 - position.mover]
    own_moves, other_moves = count_bits(position.moves), count_bits(open_cells(rules, other, own))
    plies = count_bits(own | other) - 4
    stage = _stage_of(plies)
    points = (
        np.int64(others[stage, FIRST_COUNT + min(own_moves, MOST_MOVES)])
        + np.int64(others[stage, FIRST_COUNT + MOST_MOVES + 1 + min(other_moves, MOST_MOVES)])
        + np.int64(others[stage, FIRST_COUNT + 2 * MOST_MOVES + 2 + plies % STAGE_PLIES])
    )
    for _ in range(4):
        points += np.int64(edges[stage, number(edge_bits(own), edge_bits(other))])
        points += np.int64(blocks[stage, number(_block_bits(own), _block_bits(other))])
        right = (own >> S[3], other >> S[3])
        mirror = np.int64(MIRRORED[np.int64(_block_bits(right[0]))])
        mirror += 2 * np.int64(MIRRORED[np.int64(_block_bits(right[1]))])
        points += np.int64(blocks[stage, mirror])
        at = number(_corner_bits(own), _corner_bits(other))
        points += np.int64(others[stage, at])
        for row in range(1, 4):
            at = STARTS[row] + number((own >> S[8 * row]) & BYTE, (other >> S[8 * row]) & BYTE)
            points += np.int64(others[stage, at])
        for shift in range(5):
            at = number(_diagonal_bits(own, shift), _diagonal_bits(other, shift))
            points += np.int64(others[stage, STARTS[4 + shift] + at])
        own, other = rotate(own), rotate(other)
    return points if player == position.mover else -points
