"""The opening swap2: three stones near the centre, then a choice of colours.

The first player places two black stones and a white one. The second player takes a side, or places
two more stones and leaves the choice to the first. Source: the rules of Gomocup's swap2 league.
"""

from __future__ import annotations

import random

from ....envs.game import Game

SWAP2_STONES = (0, 3, 5)  # on the board when an engine is asked
REACH = 3  # rows and columns from the centre in which proposed stones lie


def near_centre(game: Game, count: int, rng: random.Random) -> list[int]:
    """Different random cells near the centre of a board of rows and columns."""
    rows, cols = int(game.rules.rows), int(game.rules.cols)
    cells = [
        row * cols + column
        for row in range(max(rows // 2 - REACH, 0), min(rows // 2 + REACH + 1, rows))
        for column in range(max(cols // 2 - REACH, 0), min(cols // 2 + REACH + 1, cols))
    ]
    return rng.sample(cells, count)
