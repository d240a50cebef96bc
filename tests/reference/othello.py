"""Othello, by walking from every cell in every direction."""

from __future__ import annotations

import functools
from importlib.resources import files

import numpy as np

from .reference import Reference, planes_of

OPENSPIEL = [("othello", "othello")]

DIRECTIONS = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]


class Othello(Reference):
    """``discs`` maps (row, column), row 0 at the top, to the player."""

    def __init__(self, size: int, reward: str, empties: str) -> None:
        self.rows, self.cols, self.reward, self.empties = size, size, reward, empties
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
        margin = float(self.final_margin()) if self.is_over() else 0.0
        if self.reward == "win":
            margin = float((margin > 0) - (margin < 0))
        return margin, -margin

    def final_margin(self) -> int:
        """The first player's discs more than the second's, after the winner took what is free."""
        first, second = self.count(0), self.count(1)
        if self.empties == "winner" and first != second:
            free = self.rows * self.cols - len(self.discs)
            first, second = (first + free, second) if first > second else (first, second + free)
        return first - second

    def observation(self, player: int) -> np.ndarray:
        return planes_of(self.discs, self.rows, self.cols, player, 1)


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


# For each table the cells whose discs are the digits of its numbers, the lowest first, and the
# order of the digits in the mirror image that shares its weight.
_ROW = [(0, 1, 2, 3, 4, 5, 6, 7), (7, 6, 5, 4, 3, 2, 1, 0)]
TABLES = {
    "edge": ([(0, x) for x in range(8)] + [(1, 1), (1, 6)], (*_ROW[1], 9, 8)),
    "block": ([(y, x) for y in (0, 1) for x in range(5)], tuple(range(10))),
    "corner": ([(y, x) for y in range(3) for x in range(3)], (0, 3, 6, 1, 4, 7, 2, 5, 8)),
    **{f"row{y + 1}": ([(y, x) for x in range(8)], _ROW[1]) for y in (1, 2, 3)},
    **{
        f"diagonal{n}": ([(i, 8 - n + i) for i in range(n)], tuple(reversed(range(n))))
        for n in (4, 5, 6, 7, 8)
    },
}


@functools.cache
def weights() -> dict[str, np.ndarray]:
    """The weights of the file by table, stage and number."""
    with np.load(str(files("plyground.extras.games.othello") / "patterns.npz")) as file:
        by_number = {"counts": file["counts"].astype(int)}
        for name, (cells, mirror) in TABLES.items():
            digits = np.arange(3 ** len(cells))[:, None] // 3 ** np.arange(len(cells)) % 3
            twins = digits[:, mirror] @ 3 ** np.arange(len(cells))
            lower = np.minimum(twins, np.arange(len(twins)))
            classes = np.unique(lower, return_inverse=True)[1]
            by_number[name] = file[name].astype(int)[:, classes]
    return by_number


def patterns(game: Othello, player: int) -> int:
    """The sum of the weights of all patterns in the four rotations of the board, and of counts."""
    if game.rows != 8:
        return mobility(game, player)
    mover, plies = game.to_move, len(game.discs) - 4
    stage = min(max((plies - 8) // 4, 0), 11)
    digits = np.zeros((8, 8), int)
    for cell, owner in game.discs.items():
        digits[cell] = 1 if owner == mover else 2
    counts = weights()["counts"][stage]
    own, other = (min(len(game.open_cells(side)), 31) for side in (mover, 1 - mover))
    points = int(counts[own] + counts[32 + other] + counts[64 + plies % 4])
    for turn in range(4):
        board = np.rot90(digits, turn)
        for name, (cells, _) in TABLES.items():
            for view in (board, board[:, ::-1]) if name == "block" else (board,):
                number = sum(int(view[cell]) * 3**i for i, cell in enumerate(cells))
                points += int(weights()[name][stage, number])
    return points if player == mover else -points
