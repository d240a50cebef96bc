"""Breakthrough, with a dictionary from cells to players."""

from __future__ import annotations

import numpy as np

from .reference import Reference


class Breakthrough(Reference):
    """``pieces`` maps (row from the top, column) to the player."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.pieces = {(row, column): 1 for row in (0, 1) for column in range(cols)}
        self.pieces |= {(row, column): 0 for row in (rows - 2, rows - 1) for column in range(cols)}
        self.to_move = 0
        self.winner = None

    def moves(self) -> dict[int, tuple[tuple[int, int], tuple[int, int]]]:
        """Where each legal action leads from, and to."""
        moves = {}
        forward = -1 if self.to_move == 0 else 1
        for (row, column), player in self.pieces.items():
            for aside in (-1, 0, 1):
                to = (row + forward, column + aside)
                takes = self.pieces.get(to) == 1 - player and aside != 0
                on_board = 0 <= to[0] < self.rows and 0 <= to[1] < self.cols
                if player == self.to_move and on_board and (to not in self.pieces or takes):
                    direction = aside + 1 + 3 * self.to_move
                    moves[(row * self.cols + column) * 6 + direction] = ((row, column), to)
        return moves

    def legal_actions(self) -> list[int]:
        return [] if self.is_over() else sorted(self.moves())

    def play(self, action: int) -> None:
        start, to = self.moves()[action]
        self.pieces[to] = self.pieces.pop(start)
        last_row = 0 if self.to_move == 0 else self.rows - 1
        if to[0] == last_row or 1 - self.to_move not in self.pieces.values():
            self.winner = self.to_move
        self.to_move = 1 - self.to_move

    def is_over(self) -> bool:
        return self.winner is not None

    def returns(self) -> tuple[float, float]:
        return {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[self.winner]

    def observation(self, player: int) -> np.ndarray:
        planes = np.zeros((self.rows, self.cols, 3), np.int8)
        for (row, column), owner in self.pieces.items():
            planes[row, column, 0 if owner == player else 1] = 1
        planes[..., 2] = int(player == 0)
        return planes


def advance(game: Breakthrough, player: int) -> int:
    """10 for each row that a piece has advanced, and 10 for the piece."""
    rows = {0: 0, 1: 0}
    for (row, _), owner in game.pieces.items():
        rows[owner] += game.rows - row if owner == 0 else row + 1
    return 10 * (rows[player] - rows[1 - player])
