"""The opening of connect four: the exact values of all positions of the first plies.

A file holds one value for each non-terminal position of one ply, mirror images once, in the order
of their keys (:func:`~.board.key_of`). The positions themselves are not stored: a reader generates
the plies from the empty board and gets the same positions in the same order. The values of earlier
plies follow from the file.

Values are those of the solver: +k if the side to move wins with the k-th last of its stones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import kernel
from ....envs.games.connect_four.rules import ConnectFour
from ....envs.specification import SpecificationError
from .board import ONE, ZERO, ConnectFourBoard, has_row, key_of, make_board

UNSOLVED = np.int8(-128)
PLIES = 8  # of the file shipped with plyground
FILE = Path(__file__).with_name("openings.npy")


class OpeningLayer(NamedTuple):
    """The non-terminal positions of a ply, mirror images once, ascending by key.

    Attributes:
        keys, own, opp: uint64 (positions,): keys, the stones of the side to move and of the other.
    """

    keys: np.ndarray
    own: np.ndarray
    opp: np.ndarray


def layers(board: ConnectFourBoard) -> Iterator[OpeningLayer]:
    """The layer of every ply, from the empty board to one free cell."""
    nothing = np.zeros(1, np.uint64)
    layer = OpeningLayer(np.array([key_of(board, ZERO, ZERO)[0]], np.uint64), nothing, nothing)
    for _ in range(board.cells):
        yield layer
        room = len(layer.keys) * board.cols
        after = OpeningLayer(*(np.zeros(room, np.uint64) for _ in OpeningLayer._fields))
        count = _write_children(board, layer, after)
        keys, first = np.unique(after.keys[:count], return_index=True)
        layer = OpeningLayer(keys, after.own[first], after.opp[first])


@kernel
def _write_children(board, layer, after):
    """Write the non-terminal children into ``after``; returns their number."""
    count = 0
    for index in range(len(layer.keys)):
        own, opp = layer.own[index], layer.opp[index]
        moves = ((own | opp) + board.bottom) & board.playable
        while moves != ZERO:
            cell = moves & (~moves + ONE)
            moves ^= cell
            if not has_row(board, own | cell):
                after.own[count], after.opp[count] = opp, own | cell
                after.keys[count] = key_of(board, opp, own | cell)[0]
                count += 1
    return count


@kernel
def _write_parent_values(board, layer, after, values_after, values):
    """Write the values of a layer from the layer ``after`` it.

    A position is ``UNSOLVED`` if one of its children is, unless its side to move wins at once.
    """
    for index in range(len(layer.keys)):
        own, opp = layer.own[index], layer.opp[index]
        left = board.cells - count_bits(own | opp)
        best = -board.cells
        moves = ((own | opp) + board.bottom) & board.playable
        while moves != ZERO:
            cell = moves & (~moves + ONE)
            moves ^= cell
            if has_row(board, own | cell):
                best = (left + 1) // 2
                break
            key = key_of(board, opp, own | cell)[0]
            value = np.int64(values_after[np.searchsorted(after.keys, key)]) if left > 1 else 0
            best = max(best, -value)  # an unsolved child counts more than any other
        values[index] = best if best <= board.cells else UNSOLVED


class OpeningValues:
    """The values of all positions up to the ply of a file.

    Attributes:
        plies: the last ply with values.
    """

    def __init__(self, board: ConnectFourBoard, values: np.ndarray) -> None:
        """Set the values of one ply, int8 (positions,), and of all earlier plies.

        Raises:
            SpecificationError: no ply has so many positions.
        """
        self._board = board
        self._layers: list[OpeningLayer] = []
        for layer in layers(board):
            self._layers.append(layer)
            if len(layer.keys) >= len(values):
                break
        if len(self._layers[-1].keys) != len(values):
            raise SpecificationError(f"no ply of this board has {len(values)} open positions")
        self.plies = len(self._layers) - 1
        self._values = [values]
        for before, after in zip(self._layers[-2::-1], self._layers[:0:-1], strict=True):
            here = np.zeros(len(before.keys), np.int8)
            _write_parent_values(board, before, after, self._values[-1], here)
            self._values.append(here)
        self._values.reverse()

    def value(self, own: np.uint64, opp: np.uint64) -> int | None:
        """The value of a non-terminal position; None after the last ply, or if it is unknown."""
        ply = count_bits(own | opp)
        if ply > self.plies:
            return None
        key = key_of(self._board, own, opp)[0]
        keys = self._layers[ply].keys
        index = np.searchsorted(keys, key)
        if index == len(keys) or keys[index] != key:
            return None  # it is unreachable
        value = self._values[ply][index]
        return None if value == UNSOLVED else int(value)

    def best_column(self, own: np.uint64, opp: np.uint64, value: int) -> int | None:
        """The column nearest the middle that attains the value; None if it is not stored."""
        middle = (self._board.cols - 1) / 2
        moves = ((own | opp) + self._board.bottom) & self._board.playable
        for column in sorted(range(self._board.cols), key=lambda each: abs(each - middle)):
            cell = moves & (self._board.column << (np.uint64(column) * self._board.height))
            if cell == ZERO:
                continue
            if has_row(self._board, own | cell):
                return column
            after = self.value(opp, own | cell)
            if after is not None and -after == value:
                return column
        return None


def openings_of(rules: ConnectFour, ply: int) -> OpeningValues | None:
    """The shipped values of the standard board up to ``PLIES``; None for other boards."""
    return _shipped_values() if ply <= PLIES and has_openings(rules) else None


def has_openings(rules: ConnectFour) -> bool:
    """Whether plyground ships opening values for a board: only for the standard board."""
    return rules == ConnectFour()


@functools.cache
def _shipped_values() -> OpeningValues:
    return OpeningValues(make_board(ConnectFour()), read_values(FILE))


def read_values(path: Path, positions: int | None = None) -> np.ndarray:
    """The values in a file, ``UNSOLVED`` if still missing: int8 (positions,).

    Raises:
        SpecificationError: the file cannot be read, or has the wrong number of values.
    """
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SpecificationError(f"{path} holds no values of openings: {error}") from None
    if values.dtype != np.int8 or values.ndim != 1 or positions not in (None, len(values)):
        raise SpecificationError(f"{path} holds no values of these openings")
    return np.asarray(values)
