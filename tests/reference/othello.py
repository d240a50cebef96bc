"""Othello, by walking from every cell in every direction."""

from __future__ import annotations

import numpy as np

from .reference import Reference

OPENSPIEL = [("othello", "othello")]

DIRECTIONS = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]


class Othello(Reference):
    """``discs`` maps (row, column), row 0 at the top, to the player."""

    def __init__(self, size: int, reward: str) -> None:
        self.rows, self.cols, self.reward = size, size, reward
        y, x = size // 2, size // 2
        self.discs = {(y - 1, x): 0, (y, x - 1): 0, (y - 1, x - 1): 1, (y, x): 1}
        self.to_move = 0
        self.winner = None

    def turned(self, cell: tuple[int, int], player: int) -> set[tuple[int, int]]:
        """The discs that a disc of the player on a free cell turns over."""
        discs = set()
        for y, x in DIRECTIONS:
            line, at = set(), (cell[0] + y, cell[1] + x)
            while self.discs.get(at) == 1 - player:
                line.add(at)
                at = (at[0] + y, at[1] + x)
            if self.discs.get(at) == player:
                discs |= line
        return discs

    def open_cells(self, player: int) -> list[tuple[int, int]]:
        """The free cells on which the player turns a disc."""
        return [
            (row, column)
            for row in range(self.rows)
            for column in range(self.cols)
            if (row, column) not in self.discs and self.turned((row, column), player)
        ]

    def legal_actions(self) -> list[int]:
        cells = self.open_cells(self.to_move)
        if not cells and not self.is_over():
            return [self.rows * self.cols]
        return [row * self.cols + column for row, column in cells]

    def play(self, action: int) -> None:
        if action < self.rows * self.cols:
            cell = divmod(action, self.cols)
            for disc in {cell} | self.turned(cell, self.to_move):
                self.discs[disc] = self.to_move
        self.to_move = 1 - self.to_move

    def is_over(self) -> bool:
        return not self.open_cells(0) and not self.open_cells(1)

    def count(self, player: int) -> int:
        return list(self.discs.values()).count(player)

    def returns(self) -> tuple[float, float]:
        margin = float(self.count(0) - self.count(1)) if self.is_over() else 0.0
        if self.reward == "win":
            margin = float((margin > 0) - (margin < 0))
        return margin, -margin

    def observation(self, player: int) -> np.ndarray:
        planes = np.zeros((self.rows, self.cols, 3), np.int8)
        for (row, column), owner in self.discs.items():
            planes[row, column, 0 if owner == player else 1] = 1
        planes[..., 2] = int(player == 0)
        return planes


def mobility(game: Othello, player: int) -> int:
    """10 for each open cell, 100 for each corner, −30 for a disc diagonally beside a free one."""
    points = 0
    for side, sign in ((player, 1), (1 - player, -1)):
        points += sign * 10 * len(game.open_cells(side))
        for y, inner_y in ((0, 1), (game.rows - 1, game.rows - 2)):
            for x, inner_x in ((0, 1), (game.cols - 1, game.cols - 2)):
                if game.discs.get((y, x)) == side:
                    points += sign * 100
                elif (y, x) not in game.discs and game.discs.get((inner_y, inner_x)) == side:
                    points -= sign * 30
    return points


def discs(game: Othello, player: int) -> int:
    """Own discs minus the opponent's."""
    return game.count(player) - game.count(1 - player)
