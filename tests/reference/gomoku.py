"""Gomoku: which rows win depends on the rule variant."""

from __future__ import annotations

from itertools import groupby

from .reference import CellsReference


class Gomoku(CellsReference):
    def __init__(self, rows: int, cols: int, connect: int, rule: str) -> None:
        super().__init__(rows, cols, connect)
        self.rule = rule

    def has_won(self, player: int) -> bool:
        return any(
            self.wins(player, length, blocked_ends) for length, blocked_ends in self.runs(player)
        )

    def runs(self, player: int) -> list[tuple[int, int]]:
        """(length, number of ends at which an opponent's stone stands) of every unbroken row of the
        player's stones.
        """
        found = []
        for line in self.lines():
            groups = [
                (owner, len(list(cells)))
                for owner, cells in groupby(self.stones.get(cell) for cell in line)
            ]
            owners = [None, *(owner for owner, _ in groups), None]  # beyond the edge stands nobody
            for index, (owner, length) in enumerate(groups):
                if owner == player:
                    neighbours = (owners[index], owners[index + 2])
                    found.append((length, neighbours.count(1 - player)))
        return found

    def wins(self, player: int, length: int, blocked_ends: int) -> bool:
        if self.rule == "freestyle":
            return length >= self.connect
        if self.rule == "standard":
            return length == self.connect
        if self.rule == "caro":
            return length == self.connect and blocked_ends < 2
        assert self.rule == "caro_overline"
        return length > self.connect or (length == self.connect and blocked_ends < 2)
