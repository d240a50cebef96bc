"""Connect four: stones fall to the lowest free cell of a column."""

from __future__ import annotations

from .reference import StonesReference, window_counts

OPENSPIEL = [
    ("connect_four", "connect_four"),
    ("connect_four:rows=4,cols=5,connect=3", "connect_four(rows=4,columns=5,x_in_row=3)"),
    ("connect_four:rows=7,cols=8,connect=5", "connect_four(rows=7,columns=8,x_in_row=5)"),
]


class ConnectFour(StonesReference):
    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return [column for column in range(self.cols) if (0, column) not in self.stones]

    def play(self, action: int) -> None:
        free = [row for row in range(self.rows) if (row, action) not in self.stones]
        self.place((max(free), action))


def windows(game: ConnectFour, player: int) -> int:
    """±1000 for a full window, ±50 with one free, ±3 with two free, ±1 for each disc in the centre
    column, or in either of the two.
    """
    worth = {game.connect: 1000, game.connect - 1: 50, game.connect - 2: 3}
    points = 0
    for mine, theirs in window_counts(game, player):
        if mine > 0 and theirs == 0:
            points += worth.get(mine, 0)
        elif theirs > 0 and mine == 0:
            points -= worth.get(theirs, 0)
    centre = [
        owner for (_, column), owner in game.stones.items() if abs(2 * column + 1 - game.cols) <= 1
    ]
    return points + centre.count(player) - centre.count(1 - player)


def completing_cells(game: ConnectFour, player: int) -> set[tuple[int, int]]:
    """Free cells on which one more stone of the player completes a row."""
    wins = set()
    for line in game.lines():
        for first in range(len(line) - game.connect + 1):
            window = line[first : first + game.connect]
            free = [cell for cell in window if cell not in game.stones]
            if len(free) == 1 and all(
                game.stones[cell] == player for cell in window if cell not in free
            ):
                wins.add(free[0])
    return wins


def threats(game: ConnectFour, player: int) -> int:
    """Two for each open line, 12 for each lowest threat of a column (40 more in the player's rows),
    4,000 for a win that cannot be stopped.
    """
    free = [
        (row, column)
        for row in range(game.rows)
        for column in range(game.cols)
        if (row, column) not in game.stones
    ]
    playable = {
        max((cell for cell in free if cell[1] == column), default=None)
        for column in range(game.cols)
    }
    winning = [completing_cells(game, side) for side in (0, 1)]
    threats_later = (winning[0] | winning[1]) - playable
    total = 0
    for side, sign in ((player, 1), (1 - player, -1)):
        total += sign * 2 * sum(theirs == 0 for _, theirs in window_counts(game, side))
        for row, column in winning[side] - playable:
            # rows count from the top
            if not any(other > row and at == column for other, at in threats_later):
                from_bottom = game.rows - row
                total += sign * (12 + (40 if from_bottom % 2 == (1 if side == 0 else 0) else 0))
        now = len(winning[side] & playable)
        if now >= 2 or (now == 1 and side == game.to_move):
            total += sign * 4000
    return total
