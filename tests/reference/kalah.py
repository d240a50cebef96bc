"""Kalah, with the seeds of each player in a list of pits and a number in the store."""

from __future__ import annotations

import copy

import numpy as np

from .reference import Reference

# OpenSpiel's mancala has 6 pits of 4 seeds, captures seeds only, and counts the remaining seeds for
# the player on whose side they lie.
OPENSPIEL = [("kalah", "mancala")]


def openspiel_actions(game, state):
    """Pits by their places on OpenSpiel's board: player 1's store, 1 to 6, player 0's, 8 to 13."""
    first = 1 if state.current_player() == 0 else 8
    return {place - first: place for place in state.legal_actions()}


class Kalah(Reference):
    """``pits`` and ``store`` are lists over the players."""

    def __init__(
        self, pits: int, seeds: int, empty_capture: str, remaining: str, reward: str
    ) -> None:
        self.pits = [[seeds] * pits, [seeds] * pits]
        self.store = [0, 0]
        self.empty_capture, self.remaining, self.reward = empty_capture == "yes", remaining, reward
        self.all_seeds = 2 * pits * seeds
        self.to_move = 0
        self.winner = None

    def is_over(self) -> bool:
        return any(sum(side) == 0 for side in self.pits)

    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return [pit for pit, seeds in enumerate(self.pits[self.to_move]) if seeds > 0]

    def play(self, action: int) -> None:
        mover, other = self.to_move, 1 - self.to_move
        seeds, self.pits[mover][action] = self.pits[mover][action], 0
        assert seeds > 0
        way = [("pit", mover, pit) for pit in range(len(self.pits[mover]))]
        way += [("store", mover, 0)]
        way += [("pit", other, pit) for pit in range(len(self.pits[other]))]
        for number in range(seeds):
            kind, owner, pit = way[(action + 1 + number) % len(way)]
            if kind == "store":
                self.store[mover] += 1
            else:
                self.pits[owner][pit] += 1
        if kind != "store":
            self.to_move = other
            if owner == mover and self.pits[mover][pit] == 1:
                self.capture(mover, pit)
        if self.is_over():
            self.give_remaining()

    def capture(self, player: int, pit: int) -> None:
        opposite = len(self.pits[player]) - 1 - pit
        taken = self.pits[1 - player][opposite]
        if taken > 0 or self.empty_capture:
            self.store[player] += taken + 1
            self.pits[player][pit] = self.pits[1 - player][opposite] = 0

    def give_remaining(self) -> None:
        if self.remaining == "nobody":
            return
        for player, side in enumerate(self.pits):
            self.store[player if self.remaining == "owner" else 1 - player] += sum(side)
            side[:] = [0] * len(side)

    def returns(self) -> tuple[float, float]:
        if not self.is_over():
            return 0.0, 0.0
        margin = float(self.store[0] - self.store[1])
        if self.reward == "win":
            margin = float(np.sign(margin))
        return margin, 0.0 - margin

    def observation(self, player: int) -> np.ndarray:
        pits, digits = len(self.pits[0]), len(f"{self.all_seeds:b}")
        planes = np.zeros((2, pits + 1, digits + 2 * pits + 1 + 2), np.int8)
        above = [*reversed(self.pits[1 - player]), self.store[1 - player]]
        below = [*self.pits[player], self.store[player]]
        for row, counts in enumerate((above, below)):
            for column, seeds in enumerate(counts):
                planes[row, column, :digits] = [int(d) for d in reversed(f"{seeds:0{digits}b}")]
                planes[row, column, digits:-2] = [seeds == k for k in range(1, 2 * pits + 2)]
        planes[..., -2], planes[..., -1] = self.to_move == player, player == 0
        return planes


def stores(game: Kalah, player: int) -> int:
    """Seeds in the own store less those in the opponent's."""
    return game.store[player] - game.store[1 - player]


def outcomes(game: Kalah, player: int) -> tuple[int, int]:
    """After how many moves a player who moved now would move again, and the most seeds that one of
    them captures.
    """
    again, most = 0, 0
    for pit, seeds in enumerate(game.pits[player]):
        if seeds > 0:
            after = copy.deepcopy(game)
            after.to_move, after.remaining = player, "nobody"
            after.play(pit)
            again += after.to_move == player
            reached = len(game.pits[player]) - pit
            lap = 2 * len(game.pits[player]) + 1
            sown = 0 if seeds < reached else 1 + (seeds - reached) // lap
            most = max(most, after.store[player] - game.store[player] - sown)
    return again, most


def opportunities(game: Kalah, player: int) -> int:
    """100 for each seed of the lead in the stores; of each side 10 for each seed in the pits (−10
    if those left go to the opponent, 0 if to nobody); to the player to move 75 for each seed of the
    largest capture and 200 for each move after which it moves again, to the other 40 and 90.
    """
    points = []
    for side in (player, 1 - player):
        again, most = outcomes(game, side)
        worth = {"owner": 10, "opponent": -10, "nobody": 0}[game.remaining]
        chances = 75 * most + 200 * again if side == game.to_move else 40 * most + 90 * again
        points.append(worth * sum(game.pits[side]) + chances)
    return 100 * stores(game, player) + points[0] - points[1]
