"""What every reference game offers, and the counting of its move sequences."""

from __future__ import annotations

import copy
import functools
from abc import ABC, abstractmethod

import numpy as np


class Reference(ABC):
    """One game in progress; most are over when somebody has won."""

    to_move: int
    winner: int | None  # of a game won before the board is full

    @abstractmethod
    def legal_actions(self) -> list[int]:
        """Ascending; empty once the game is over."""

    @abstractmethod
    def play(self, action: int) -> None: ...

    def is_over(self) -> bool:
        return self.winner is not None

    def returns(self) -> tuple[float, float]:
        return {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[self.winner]

    @abstractmethod
    def observation(self, player: int) -> np.ndarray: ...


def planes_of(
    owners: dict[tuple[int, int], int], rows: int, cols: int, player: int, more: int = 0
) -> np.ndarray:
    """A plane of the player's cells and one of the opponent's; the last of more says who began."""
    planes = np.zeros((rows, cols, 2 + more), np.int8)
    for (row, column), owner in owners.items():
        planes[row, column, 0 if owner == player else 1] = 1
    if more:
        planes[..., -1] = int(player == 0)
    return planes


@functools.cache
def straight_lines(rows: int, cols: int) -> list[list[tuple[int, int]]]:
    """Every straight line of cells from edge to edge: rows, columns, and diagonals of both
    directions.
    """
    cells = [(row, column) for row in range(rows) for column in range(cols)]
    lines = [[cell for cell in cells if cell[0] == row] for row in range(rows)]
    lines += [[cell for cell in cells if cell[1] == column] for column in range(cols)]
    lines += [
        [cell for cell in cells if cell[0] - cell[1] == difference]
        for difference in range(-cols + 1, rows)
    ]
    lines += [
        [cell for cell in cells if cell[0] + cell[1] == total] for total in range(rows + cols - 1)
    ]
    return lines


class StonesReference(Reference):
    """Stones of two players on the cells of a board; ``stones`` maps (row, column), row 0 at the
    top, to the player.
    """

    def __init__(self, rows: int, cols: int, connect: int) -> None:
        self.rows, self.cols, self.connect = rows, cols, connect
        self.stones: dict[tuple[int, int], int] = {}
        self.to_move = 0
        self.winner = None

    def lines(self) -> list[list[tuple[int, int]]]:
        return straight_lines(self.rows, self.cols)

    def has_won(self, player: int) -> bool:
        """Whether ``connect`` neighbouring cells of some line all hold the player's stones."""
        for line in self.lines():
            for first in range(len(line) - self.connect + 1):
                if all(
                    self.stones.get(cell) == player for cell in line[first : first + self.connect]
                ):
                    return True
        return False

    def place(self, cell: tuple[int, int]) -> None:
        assert cell not in self.stones
        self.stones[cell] = self.to_move
        if self.has_won(self.to_move):
            self.winner = self.to_move
        self.to_move = 1 - self.to_move

    def is_over(self) -> bool:
        return self.winner is not None or len(self.stones) == self.rows * self.cols

    def observation(self, player: int) -> np.ndarray:
        return planes_of(self.stones, self.rows, self.cols, player)


def window_counts(game: StonesReference, player: int) -> list[tuple[int, int]]:
    """(own stones, opponent's stones) of every window of ``connect`` neighbouring cells."""
    windows = []
    for line in game.lines():
        for first in range(len(line) - game.connect + 1):
            owners = [game.stones.get(cell) for cell in line[first : first + game.connect]]
            windows.append((owners.count(player), owners.count(1 - player)))
    return windows


class CellsReference(StonesReference):
    """Stones may be put on any free cell; the action is the cell, row-major."""

    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return [
            row * self.cols + column
            for row in range(self.rows)
            for column in range(self.cols)
            if (row, column) not in self.stones
        ]

    def play(self, action: int) -> None:
        self.place((action // self.cols, action % self.cols))


def perft(game: Reference, depth: int) -> list[int]:
    """The number of move sequences of exactly 0, 1, … ``depth`` plies; a game that ends counts at
    its last ply, not after.
    """
    # all positions after the same number of plies, and the ways to each
    counts, level = [1], {position_key(game): (game, 1)}
    for _ in range(depth):
        following: dict[bytes, tuple[Reference, int]] = {}
        for position, ways in level.values():
            for action in position.legal_actions():
                child = copy.deepcopy(position)
                child.play(action)
                key = position_key(child)
                following[key] = (child, following.get(key, (child, 0))[1] + ways)
        level = following
        counts.append(sum(ways for _, ways in level.values()))
    return counts


def value(game: Reference, values: dict[bytes, float]) -> float:
    """What player 0 gets under best play, by a visit to every position that can be reached.

    ``values`` are those of the positions visited.
    """
    if game.is_over():
        return game.returns()[0]
    key = position_key(game)
    if key not in values:
        results = []
        for action in game.legal_actions():
            child = copy.deepcopy(game)
            child.play(action)
            results.append(value(child, values))
        values[key] = max(results) if game.to_move == 0 else min(results)
    return values[key]


def position_key(game: Reference) -> bytes:
    return game.observation(0).tobytes() + bytes([game.to_move])
