"""Hex, by searching a chain of stones anew after every move."""

from __future__ import annotations

import numpy as np

from .reference import Reference, planes_of

OPENSPIEL = [
    ("hex", "hex"),
    ("hex:size=3", "hex(board_size=3)"),
    ("hex:size=5,swap=yes", "hex(board_size=5,swap=true)"),
]

Cell = tuple[int, int]  # row from the top, column


class Hex(Reference):
    """``stones`` maps the cell to the player."""

    def __init__(self, size: int, swap: str) -> None:
        self.size, self.swap = size, swap == "yes"
        self.board = [(row, column) for row in range(size) for column in range(size)]
        self.stones: dict[Cell, int] = {}
        self.to_move = 0
        self.winner = None

    def neighbours(self, cell: Cell) -> list[Cell]:
        row, column = cell
        around = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]
        return [(row + y, column + x) for y, x in around if (row + y, column + x) in self.board]

    def edge(self, player: int, far: bool) -> set[Cell]:
        """The cells of the player's first edge, top or left, or of the far one."""
        return {cell for cell in self.board if cell[player] == (self.size - 1 if far else 0)}

    def has_won(self, player: int) -> bool:
        own = {cell for cell, owner in self.stones.items() if owner == player}
        group = self.edge(player, far=False) & own
        while True:
            more = {beside for cell in group for beside in self.neighbours(cell)} & own - group
            if not more:
                return bool(group & self.edge(player, far=True))
            group |= more

    def may_swap(self) -> bool:
        return self.swap and self.to_move == 1 and list(self.stones.values()) == [0]

    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        free = [number for number, cell in enumerate(self.board) if cell not in self.stones]
        return free + [len(self.board)] * self.may_swap()

    def play(self, action: int) -> None:
        if action == len(self.board):
            ((row, column),) = self.stones
            self.stones = {(column, row): 1}
        else:
            assert self.board[action] not in self.stones
            self.stones[self.board[action]] = self.to_move
        if self.has_won(self.to_move):
            self.winner = self.to_move
        self.to_move = 1 - self.to_move

    def observation(self, player: int) -> np.ndarray:
        return planes_of(self.stones, self.size, self.size, player, 1)


def distance(game: Hex, player: int) -> int:
    """100 for each stone that the opponent needs more than the player to connect."""
    return 100 * (missing_stones(game, 1 - player) - missing_stones(game, player))


def missing_stones(game: Hex, player: int) -> int:
    """The fewest stones that connect the player's edges: a search in order of the stones needed."""
    done: set[Cell] = set()
    costs = {cell: _cost(game, cell, player) for cell in game.board}
    waiting = {cell: costs[cell] for cell in game.edge(player, far=False) if costs[cell] < 2}
    while waiting:
        cell = min(waiting, key=waiting.__getitem__)
        cost = waiting.pop(cell)
        if cell in game.edge(player, far=True):
            return cost
        done.add(cell)
        for beside in game.neighbours(cell):
            if beside not in done and costs[beside] < 2:
                waiting[beside] = min(cost + costs[beside], waiting.get(beside, len(game.board)))
    raise AssertionError("a player who has not lost can still connect")


def _cost(game: Hex, cell: Cell, player: int) -> int:
    """0 for an own stone, 1 for a free cell, 2 for one of the opponent's."""
    owner = game.stones.get(cell)
    return 1 if owner is None else 0 if owner == player else 2
