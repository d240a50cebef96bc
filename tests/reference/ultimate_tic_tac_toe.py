"""Ultimate tic-tac-toe, with the marks of the whole grid in one dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np

from .reference import Reference, planes_of

OPENSPIEL = [("ultimate_tic_tac_toe", "ultimate_tic_tac_toe")]

THREE = range(3)
PLACES = [(row, column) for row in THREE for column in THREE]
LINES = [
    *([(row, column) for column in THREE] for row in THREE),
    *([(row, column) for row in THREE] for column in THREE),
    [(at, at) for at in THREE],
    [(at, 2 - at) for at in THREE],
]

Cell = tuple[int, int]  # row from the top, column


class UltimateTicTacToe(Reference):
    """``marks`` maps the (row, column) of the grid to the player, ``owners`` the small boards that
    are won; ``sent`` is the small board to which the last move sends.
    """

    def __init__(self, tie: str) -> None:
        self.tie = tie
        self.marks: dict[Cell, int] = {}
        self.owners: dict[Cell, int] = {}
        self.sent: Cell | None = None
        self.to_move = 0
        self.winner = None

    def mark(self, board: Cell, place: Cell) -> int | None:
        return self.marks.get((3 * board[0] + place[0], 3 * board[1] + place[1]))

    def is_won(self, board: Cell, player: int) -> bool:
        """Whether the player has three marks in a row in a small board."""
        return any(all(self.mark(board, place) == player for place in line) for line in LINES)

    def is_closed(self, board: Cell) -> bool:
        return board in self.owners or all(self.mark(board, at) is not None for at in PLACES)

    def open_boards(self) -> list[Cell]:
        """The small boards in which the player to move may play."""
        if self.is_over():
            return []
        if self.sent is not None and not self.is_closed(self.sent):
            return [self.sent]
        return [board for board in PLACES if not self.is_closed(board)]

    def legal_actions(self) -> list[int]:
        return sorted(
            9 * (3 * board[0] + place[0]) + 3 * board[1] + place[1]
            for board in self.open_boards()
            for place in PLACES
            if self.mark(board, place) is None
        )

    def play(self, action: int) -> None:
        row, column = divmod(action, 9)
        assert (row, column) not in self.marks
        self.marks[row, column] = self.to_move
        self.sent = row % 3, column % 3
        board = row // 3, column // 3
        if self.is_won(board, self.to_move):
            self.owners[board] = self.to_move
        if any(all(self.owners.get(at) == self.to_move for at in line) for line in LINES):
            self.winner = self.to_move
        elif self.is_over() and self.tie == "boards":
            won = list(self.owners.values())
            if won.count(0) != won.count(1):
                self.winner = 0 if won.count(0) > won.count(1) else 1
        self.to_move = 1 - self.to_move

    def is_over(self) -> bool:
        return self.winner is not None or all(map(self.is_closed, PLACES))

    def observation(self, player: int) -> np.ndarray:
        planes = np.pad(planes_of(self.marks, 9, 9, player), ((0, 0), (0, 0), (0, 3)))
        for (row, column), owner in self.owners.items():
            plane = 2 if owner == player else 3
            planes[3 * row : 3 * row + 3, 3 * column : 3 * column + 3, plane] = 1
        for row, column in self.open_boards():
            planes[3 * row : 3 * row + 3, 3 * column : 3 * column + 3, 4] = 1
        return planes


def boards(game: UltimateTicTacToe, player: int) -> int:
    """For each small board won the lines of the large board through it, minus the opponent's."""
    return sum(
        (game.owners.get(board) == player) - (game.owners.get(board) == 1 - player)
        for line in LINES
        for board in line
    )


def lines(game: UltimateTicTacToe, player: int) -> int:
    """The points of the lines of the large board that a side can still win, minus the others'."""
    return side_points(game, player) - side_points(game, 1 - player)


def side_points(game: UltimateTicTacToe, player: int) -> int:
    points = 0
    for line in LINES:
        owners = [game.owners.get(board) for board in line]
        unfinished = [board for board in line if not game.is_closed(board)]
        if owners.count(player) + len(unfinished) == 3:
            points += {0: 0, 1: 30, 2: 120}[owners.count(player)]
            points += sum(small_points(game, board, player) for board in unfinished)
    return points


def small_points(game: UltimateTicTacToe, board: Cell, player: int) -> int:
    points = 0
    for line in LINES:
        owners = [game.mark(board, place) for place in line]
        if 1 - player not in owners:
            points += {0: 0, 1: 1, 2: 4}[owners.count(player)]
    return points


def openspiel_actions(game: Any, state: Any) -> dict[int, tuple[int, ...]]:
    """OpenSpiel's actions: the small board, where the player is not sent to one, and the place.

    Before July 2026 a mark after the choice of a board could become the opponent's there.
    """
    numbers = {}
    name = state.action_to_string(state.current_player(), state.legal_actions()[0])
    if name.startswith("Choose local board"):
        boards = [((board,), state.child(board)) for board in state.legal_actions()]
    else:
        boards = [((), state)]
    for choice, chosen in boards:
        for place in chosen.legal_actions():
            # such as "Local board 3: x(0,1)"
            name = chosen.action_to_string(chosen.current_player(), place)
            board = int(name.split(":")[0].split()[-1])
            row, column = 3 * (board // 3) + place // 3, 3 * (board % 3) + place % 3
            numbers[9 * row + column] = (*choice, place)
    return numbers
