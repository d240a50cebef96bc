"""The heuristics of Breakthrough.

A *runner* is a piece that no piece of the opponent can stop: none is in the cone ahead of it, which
grows by a column on both sides with each row. It wins if it arrives before the opponent's foremost
piece.
"""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.bits import count_bits, lowest_bit_index
from ....envs.compiled.kernels import kernel
from .board import EIGHT, FIRST_COLUMN, NINE, SEVEN, ZERO, upside_down
from .rules import Breakthrough

RUNNERS, ADVANCEMENT, MATERIAL = range(3)  # in the order of the declaration
RACE_POINTS = 10_000  # for a won race, minus one for each move
PIECE_POINTS, HOME_POINTS, LOOSE_POINTS = 100, 5, 50
FOREMOST_POINTS = 25
# by the number of rows to go
ROW_POINTS = np.array([0, 30, 20, 12, 6, 3, 1, 0])
NO_RUNNER = 99
ROW = np.uint64(0xFF)


@kernel
def _runner_rows(rules, own, other):
    """The rows to go of the foremost runner, or NO_RUNNER; ``own`` moves up."""
    last_column = FIRST_COLUMN << np.uint64(rules.cols - 1)
    guards, front = ZERO, other
    for _ in range(rules.rows - 1):
        aside = ((front & ~FIRST_COLUMN) << SEVEN) | ((front & ~last_column) << NINE)
        front = aside | (front << EIGHT)
        guards |= front
    runners = own & ~guards
    return NO_RUNNER if runners == ZERO else lowest_bit_index(runners) // 8


@kernel
def _foremost_rows(own):
    """The rows to go of the foremost piece; ``own`` moves up."""
    return lowest_bit_index(own) // 8


@kernel
def side_points(rules, own):
    """The points of a side's pieces, which move up."""
    points = PIECE_POINTS * count_bits(own) - FOREMOST_POINTS * _foremost_rows(own)
    for row in range(1, rules.rows):
        pieces = (own >> np.uint64(8 * row)) & ROW
        points += ROW_POINTS[row] * count_bits(pieces)
        if row == rules.rows - 1:
            points += HOME_POINTS * count_bits(pieces)
    return points


@kernel
def _loose_pieces(rules, own, other):
    """The opponent's unprotected pieces that ``own``, which moves up, may capture."""
    last_column = FIRST_COLUMN << np.uint64(rules.cols - 1)
    attacks = ((own & ~FIRST_COLUMN) >> NINE) | ((own & ~last_column) >> SEVEN)
    protected = ((other & ~FIRST_COLUMN) << SEVEN) | ((other & ~last_column) << NINE)
    return attacks & other & ~protected


@kernel
def mover_points(rules, own, other):
    """``runners`` for the player to move, whose pieces move up."""
    own_turned, other_turned = upside_down(rules, own), upside_down(rules, other)
    own_race = _runner_rows(rules, own, other)
    other_race = _runner_rows(rules, other_turned, own_turned)
    if own_race <= _foremost_rows(other_turned):
        return RACE_POINTS - own_race
    if other_race < _foremost_rows(own):
        return other_race - RACE_POINTS
    loose = _loose_pieces(rules, own, other)
    points = side_points(rules, own) - side_points(rules, other_turned)
    return points + (LOOSE_POINTS if loose != ZERO else 0)


@r.evaluate.register_body(Breakthrough)
def evaluate(rules, position, player, heuristic):
    """The heuristics ``runners``, ``advancement`` and ``material``.

    ``runners``: 10,000 minus one for each move for the side whose runner wins the race; else 100
    for each piece, 1, 3, 6, 12, 20 or 30 for a piece with 6 to 1 rows to go, 5 for a piece on its
    first row, 25 for each row that the foremost piece has advanced, and 50 for the player to move
    if an unprotected piece can be captured. ``advancement``: 40 for each piece, 10 for each row
    that the foremost piece has advanced. ``material``: own pieces minus the opponent's.
    """
    own, other = position.pieces[player], position.pieces[1 - player]
    if heuristic == MATERIAL:
        return count_bits(own) - count_bits(other)
    if player == 1:
        own, other = upside_down(rules, own), upside_down(rules, other)
    if heuristic == ADVANCEMENT:
        ahead = _foremost_rows(upside_down(rules, other)) - _foremost_rows(own)
        return 40 * (count_bits(own) - count_bits(other)) + 10 * ahead
    if player == position.mover:
        return np.int64(mover_points(rules, own, other))
    return np.int64(-mover_points(rules, upside_down(rules, other), upside_down(rules, own)))
