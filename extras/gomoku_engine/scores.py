"""The search form of gomoku with the heuristics ``caro15``, ``caro15_open`` and ``caro10``.

:class:`GomokuScores` plays by the rules of :mod:`plyground.envs.games.gomoku`, with the same keys
and values; each stone updates the sum of the heuristic, and cells are tried centre first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...agents.own.search_form import can_win_at_once, resistance_points
from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.threads import share
from ...envs.games.gomoku.heuristics import (
    CARO10,
    CARO15,
    CARO15_OPEN,
    evaluate_runs,
    look_along,
    run_points,
    window_points,
)
from ...envs.games.gomoku.patterns import CARO, CELL_BITS, STANDARD
from ...envs.games.gomoku.rules import row_wins
from .lines import (
    BOARD_FIELDS,
    EVEN_BITS,
    LINES,
    clear_board,
    count_equal,
    line_of,
    list_free,
    occupy,
    put,
    register_shared_rules,
    step_of,
)

HALF = LINES // 2
# `gaps`: for each player the lines (a mask, in two halves) on which one more stone wins.
SCORES_RECORD = np.dtype(
    [*BOARD_FIELDS, ("points", np.int64, 2), ("singles", np.int64, 2), ("gaps", np.int64, 4)],
    align=True,
)


class GomokuScores(NamedTuple):
    """The parameters of a Gomoku, the heuristic, and two buffers.

    ``centre_first`` holds all cells, centre first (int16); ``marks`` has room for a set of cells
    (int32, one for each row).
    """

    rows: int
    cols: int
    connect: int
    rule: int
    heuristic: int
    centre_first: Any
    marks: Any


register_shared_rules(GomokuScores)
share(GomokuScores, "centre_first")


@r.start.register_body(GomokuScores)
@inner_kernel
def _start_scores(rules, position):
    clear_board(rules, position)
    position.points[:] = 0
    position.singles[:] = 0
    position.gaps[:] = 0


@inner_kernel
def _has_gap(rules, word, player):
    """Whether one more stone of ``player`` wins on the line ``word``.

    Bit 2i of a mask stands for the cells from i on.
    """
    black, white = word & EVEN_BITS, word >> 1 & EVEN_BITS
    wall, free = black & white, EVEN_BITS & ~(black | white)
    own, foe = (black & ~wall, white & ~wall) if player == 0 else (white & ~wall, black & ~wall)
    full, one_free = EVEN_BITS, np.int64(0)
    for i in range(rules.connect):
        shift = CELL_BITS * i
        one_free = (one_free & own >> shift) | (full & free >> shift)
        full &= own >> shift
    before, after = CELL_BITS, CELL_BITS * rules.connect
    if rules.rule == STANDARD or rules.rule == CARO:
        one_free &= ~(own << before | own >> after)
    if rules.rule >= CARO:
        one_free &= ~(foe << before & foe >> after)
    return one_free != 0


@inner_kernel
def _update_gaps(rules, position, action, player):
    """Update ``gaps`` after a stone of ``player``.

    Only gaps of that player can be new; only gaps of the opponent can be gone.
    """
    gaps, row, column = position.gaps, action // rules.cols, action % rules.cols
    for direction in range(4):
        line = line_of(rules, row, column, direction)
        half, bit = line // HALF, np.int64(1) << (line % HALF)
        for side in range(2):
            if side == player or gaps[2 * side + half] & bit != 0:
                if _has_gap(rules, position.lines[line], side):
                    gaps[2 * side + half] |= bit
                else:
                    gaps[2 * side + half] &= ~bit


@can_win_at_once.register_body(GomokuScores)
@inner_kernel
def _can_win_at_once_scores(rules, position):
    mover = position.ply & 1
    return position.gaps[2 * mover] | position.gaps[2 * mover + 1] != 0


@inner_kernel
def _put_in_windows(rules, position, action, player, row_step, col_step):
    """Update the windows of one direction through ``action``, which is still free."""
    cells, points, singles, own = position.cells, position.points, position.singles, player + 1
    row, column = action // rules.cols, action % rules.cols
    for first in range(1 - rules.connect, 1):
        last = first + rules.connect - 1
        if row + first * row_step < 0 or row + last * row_step >= rules.rows:
            continue
        if not (
            0 <= column + first * col_step < rules.cols
            and 0 <= column + last * col_step < rules.cols
        ):
            continue
        mine, theirs, cell = 0, 0, action + first * (row_step * rules.cols + col_step)
        for _ in range(rules.connect):
            stone = cells[cell]
            mine += stone == own
            theirs += stone == 3 - own
            cell += row_step * rules.cols + col_step
        if theirs == 0:
            points[player] += window_points(rules, mine + 1) - window_points(rules, mine)
            singles[player] += int(mine == 0) - int(mine == 1)
        elif mine == 0:
            points[1 - player] -= window_points(rules, theirs)
            singles[1 - player] -= theirs == 1


@inner_kernel
def _put_in_runs(rules, position, action, player, row_step, col_step):
    """Update the runs of one direction that end at ``action``, which is still free.

    Returns the length of the run that the new stone joins.
    """
    points, length, free_ends = position.points, 1, 0
    for sign in (1, -1):
        stone, run, free = look_along(
            rules, position.cells, action, sign * row_step, sign * col_step
        )
        if stone == player + 1:
            points[player] -= run_points(rules, rules.heuristic, run, 1 + free)
            length += run
            free_ends += free
        elif stone > 0:
            points[1 - player] += run_points(
                rules, rules.heuristic, run, np.int64(free)
            ) - run_points(rules, rules.heuristic, run, 1 + free)
        else:
            free_ends += stone == 0
    points[player] += run_points(rules, rules.heuristic, length, free_ends)
    return length


@inner_kernel
def _add_stone(rules, position, action, player):
    """Put a stone on a free cell; returns the length of the longest run it stands in."""
    longest = 0
    for direction in range(4):
        row_step, col_step = step_of(direction)
        if rules.heuristic != CARO10:
            longest = max(
                longest, _put_in_runs(rules, position, action, player, row_step, col_step)
            )
        else:
            _put_in_windows(rules, position, action, player, row_step, col_step)
            ahead = count_equal(
                position.cells, rules.rows, rules.cols, action, row_step, col_step, player + 1
            )
            behind = count_equal(
                position.cells, rules.rows, rules.cols, action, -row_step, -col_step, player + 1
            )
            longest = max(longest, 1 + ahead + behind)
    occupy(rules, position, action, player)
    _update_gaps(rules, position, action, player)
    return longest


@put.register_body(GomokuScores)
@inner_kernel
def _put_scores(rules, position, action, player):
    _add_stone(rules, position, action, player)


@r.play.register_body(GomokuScores)
@inner_kernel
def _play_scores(rules, position, action):
    player = np.int64(position.ply & 1)
    if _add_stone(rules, position, action, player) < rules.connect:
        return
    for direction in range(4):
        row_step, col_step = step_of(direction)
        if row_wins(rules, position.cells, action, row_step, col_step):
            position.winner = player


@r.evaluate.register_body(GomokuScores)
@inner_kernel
def _evaluate_scores(rules, position, player, heuristic):
    points = position.points[player] - position.points[1 - player]
    # caro10 counts single stones only for the player, caro15 counts none here
    return points + position.singles[player]


@resistance_points.register_body(GomokuScores)
@inner_kernel
def _open_points(rules, position, player, heuristic):
    """caro15_open instead of caro15, which does not distinguish rows that are shut in."""
    if rules.heuristic == CARO15:
        return evaluate_runs(rules, position.cells, player, CARO15_OPEN)
    return _evaluate_scores(rules, position, player, heuristic)


@r.candidates.register_body(GomokuScores)
@inner_kernel
def _candidates_scores(rules, position, radius, out):
    if rules.heuristic == CARO15 and radius > 0 and position.ply != 0:
        return _list_by_stone(rules, position, radius, out)
    return list_free(rules, position, radius, out)


@inner_kernel
def _list_by_stone(rules, position, radius, out):
    """The cells near the first stone, row by row, then the remaining cells near the next one.

    The order is the course's order of ``caro15``; plain alpha-beta depends on it.
    """
    count, marks = 0, rules.marks
    if position.winner != r.NOBODY:
        return count
    for row in range(rules.rows):
        marks[row] = position.stones[row]
    for stone in range(rules.rows * rules.cols):
        if position.cells[stone] == 0:
            continue
        row, column = stone // rules.cols, stone % rules.cols
        for near in range(max(row - radius, 0), min(row + radius + 1, rules.rows)):
            for other in range(max(column - radius, 0), min(column + radius + 1, rules.cols)):
                out[count] = near * rules.cols + other
                count += 1 - (marks[near] >> other & 1)
                marks[near] |= 1 << other
    return count


@r.order_actions.register_body(GomokuScores)
@inner_kernel
def _order_scores(rules, position, actions, count):
    """Centre first, in the game's order, by one pass over all cells."""
    marks = rules.marks
    for row in range(rules.rows):
        marks[row] = 0
    for i in range(count):
        marks[actions[i] // rules.cols] |= 1 << (actions[i] % rules.cols)
    place = 0
    for i in range(rules.rows * rules.cols):
        cell = rules.centre_first[i]
        if marks[cell // rules.cols] >> (cell % rules.cols) & 1 != 0:
            actions[place] = cell
            place += 1
