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
    ("connect_four", "windows"): connect_four_windows,
    ("gomoku", "caro10"): caro10,
    ("dots_and_boxes", "classic"): classic,
}


def evaluate(name: str, heuristic: str, game: Reference, player: int) -> int:
    return HEURISTICS[name, heuristic](game, player)
