"""The opening swap2: three stones near the centre, then a choice of colours.

The first player places two black stones and a white one. The second player takes a side, or places
two more stones and leaves the choice to the first. Source: the rules of Gomocup's swap2 league.
"""

from __future__ import annotations

from ....envs.game import Game

SWAP2_STONES = (0, 3, 5)  # on the board when an engine is asked
REACH = 3  # rows and columns from the centre in which proposed stones lie


def centre_cells(game: Game) -> list[int]:
    """The cells of a board of rows and columns that are near its centre."""
    rows, cols = int(game.rules.rows), int(game.rules.cols)
    return [
        row * cols + column
        for row in range(max(rows // 2 - REACH, 0), min(rows // 2 + REACH + 1, rows))
        for column in range(max(cols // 2 - REACH, 0), min(cols // 2 + REACH + 1, cols))
    ]
