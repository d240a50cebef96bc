"""The declared heuristics in plain Python, from the player's side."""

from __future__ import annotations

from .connect_four import ConnectFour
from .dots_and_boxes import DotsAndBoxes
from .gomoku import Gomoku
from .reference import Reference, StonesReference
from .tic_tac_toe import TicTacToe


def windows(game: StonesReference, player: int) -> list[tuple[int, int]]:
    """(own stones, opponent's stones) of every window of ``connect`` neighbouring cells."""
    found = []
    for line in game.lines():
        for first in range(len(line) - game.connect + 1):
            owners = [game.stones.get(cell) for cell in line[first : first + game.connect]]
            found.append((owners.count(player), owners.count(1 - player)))
    return found


def lines(game: TicTacToe, player: int) -> int:
    """Lines still open to the player minus lines still open to the opponent."""
    counts = windows(game, player)
    return sum(theirs == 0 for _, theirs in counts) - sum(mine == 0 for mine, _ in counts)


def connect_four_windows(game: ConnectFour, player: int) -> int:
    """±1000 for a full window, ±50 with one free, ±3 with two free, ±1 for each disc in the centre column."""
    worth = {game.connect: 1000, game.connect - 1: 50, game.connect - 2: 3}
    points = 0
    for mine, theirs in windows(game, player):
        if mine > 0 and theirs == 0:
            points += worth.get(mine, 0)
        elif theirs > 0 and mine == 0:
            points -= worth.get(theirs, 0)
    centre = [owner for (_, column), owner in game.stones.items() if column == game.cols // 2]
    return points + centre.count(player) - centre.count(1 - player)


def completing_cells(game: ConnectFour, player: int) -> set[tuple[int, int]]:
    """Free cells on which one more stone of the player completes a row."""
    found = set()
    for line in game.lines():
        for first in range(len(line) - game.connect + 1):
            window = line[first : first + game.connect]
            free = [cell for cell in window if cell not in game.stones]
            if len(free) == 1 and all(game.stones[cell] == player for cell in window if cell not in free):
                found.add(free[0])
    return found


def threats(game: ConnectFour, player: int) -> int:
    """Two for each open line, 12 for each lowest threat of a column (40 more in the player's rows), 4,000 for a win that cannot be stopped."""
    free = [(row, column) for row in range(game.rows) for column in range(game.cols) if (row, column) not in game.stones]
    playable = {max((cell for cell in free if cell[1] == column), default=None) for column in range(game.cols)}
    winning = [completing_cells(game, side) for side in (0, 1)]
    threatened = (winning[0] | winning[1]) - playable
    total = 0
    for side, sign in ((player, 1), (1 - player, -1)):
        total += sign * 2 * sum(theirs == 0 for _, theirs in windows(game, side))
        for row, column in winning[side] - playable:
            if not any(other > row and at == column for other, at in threatened):  # rows count from the top
                from_bottom = game.rows - row
                total += sign * (12 + (40 if from_bottom % 2 == (1 if side == 0 else 0) else 0))
        now = len(winning[side] & playable)
        if now >= 2 or (now == 1 and side == game.to_move):
            total += sign * 4000
    return total


def caro10(game: Gomoku, player: int) -> int:
    """Windows of five: 1, 10, 100, 1,000, 100,000 for 1 to 5 own stones, minus the same for 2 to 5 of the opponent's."""
    worth = {1: 1, 2: 10, 3: 100, 4: 1000, 5: 100_000}
    points = 0
    for mine, theirs in windows(game, player):
        if theirs == 0:
            points += worth.get(mine, 0)
        elif mine == 0 and theirs >= 2:
            points -= worth[theirs]
    return points


def classic(game: DotsAndBoxes, player: int) -> int:
    """100 for each box ahead, −50, 10, 2 for each box with three, two, at most one side, 30 if more than two boxes ahead."""
    owners = list(game.owners.values())
    lead = owners.count(player) - owners.count(1 - player)
    points = 100 * lead + (30 if lead > 2 else 0)
    for row in range(game.rows):
        for column in range(game.cols):
            drawn = sum(side in game.drawn for side in game.sides(row, column))
            points += {0: 2, 1: 2, 2: 10, 3: -50, 4: 0}[drawn]
    return points


HEURISTICS = {
    ("tic_tac_toe", "lines"): lines,
    ("connect_four", "threats"): threats,
    ("connect_four", "windows"): connect_four_windows,
    ("gomoku", "caro10"): caro10,
    ("dots_and_boxes", "classic"): classic,
}
