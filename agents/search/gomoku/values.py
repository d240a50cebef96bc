"""What the patterns are worth to the engine, fitted to games that it played against itself.

Each table gives the part of each code of a cell, then, a row for the first code, the part of each
pair of codes in two directions: two patterns that meet in a cell are worth more than their sum.
Values are in units of log odds of winning, orders in log odds of being the move that a search
chooses. Written by ``benchmarks/gomocup/fit_patterns.py`` from games of
``benchmarks/gomocup/pattern_games.py``.

Source: Österlund, "Texel's tuning method", chess programming wiki, 2014.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....envs.compiled.kernels import inner_kernel
from ....envs.game import Game
from ....envs.games.gomoku_patterns import (
    CLASSES,
    DOUBLE_THREE,
    FIVE,
    FOUR_THREE,
    MAKES_FOUR,
    MAKES_THREE,
    OPEN_FOUR,
    WINS_IN_THREE,
    WINS_SOON,
    by_key,
)
from ..search_form import search_form

Table = tuple[tuple[float, ...], ...]

# fmt: off
VALUE = (
    (0.0004, 0.0001, -0.0002, 0.0044, 0.0003, 0.0162, 0.0405, 0.0979, 0.2265, 0.0000),
    (-0.0102, -0.0043, 0.0015, 0.0009, 0.0108, -0.0009, 0.0160, 0.0394, 0.1263, 0.0000),
    (0.0015, 0.0003, -0.0088, 0.0097, 0.0102, -0.0091, 0.0261, -0.0123, 0.0000),
    (-0.0006, 0.0051, -0.0012, 0.0132, 0.0321, 0.0742, 0.1946, 0.0000),
    (-0.0132, 0.0036, -0.0013, 0.0348, 0.0926, 0.2343, 0.0000),
    (0.0227, 0.0392, 0.1130, 0.2989, 0.3868, 0.0000),
    (0.0022, 0.0973, 0.3586, 0.4307, 0.0000),
    (-0.1227, 1.3510, 0.0139, 0.0000),
    (0.0262, 1.6166, 0.0000),
    (-1.2154, 0.0000),
    (0.0000,),
)
THREATS = (
    0.410, -0.008, 0.704, -0.018, 0.075, 0.498, -0.229, 0.056, 0.361, 0.169, 0.704, 0.334, -0.018,
    -0.018, -0.073, 0.007, 0.086, 0.195, 0.042, -0.075, -0.265, -0.597, -0.033, -0.037, 0.388,
    0.361, 0.106, 0.216, -0.229, -0.217, -0.381, 0.373, -0.539, 0.140, 0.066, -0.006, -0.614,
    -0.529, 0.065, -1.181, -0.097, -0.590, 0.355, -1.048, 0.373,
)
TO_MOVE = 0.461
OWN_ORDER = (
    (-0.5300, -0.3032, -0.3882, -0.3601, 0.0950, 0.1861, 0.6237, 1.0318, 0.0000, 0.0000),
    (-0.1999, -0.4076, -0.3888, -0.2493, -0.2287, -0.1484, 0.1179, 0.4352, 0.0000, 0.0000),
    (-0.3610, -0.3561, -0.2439, -0.1484, -0.0804, 0.1530, 0.2944, 0.0000, 0.0000),
    (-0.6868, -0.4348, -0.2026, 0.0475, 0.8407, 1.2812, 0.0000, 0.0000),
    (-0.2595, -0.1884, 0.0399, 0.5574, 0.8632, 0.0000, 0.0000),
    (0.0090, 0.2134, 0.6572, 0.8831, 0.0000, 0.0000),
    (0.1141, 0.3213, 0.7615, 0.0000, 0.0000),
    (0.7255, -0.0706, 0.0000, 0.0000),
    (0.0000, 0.0000, 0.0000),
    (0.0000, 0.0000),
    (0.0000,),
)
OTHER_ORDER = (
    (-0.5084, -0.4999, -0.4494, -0.5178, -0.4423, -0.4180, 0.0355, 0.4624, 1.4867, 0.0000),
    (-0.5817, -0.5540, -0.4878, -0.2936, -0.2231, -0.1663, -0.1452, -0.0653, 0.4467, 0.0000),
    (-0.5419, -0.4737, -0.4391, -0.3346, -0.2266, -0.0341, -0.1238, 0.3077, 0.0000),
    (-0.8906, -0.6847, -0.7593, -0.4126, 0.0421, 0.4456, 1.7767, 0.0000),
    (-0.6802, -0.6463, -0.4111, 0.0656, 0.5059, 1.3042, 0.0000),
    (-0.7219, -0.3176, 0.2241, 0.9195, 1.8350, 0.0000),
    (-0.0996, 0.2112, 0.5670, 0.9953, 0.0000),
    (0.1177, 0.8232, 0.1599, 0.0000),
    (0.4688, -0.0090, 0.0000),
    (-0.0711, 0.0000),
    (0.0000,),
)

# fmt: on

POINTS = 250  # of one unit of log odds
FINE = 16  # parts of a point in the values of cells
ORDER = 256  # of one unit in the order


def total(table: Table, codes: tuple[int, ...]) -> float:
    """The sum of a table's parts over four codes in ascending order."""
    pairs = itertools.combinations(codes, 2)
    return sum(table[0][code] for code in codes) + sum(
        table[1 + first][second - first] for first, second in pairs
    )


def _order(table: Table, winning: int) -> Callable[[tuple[int, ...]], int]:
    def points(codes: tuple[int, ...]) -> int:
        first = winning * (2 if codes[-1] == FIVE else codes[-1] == OPEN_FOUR)
        return first + round(ORDER * total(table, codes))

    return points


def _threat_points() -> np.ndarray[Any, Any]:
    """Points by the set of threats, a bit for each."""
    table = np.zeros(1 << THREAT_KINDS, np.int32)
    pairs = [(i, j) for i in range(THREAT_KINDS) for j in range(i)]
    for threats in range(table.size):
        bits = [threats >> kind & 1 for kind in range(THREAT_KINDS)]
        columns = bits + [bits[i] * bits[j] for i, j in pairs]
        table[threats] = round(POINTS * (TO_MOVE + np.dot(columns, THREATS)))
    return table


# The kinds of cells whose presence is a threat: four of the mover, five of the opponent.
THREAT_KINDS = 9
CELL_VALUE = by_key(
    lambda codes: max(min(round(POINTS * FINE * total(VALUE, codes)), 30_000), -30_000), np.int16
)
CELL_OWN_ORDER = by_key(_order(OWN_ORDER, 8000), np.int32)
CELL_OTHER_ORDER = by_key(_order(OTHER_ORDER, 0), np.int32)
THREAT_POINTS = _threat_points()


def fitted_rules(game: Game) -> Any:
    """The rules of the search form by patterns, with the fitted values and orders."""
    return search_form(game, "patterns").rules._replace(
        values=CELL_VALUE, own_order=CELL_OWN_ORDER, other_order=CELL_OTHER_ORDER
    )


@inner_kernel
def static_points(position, mover):
    """The points of a position without a five or a four to answer, for the player to move."""
    classes = position.classes
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    points = (np.int64(position.score[mover]) - np.int64(position.score[1 - mover])) // FINE
    threats = (
        (classes[mine + MAKES_THREE] > 0) * 1
        + (classes[mine + MAKES_FOUR] > 0) * 2
        + (classes[mine + DOUBLE_THREE] > 0) * 4
        + (classes[mine + FOUR_THREE] > 0) * 8
        + (classes[theirs + MAKES_THREE] > 0) * 16
        + (classes[theirs + MAKES_FOUR] > 0) * 32
        + (classes[theirs + DOUBLE_THREE] > 0) * 64
        + (classes[theirs + FOUR_THREE] > 0) * 128
        + (classes[theirs + WINS_SOON] > 0) * 256
    )
    points += THREAT_POINTS[threats]
    return points + WINS_IN_THREE * (classes[mine + WINS_SOON] > 0)
