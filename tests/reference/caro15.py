"""The level ``hard`` of the course on caro 15×15, as it is described: plain alpha-beta, depth 3."""

from __future__ import annotations

import functools
import math
from itertools import groupby

from .reference import straight_lines

Cell = tuple[int, int]
WIN, DEPTH, RADIUS = 1_000_000, 3, 2
FREE = -1
POINTS = {1: 10, 2: 100, 3: 1_000, 4: 10_000, 5: 100_000}  # of a stone, by the length of its run


@functools.cache
def line_points(line: tuple[int, ...]) -> int:
    """What player 0 has more than player 1 on a line: points for every stone of every run."""
    points = 0
    for owner, stones in groupby(line):
        if owner != FREE:
            length = len(list(stones))
            points += (1, -1)[owner] * length * POINTS.get(length, 10)
    return points


class HardLevel:
    """A board, whose points are kept line by line: else 1,000 searches would take hours."""

    def __init__(self, rows: int, cols: int) -> None:
        self.cells = [(row, column) for row in range(rows) for column in range(cols)]
        self.centre = rows // 2, cols // 2
        lines = straight_lines(rows, cols)
        self.lines = [[FREE] * len(line) for line in lines]
        self.through: dict[Cell, list[tuple[int, int]]] = {cell: [] for cell in self.cells}
        for number, line in enumerate(lines):
            for place, cell in enumerate(line):
                self.through[cell].append((number, place))
        self.stones: dict[Cell, int] = {}
        self.points = 0
        self.nodes = 0

    def put(self, cell: Cell, owner: int) -> None:
        """Put a stone on a free cell, or take it away (FREE)."""
        for number, place in self.through[cell]:
            self.points -= line_points(tuple(self.lines[number]))
            self.lines[number][place] = owner
            self.points += line_points(tuple(self.lines[number]))
        if owner == FREE:
            del self.stones[cell]
        else:
            self.stones[cell] = owner

    def wins(self, cell: Cell) -> bool:
        """Whether the stone on a cell stands in five or more in a row."""
        owner = self.stones[cell]
        for number, place in self.through[cell]:
            line, length = self.lines[number], 1
            for step in (1, -1):
                beside = place + step
                while 0 <= beside < len(line) and line[beside] == owner:
                    length, beside = length + 1, beside + step
            if length >= 5:
                return True
        return False

    def candidates(self) -> list[Cell]:
        """The free cells within the radius of a stone; of an empty board the centre.

        §4.4 names the stones row by row, and beside each the cells that are not named yet.
        """
        if not self.stones:
            return [self.centre]
        near = ((y + dy, x + dx) for y, x in sorted(self.stones) for dy in REACH for dx in REACH)
        board = set(self.cells) - self.stones.keys()
        return [cell for cell in dict.fromkeys(near) if cell in board]

    def choose(self, mover: int) -> tuple[int, Cell, int]:
        """Value, cell, and nodes of the search; 0 nodes where a win at once is played."""
        for cell in self.candidates():
            self.put(cell, mover)
            won = self.wins(cell)
            self.put(cell, FREE)
            if won:
                return WIN + DEPTH - 1, cell, 0
        self.nodes = 0
        value, best = self.search(DEPTH, mover, mover, -math.inf, math.inf, None)
        assert best is not None
        return value, best, self.nodes

    def search(
        self, depth: int, mover: int, own: int, alpha: float, beta: float, last: Cell | None
    ) -> tuple[int, Cell | None]:
        """Value for ``own`` and the first best cell."""
        self.nodes += 1
        if last is not None and self.wins(last):
            return (WIN + depth) * (1 if mover != own else -1), None
        if len(self.stones) == len(self.cells):
            return 0, None
        if depth == 0:
            return self.points * (1, -1)[own], None
        best, best_cell = None, None
        for cell in self.candidates():
            self.put(cell, mover)
            value, _ = self.search(depth - 1, 1 - mover, own, alpha, beta, cell)
            self.put(cell, FREE)
            if best is None or (value > best if mover == own else value < best):
                best, best_cell = value, cell
            if mover == own:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        assert best is not None
        return best, best_cell


REACH = range(-RADIUS, RADIUS + 1)
