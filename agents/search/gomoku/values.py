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

Table = tuple[tuple[float, ...], ...]

# fmt: off
VALUE = (
    (0.0004, 0.0010, -0.0003, 0.0052, -0.0003, 0.0148, 0.0417, 0.0966, 0.2247, 0.0000),
    (-0.0075, -0.0019, 0.0005, -0.0016, 0.0183, 0.0092, 0.0222, 0.0882, 0.1493, 0.0000),
    (0.0059, -0.0001, -0.0093, 0.0180, 0.0130, -0.0066, 0.0201, -0.0234, 0.0000),
    (-0.0006, 0.0059, -0.0020, 0.0113, 0.0320, 0.0715, 0.1895, 0.0000),
    (-0.0127, 0.0030, 0.0024, 0.0371, 0.0640, 0.2305, 0.0000),
    (0.0229, 0.0422, 0.1172, 0.3052, 0.4026, 0.0000),
    (-0.0199, 0.0957, 0.3845, 0.4369, 0.0000),
    (-0.1777, 1.1991, -0.1399, 0.0000),
    (-0.3320, 3.2316, 0.0000),
    (-1.4964, 0.0000),
    (0.0000,),
)
THREATS = (
    0.354, -0.006, 0.760, -0.019, 0.110, 0.471, -0.228, 0.078, 0.394, 0.176, 0.760, 0.309, -0.019,
    -0.019, -0.132, 0.020, 0.090, 0.215, 0.147, -0.010, -0.209, -0.580, -0.028, -0.071, 0.336,
    0.261, 0.048, 0.101, -0.228, -0.103, -0.498, 0.332, -0.600, 0.207, 0.078, -0.069, -0.758,
    -0.614, -0.032, -1.292, -0.134, -0.548, 0.381, -1.164, 0.341,
)
TO_MOVE = 0.444
OWN_ORDER = (
    (-0.5284, -0.2831, -0.3920, -0.3662, 0.0905, 0.1934, 0.6216, 1.0283, 0.0000, 0.0000),
    (-0.2258, -0.4287, -0.3883, -0.2619, -0.2521, -0.1435, 0.1276, 0.4275, 0.0000, 0.0000),
    (-0.3529, -0.3573, -0.2557, -0.1706, -0.1127, 0.1291, 0.2797, 0.0000, 0.0000),
    (-0.6904, -0.4300, -0.1985, 0.0493, 0.8418, 1.2874, 0.0000, 0.0000),
    (-0.2742, -0.1726, 0.0852, 0.5510, 0.8216, 0.0000, 0.0000),
    (0.0069, 0.2295, 0.6569, 0.8947, 0.0000, 0.0000),
    (0.1059, 0.3751, 0.7739, 0.0000, 0.0000),
    (0.7140, -0.1953, 0.0000, 0.0000),
    (0.0000, 0.0000, 0.0000),
    (0.0000, 0.0000),
    (0.0000,),
)
OTHER_ORDER = (
    (-0.5043, -0.4952, -0.4531, -0.5074, -0.4319, -0.4257, 0.0391, 0.4599, 1.4863, 0.0000),
    (-0.5853, -0.5400, -0.4956, -0.2967, -0.2103, -0.1332, -0.1415, -0.0775, 0.4252, 0.0000),
    (-0.5499, -0.4852, -0.4401, -0.3291, -0.2284, -0.0300, -0.1209, 0.3487, 0.0000),
    (-0.8847, -0.6818, -0.7572, -0.4105, 0.0500, 0.4478, 1.7690, 0.0000),
    (-0.6771, -0.6545, -0.4274, 0.0618, 0.5168, 1.3431, 0.0000),
    (-0.7197, -0.3261, 0.2140, 0.9057, 1.8294, 0.0000),
    (-0.1132, 0.2672, 0.5395, 0.9697, 0.0000),
    (0.0817, 0.8587, 0.0882, 0.0000),
    (0.4008, 0.0401, 0.0000),
    (-0.1938, 0.0000),
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
