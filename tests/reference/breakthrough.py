"""Breakthrough, with a dictionary from cells to players."""

from __future__ import annotations

from typing import Any

import numpy as np
from plyground import Game

from .reference import Reference, planes_of

# OpenSpiel gives each side one row of pieces on boards of fewer than six rows.
OPENSPIEL = [
    ("breakthrough", "breakthrough"),
    ("breakthrough:size=6", "breakthrough(rows=6,columns=6)"),
    ("breakthrough:rows=6,cols=3", "breakthrough(rows=6,columns=3)"),
    ("breakthrough:rows=7,cols=5", "breakthrough(rows=7,columns=5)"),
]


def openspiel_actions(game: Game, state: Any) -> dict[int, int]:
    """OpenSpiel's number of each legal action, by ours: there the first player is at the top."""
    numbers = {}
    for number in state.legal_actions():
        name = state.action_to_string(number)  # "a7a6", "a7b6*"
        cells = (f"{cell[0]}{game.rules.rows + 1 - int(cell[1])}" for cell in (name[:2], name[2:4]))
        numbers[game.text_to_action("-".join(cells))] = number
    return numbers


class Breakthrough(Reference):
    """``pieces`` maps (row from the top, column) to the player."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.pieces = {(row, column): 1 for row in (0, 1) for column in range(cols)}
        self.pieces |= {(row, column): 0 for row in (rows - 2, rows - 1) for column in range(cols)}
        self.to_move = 0
        self.winner = None
        self.numbered_moves = self.all_moves()

    def all_moves(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Every step forward that stays on the board, player 0's first: by its number."""
        cells = [(row, column) for row in range(self.rows) for column in range(self.cols)]
        return [
            (cell, (cell[0] + forward, cell[1] + aside))
            for forward in (-1, 1)
            for cell in cells
            for aside in (-1, 0, 1)
            if (cell[0] + forward, cell[1] + aside) in cells
        ]

    def may_move(self, start: tuple[int, int], to: tuple[int, int]) -> bool:
        """Whether the player to move has a piece on ``start`` that may go to ``to``."""
        forward = -1 if self.to_move == 0 else 1
        if self.pieces.get(start) != self.to_move or to[0] - start[0] != forward:
            return False
        captures = self.pieces.get(to) == 1 - self.to_move and to[1] != start[1]
        return to not in self.pieces or captures

    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return [number for number, move in enumerate(self.numbered_moves) if self.may_move(*move)]

    def play(self, action: int) -> None:
        start, to = self.numbered_moves[action]
        self.pieces[to] = self.pieces.pop(start)
        last_row = 0 if self.to_move == 0 else self.rows - 1
        if to[0] == last_row or 1 - self.to_move not in self.pieces.values():
            self.winner = self.to_move
        self.to_move = 1 - self.to_move

    def observation(self, player: int) -> np.ndarray:
        return planes_of(self.pieces, self.rows, self.cols, player, 1)

    def pieces_of(self, player: int) -> list[tuple[int, int]]:
        """(rows to go, column) of each piece."""
        return [
            (row if player == 0 else self.rows - 1 - row, column)
            for (row, column), owner in self.pieces.items()
            if owner == player
        ]


def material(game: Breakthrough, player: int) -> int:
    """Own pieces minus the opponent's."""
    return len(game.pieces_of(player)) - len(game.pieces_of(1 - player))


def advancement(game: Breakthrough, player: int) -> int:
    """40 for each piece, 10 for each row that the foremost one has gone."""
    foremost = [min(game.pieces_of(side))[0] for side in (player, 1 - player)]
    return 40 * material(game, player) + 10 * (foremost[1] - foremost[0])


def arrival(game: Breakthrough, player: int) -> float:
    """The moves that the foremost piece needs that no opponent ahead of it can meet."""
    others = [(game.rows - 1 - to_go, column) for to_go, column in game.pieces_of(1 - player)]
    return min(
        (
            to_go
            for to_go, column in game.pieces_of(player)
            if all(y >= to_go or abs(x - column) > to_go - y for y, x in others)
        ),
        default=float("inf"),
    )


def captures_for_nothing(game: Breakthrough) -> bool:
    """Whether the player to move may capture a piece that none of its own side protects."""
    for start, to in game.numbered_moves:
        if game.may_move(start, to) and game.pieces.get(to) == 1 - game.to_move:
            behind = to[0] + to[0] - start[0]
            guards = [(behind, to[1] + aside) for aside in (-1, 1)]
            if all(game.pieces.get(cell) != 1 - game.to_move for cell in guards):
                return True
    return False


def runners(game: Breakthrough, player: int) -> int:
    """A race that is won; else pieces, how far they are, and a free capture."""
    mover, points = game.to_move, 0
    foremost = [min(game.pieces_of(side))[0] for side in (0, 1)]
    if arrival(game, mover) <= foremost[1 - mover]:
        points = 10_000 - int(arrival(game, mover))
    elif arrival(game, 1 - mover) < foremost[mover]:
        points = int(arrival(game, 1 - mover)) - 10_000
    else:
        for side, sign in ((mover, 1), (1 - mover, -1)):
            points -= sign * 25 * foremost[side]
            for to_go, _ in game.pieces_of(side):
                home = 5 if to_go == game.rows - 1 else 0
                points += sign * (100 + home + [0, 30, 20, 12, 6, 3, 1, 0][to_go])
        points += 50 if captures_for_nothing(game) else 0
    return points if player == mover else -points
