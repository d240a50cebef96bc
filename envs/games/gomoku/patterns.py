"""Patterns of gomoku: the shapes that a stone on a free cell would make, and their heuristic.

The *code* of a free cell, a player and a direction says what the player's stone there would
complete: a five (wins), an open four (cannot be stopped), a four (one reply stops it), an open
three (becomes an open four), a three, and so on down to a single stone. It depends on the five
cells on either side. A winning row is the one of the rule variant, so in ``standard`` a four that
could only become a six is no four, and in ``caro`` a four that a single reply blocks at both ends
is not open.

Lines are seen as bit masks of :data:`WIDTH` cells with the free cell in the middle. ``connect`` may
be 3 to :data:`LONGEST`; codes count the stones still missing, so a code means the same whatever
``connect`` is.

Source of the vocabulary (open and half-open fours, threes, twos): Allis, "Searching for solutions
in games and artificial intelligence", 1994, chapter 5.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...boards.stones import DIRECTIONS
from ...compiled.kernels import inner_kernel, kernel
from ...compiled.scratch import stack_array

FREESTYLE, STANDARD, CARO, CARO_OVERLINE = range(4)  # the rule variants

LONGEST = 5  # the largest connect that patterns know
REACH = 5  # cells seen on either side: a row of five through the cell, and the cells that end it
WIDTH = 2 * REACH + 1
# a window's table index: two bits for each cell except the middle one
CELL_BITS, LOW_CELLS = 2, 0x3FF

# Codes by the stones missing from a row: 9 none, then 8 and 7 for one, 6 and 5 for two, …; the
# higher of the two is the open one.
NOTHING, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)

# The class of a cell for a player, from all four directions.
PLAIN, MAKES_THREE, MAKES_FOUR, DOUBLE_THREE, FOUR_THREE, WINS_SOON, WINS_NOW = range(7)
CLASSES = 7
BOTH_CLASSES = 2 * CLASSES

# The key of a cell for a player: the sum of these over its four codes. Sets of four codes without a
# five have unique keys, so a function of the codes is a table by key.
KEYS = np.array([0, 1, 5, 21, 55, 153, 368, 856, 1424, 2603], np.int16)
KEY_COUNT = 4 * 2603 + 1

# The points of the codes in the evaluation, each for one free cell and one direction.
VALUES = np.array([0, 0, 0, 2, 4, 12, 30, 50, 150, 200], np.int32)

WINS_IN_ONE, LOSES_IN_TWO, WINS_IN_THREE = 400_000, -350_000, 300_000
FOUR_THREE_TO_MOVE, FOUR_THREE_AGAINST = 2_000, 400
DOUBLE_THREE_TO_MOVE, DOUBLE_THREE_AGAINST = 800, 200
MUST_ANSWER_FOUR, MUST_ANSWER_THREE = 300, 150
TO_MOVE = 60


@kernel
def _span_wins(own, foe, wall, first, connect, rule):
    """Whether ``connect`` stones of ``own`` from the cell ``first`` on would win."""
    span = ((1 << connect) - 1) << first
    if (foe | wall) & span != 0:
        return False
    ends = (1 << (first - 1)) | (1 << (first + connect))
    if rule in (STANDARD, CARO) and own & ends != 0:
        return False
    return not (rule >= CARO and foe & ends == ends)


@kernel
def bit_count(mask):
    count = 0
    while mask != 0:
        mask &= mask - 1
        count += 1
    return count


@kernel
def _winning_cells_of_line(own, foe, wall, connect, rule):
    """The cells (a mask) with which ``own`` completes a winning row through the middle."""
    cells = 0
    for first in range(REACH - connect + 1, REACH + 1):
        missing = ((1 << connect) - 1) << first & ~own
        if missing & (missing - 1) == 0 and _span_wins(own, foe, wall, first, connect, rule):
            cells |= missing
    return cells


@kernel
def _cannot_be_stopped(own, foe, wall, connect, rule):
    """Whether ``own`` wins in this line against any one stone of the opponent (an open four).

    The opponent is to move.
    """
    cells = _winning_cells_of_line(own, foe, wall, connect, rule)
    if rule < CARO or cells & (cells - 1) == 0:
        return cells & (cells - 1) != 0
    for reply in range(WIDTH):  # in caro a stone at the end of a row may stop it too
        bit = 1 << reply
        if (own | foe | wall) & bit == 0 and _winning_cells_of_line(
            own, foe | bit, wall, connect, rule
        ) == 0:
            return False
    return True


@kernel
def line_code(own, foe, wall, connect, rule):
    """The code of a line whose middle cell is free, for the player whose stones are ``own``."""
    own |= 1 << REACH
    most = 0
    for first in range(REACH - connect + 1, REACH + 1):
        if _span_wins(own, foe, wall, first, connect, rule):
            most = max(most, bit_count(own & (((1 << connect) - 1) << first)))
    if most == 0:
        return NOTHING
    missing = connect - most
    if missing == 0:
        return FIVE
    return FIVE - 2 * missing + is_open(own, foe, wall, connect, rule, missing)


@kernel
def is_open(own, foe, wall, connect, rule, missing):
    """Whether one more stone leaves two ways to win.

    Such lines are an open four, a three that becomes one, or two rows that share all but one free
    cell.
    """
    if missing == 1:
        return _cannot_be_stopped(own, foe, wall, connect, rule)
    for first in range(REACH - connect + 1, REACH + 1):
        gaps = ((1 << connect) - 1) << first & ~own
        if bit_count(gaps) != missing or not _span_wins(own, foe, wall, first, connect, rule):
            continue
        if missing == 2:
            for cell in range(WIDTH):
                if gaps >> cell & 1 != 0 and _cannot_be_stopped(
                    own | 1 << cell, foe, wall, connect, rule
                ):
                    return True
            continue
        for other in range(first + 1, REACH + 1):
            others = ((1 << connect) - 1) << other & ~own
            if (
                bit_count(others) == missing
                and bit_count(gaps | others) == missing + 1
                and _span_wins(own, foe, wall, other, connect, rule)
            ):
                return True
    return False


@kernel
def window_masks(index):
    """The three masks (black, white, wall) of a table index.

    Its cells hold 0 free, 1 black, 2 white, 3 off the board.
    """
    black, white, wall = 0, 0, 0
    for cell in range(2 * REACH):
        bit = 1 << (cell if cell < REACH else cell + 1)
        state = index >> (CELL_BITS * cell) & 3
        black |= bit * (state == 1)
        white |= bit * (state == 2)
        wall |= bit * (state == 3)
    return black, white, wall


@kernel
def walls_are_outside(half, outermost_first):
    """Whether only cells off the board follow the edge in five neighbours (half of a table index).

    Other windows cannot occur.
    """
    inside = False
    for cell in range(REACH):
        place = REACH - 1 - cell if outermost_first else cell  # from the middle outwards
        wall = half >> (CELL_BITS * place) & 3 == 3
        if inside and not wall:
            return False
        inside |= wall
    return True


@kernel
def _fill_table(table, connect, rule):
    """Fill ``table`` (uint8, 4^10) where windows can occur.

    Black's code is in the low half of each byte, white's in the high half.
    """
    for high in range(LOW_CELLS + 1):
        if not walls_are_outside(high, False):
            continue
        for low in range(LOW_CELLS + 1):
            if walls_are_outside(low, True):
                index = high << (CELL_BITS * REACH) | low
                black, white, wall = window_masks(index)
                table[index] = (
                    line_code(black, white, wall, connect, rule)
                    | line_code(white, black, wall, connect, rule) << 4
                )


@functools.lru_cache(maxsize=16)
def pattern_table(connect: int, rule: int) -> np.ndarray[Any, Any]:
    """The codes of every window of ten neighbours under a rule variant.

    uint8 of length 4^10, see :func:`_fill_table`.
    """
    table = np.zeros(1 << (CELL_BITS * 2 * REACH), np.uint8)
    _fill_table(table, connect, rule)
    table.flags.writeable = False
    return table


def by_key(function: Callable[[tuple[int, ...]], int], dtype: Any) -> np.ndarray[Any, Any]:
    """A table of ``function`` of a cell's four codes, by the cell's key."""
    table = np.zeros(KEY_COUNT, dtype)
    for codes in itertools.combinations_with_replacement(range(KEYS.size), 4):
        table[KEYS[list(codes)].sum()] = function(codes)
    return table


def _cell_class(codes: tuple[int, ...]) -> int:
    threes, fours, open_fours, fives = (
        codes.count(code) for code in (OPEN_THREE, FOUR, OPEN_FOUR, FIVE)
    )
    if fives:
        return WINS_NOW
    if open_fours or fours >= 2:
        return WINS_SOON
    if fours:
        return FOUR_THREE if threes else MAKES_FOUR
    return DOUBLE_THREE if threes >= 2 else MAKES_THREE if threes else PLAIN


CELL_CLASS = by_key(_cell_class, np.uint8)
HAS_FOUR = by_key(lambda codes: max(codes) >= FOUR, np.bool_)  # a four or better
HAS_OPEN_FOUR = by_key(lambda codes: OPEN_FOUR in codes, np.bool_)
CELL_VALUE = by_key(lambda codes: int(VALUES[list(codes)].sum()), np.int16)


@inner_kernel
def mover_points(mover, score, classes):
    """The points of a position for the player to move.

    Args:
        mover: the player to move.
        score: int, (2,): for each player the sum of :data:`VALUES` over free cells and directions.
        classes: int, (2 * CLASSES,): the number of free cells of each class, first player's first.
    """
    ahead = np.int64(score[mover]) - np.int64(score[1 - mover])
    return points_ahead(mover, ahead, classes)


@inner_kernel
def points_ahead(mover, points, classes):
    """The same, from the difference of the scores, for the player to move."""
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    if classes[mine + WINS_NOW] > 0:
        return points + WINS_IN_ONE
    if classes[theirs + WINS_NOW] > 1:
        return points + LOSES_IN_TWO
    if classes[theirs + WINS_NOW] == 1:
        return points - MUST_ANSWER_FOUR
    if classes[mine + WINS_SOON] > 0:
        return points + WINS_IN_THREE
    points += FOUR_THREE_TO_MOVE * (classes[mine + FOUR_THREE] > 0) + DOUBLE_THREE_TO_MOVE * (
        classes[mine + DOUBLE_THREE] > 0
    )
    if classes[theirs + WINS_SOON] > 0:
        return points - MUST_ANSWER_THREE
    points -= FOUR_THREE_AGAINST * (classes[theirs + FOUR_THREE] > 0) + DOUBLE_THREE_AGAINST * (
        classes[theirs + DOUBLE_THREE] > 0
    )
    return points + TO_MOVE


@kernel
def _line_index(rules, cells, cell, row_step, col_step):
    """The table index of the window around a cell in one direction."""
    index, shift = 0, 0
    for offset in range(-REACH, REACH + 1):
        if offset == 0:
            continue
        row, column = cell // rules.cols + offset * row_step, cell % rules.cols + offset * col_step
        on_board = 0 <= row < rules.rows and 0 <= column < rules.cols
        index |= (np.int64(cells[row * rules.cols + column]) if on_board else 3) << shift
        shift += CELL_BITS
    return index


@kernel
def evaluate_patterns(rules, cells, player, mover):
    """The heuristic ``patterns`` from the cells alone, from ``player``'s side.

    ``mover`` is the player to move.
    """
    score, classes = stack_array(2, np.int64), stack_array(BOTH_CLASSES, np.int64)
    score[:] = 0
    classes[:] = 0
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            continue
        first, second = 0, 0
        for row_step, col_step in DIRECTIONS:
            black, white, wall = window_masks(_line_index(rules, cells, cell, row_step, col_step))
            mine = line_code(black, white, wall, rules.connect, rules.rule)
            theirs = (
                mine
                if black | white == 0
                else line_code(white, black, wall, rules.connect, rules.rule)
            )
            score[0] += VALUES[mine]
            score[1] += VALUES[theirs]
            first += KEYS[mine]
            second += KEYS[theirs]
        classes[CELL_CLASS[first]] += 1
        classes[CLASSES + CELL_CLASS[second]] += 1
    points = mover_points(mover, score, classes)
    return points if mover == player else -points
