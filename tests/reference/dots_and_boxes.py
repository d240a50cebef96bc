"""Dots and boxes, with edges as pairs of dots."""

from __future__ import annotations

import numpy as np

from .reference import Reference

Edge = frozenset  # of the two dots (row, column) it joins

# OpenSpiel counts boxes in rows and columns, as we do.
OPENSPIEL = [
    ("dots_and_boxes:rows=1,cols=1", "dots_and_boxes(num_rows=1,num_cols=1)"),
    ("dots_and_boxes:rows=2,cols=2", "dots_and_boxes(num_rows=2,num_cols=2)"),
    (
        "dots_and_boxes:rows=2,cols=3,reward=margin",
        "dots_and_boxes(num_rows=2,num_cols=3,utility_margin=true)",
    ),
    ("dots_and_boxes:rows=4,cols=3", "dots_and_boxes(num_rows=4,num_cols=3)"),
]


class DotsAndBoxes(Reference):
    def __init__(self, rows: int, cols: int, reward: str, start: str) -> None:
        self.rows, self.cols, self.reward = rows, cols, reward
        across = [
            Edge({(row, column), (row, column + 1)})
            for row in range(rows + 1)
            for column in range(cols)
        ]
        down = [
            Edge({(row, column), (row + 1, column)})
            for row in range(rows)
            for column in range(cols + 1)
        ]
        self.actions = across + down
        self.drawn: set[frozenset] = set()
        self.owners: dict[tuple[int, int], int] = {}  # of the boxes, named by their upper left dot
        self.to_move = 0
        self.winner = None
        for edge in self.actions:
            left = all(column == 0 for _, column in edge)
            right = all(column == cols for _, column in edge)
            top, bottom = all(row == 0 for row, _ in edge), all(row == rows for row, _ in edge)
            if start == "icelandic" and (left or bottom):
                self.drawn.add(edge)
            if start == "swedish" and (left or bottom or right or top):
                self.drawn.add(edge)

    def sides(self, row: int, column: int) -> list[frozenset]:
        corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
        return [Edge({corners[i], corners[(i + 1) % 4]}) for i in range(4)]

    def legal_actions(self) -> list[int]:
        return [number for number, edge in enumerate(self.actions) if edge not in self.drawn]

    def play(self, action: int) -> None:
        assert self.actions[action] not in self.drawn
        self.drawn.add(self.actions[action])
        boxes = [
            (row, column)
            for row in range(self.rows)
            for column in range(self.cols)
            if (row, column) not in self.owners
            and all(side in self.drawn for side in self.sides(row, column))
        ]
        for box in boxes:
            self.owners[box] = self.to_move
        if not boxes:
            self.to_move = 1 - self.to_move

    def is_over(self) -> bool:
        return len(self.drawn) == len(self.actions)

    def returns(self) -> tuple[float, float]:
        boxes = [list(self.owners.values()).count(player) for player in (0, 1)]
        margin = float(boxes[0] - boxes[1])
        if self.reward == "margin":
            return margin, -margin
        if not self.is_over() or margin == 0:
            return 0.0, 0.0
        return (1.0, -1.0) if margin > 0 else (-1.0, 1.0)

    def observation(self, player: int) -> np.ndarray:
        planes = np.zeros((self.rows + 1, self.cols + 1, 6), np.int8)
        for edge in self.drawn:
            (row, column), (other_row, _) = sorted(edge)
            planes[row, column, 0 if row == other_row else 1] = 1
        for (row, column), owner in self.owners.items():
            planes[row, column, 2 if owner == player else 3] = 1
        planes[..., 4] = int(self.to_move == player)
        planes[..., 5] = int(player == 0)
        return planes


def classic(game: DotsAndBoxes, player: int) -> int:
    """100 for each box ahead, −50, 10, 2 for each box with three, two, at most one side, 30 if more
    than two boxes ahead.
    """
    owners = list(game.owners.values())
    lead = owners.count(player) - owners.count(1 - player)
    points = 100 * lead + (30 if lead > 2 else 0)
    for row in range(game.rows):
        for column in range(game.cols):
            drawn = sum(side in game.drawn for side in game.sides(row, column))
            points += {0: 2, 1: 2, 2: 10, 3: -50, 4: 0}[drawn]
    return points
