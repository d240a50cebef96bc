"""The heuristics of gomoku: patterns, runs and windows."""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...boards.stones import COUNTS, DIRECTIONS, count_windows
from ...compiled.kernels import inner_kernel, kernel
from ...compiled.scratch import stack_array
from .patterns import CARO, LONGEST, STANDARD, evaluate_patterns
from .rules import Gomoku

PATTERNS, CARO15, CARO10, CARO15_OPEN = range(4)  # heuristics, in the order of the declaration
FULL_ROW = 100_000  # of caro15 and caro10 for a complete row; a tenth for each stone missing


@inner_kernel
def _row_points(rules, length):
    """100,000 for ``connect`` stones; a tenth for each stone missing."""
    points = FULL_ROW
    for _ in range(length, rules.connect):
        points //= 10
    return points


@inner_kernel
def run_points(rules, heuristic, length, free_ends):
    """The points of a maximal run of ``length`` stones in ``caro15`` and ``caro15_open``."""
    if heuristic == CARO15:  # a run too long counts as single stones
        return length * _row_points(rules, length if length <= rules.connect else 1)
    if length == 0 or (length > rules.connect and (rules.rule == STANDARD or rules.rule == CARO)):
        return 0  # none, or too long to win
    points = _row_points(rules, length)
    if free_ends < 2:
        points = points // 10 if free_ends == 1 else 0
    return points


@inner_kernel
def window_points(rules, stones):
    """The points in ``caro10`` of a window with ``stones`` stones of one side, none of the other.

    Single stones are counted elsewhere.
    """
    if stones >= rules.connect:
        return FULL_ROW
    points = 10
    for _ in range(2, min(stones, rules.connect - 1)):
        points = min(10 * points, FULL_ROW // 10)
    return points if stones >= 2 else 0


@inner_kernel
def look_along(rules, cells, action, row_step, col_step):
    """The run of stones next to a cell in one direction.

    Returns the stone (0 free, −1 off the board), the length of its run, and whether a free cell
    follows.
    """
    row, column, stone, length = (
        action // rules.cols + row_step,
        action % rules.cols + col_step,
        -1,
        0,
    )
    while 0 <= row < rules.rows and 0 <= column < rules.cols:
        content = np.int64(cells[row * rules.cols + column])
        if content == 0 or (length > 0 and content != stone):
            return (stone if length > 0 else 0), length, content == 0
        row, column, stone, length = row + row_step, column + col_step, content, length + 1
    return stone, length, False


@kernel
def evaluate_runs(rules, cells, player, heuristic):
    """``caro15`` and ``caro15_open``: own maximal runs in all directions minus the opponent's."""
    points = 0
    for cell in range(rules.rows * rules.cols):
        if cells[cell] == 0:
            continue
        for row_step, col_step in DIRECTIONS:
            before, _, _ = look_along(rules, cells, cell, -row_step, -col_step)
            if before == cells[cell]:
                continue  # not the first stone of its run
            after, length, free = look_along(rules, cells, cell, row_step, col_step)
            if after != cells[cell]:
                length, free = 0, after == 0
            # two booleans would add up to a boolean in interpreted numpy
            free_ends = np.int64(before == 0) + np.int64(free)
            worth = run_points(rules, heuristic, 1 + length, free_ends)
            points += worth if cells[cell] == player + 1 else -worth
    return points


@kernel
def evaluate_windows(rules, cells, player):
    """``caro10``: own windows minus the opponent's.

    The opponent's windows with a single stone do not count.
    """
    counts = stack_array((2, COUNTS), np.int64)
    counts[:] = 0
    count_windows(rules, cells, player, counts)
    points = counts[0, 1]
    for stones in range(2, rules.connect + 1):
        points += window_points(rules, stones) * (counts[0, stones] - counts[1, stones])
    return points


@r.evaluate.register_body(Gomoku)
def evaluate(rules, position, player, heuristic):
    """The heuristics of gomoku.

    ``patterns``: what stones on the free cells would make, see
    :mod:`plyground.envs.games.gomoku.patterns`; for ``connect`` above five, the windows of
    ``caro10``.

    ``caro15``: every stone of every maximal run of equal stones in each of the four directions, own
    minus opponent's: a stone of a run of five counts 100,000, of four 10,000, of three 1,000, of
    two 100, a single stone and a stone of a longer run 10 (so a lone stone counts in all four
    directions, and a run of three 3 × 1,000), whether the ends are free or not. For other values of
    ``connect``, by the stones missing.

    ``caro15_open``: the same with a repair: every run counts once, with one free end a tenth,
    without a free end nothing; longer runs count as five where they win and nothing where they do
    not. As specified, a dead run, which can never become a row, counts as much as an open one, so
    that a search collects dead runs and does not block.

    ``caro10``: windows of five. Own 5, 4, 3, 2, 1 stones with the rest free count 100,000, 1,000,
    100, 10, 1; the opponent's 5, 4, 3, 2 the same, negative.
    """
    if heuristic in (CARO15, CARO15_OPEN):
        return evaluate_runs(rules, position.cells, player, heuristic)
    if heuristic == PATTERNS and rules.connect <= LONGEST:
        return evaluate_patterns(rules, position.cells, player, position.ply & 1)
    return evaluate_windows(rules, position.cells, player)
