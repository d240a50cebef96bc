"""Connect four on boards that do not fit a 64-bit word: one number for each cell.

Cells are row-major from the top left; 0 is free, 1 and 2 are the players' discs.
"""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...boards.stones import (
    COUNTS,
    DIRECTIONS,
    completes_row,
    count_run,
    count_windows,
    is_over,
    key,
    move_out_of_turn,
    observe,
    outcome_reason,
    place,
    record_fields,
    returns,
    start,
    to_move,
)
from ...boards.stones import from_observation as cells_from_observation
from ...compiled.kernels import kernel
from ...compiled.randomness import random_below
from ...compiled.scratch import copy_items, stack_array
from ...rules_types import wide_record
from .heuristics import DEEP_LOSS, GOOD_PARITY, OPEN_LINE, THREAT, WINDOWS, points_of_window
from .rules import MOST_CELLS, ConnectFour

WIDE_CELLS = 144  # capacity of the wide record: 12 × 12


@wide_record(
    needed=lambda rules: (rules.rows + 1) * rules.cols > 64, position=record_fields(WIDE_CELLS)
)
class WideConnectFour(ConnectFour):
    """Boards that do not fit a 64-bit word."""


@wide_record(
    needed=lambda rules: rules.rows * rules.cols > WIDE_CELLS, position=record_fields(MOST_CELLS)
)
class LargestConnectFour(WideConnectFour):
    """Boards that do not fit the wide record."""


@kernel
def legal_actions(rules, position, out):
    count = 0
    if position.winner == r.NOBODY:
        for column in range(rules.cols):
            if position.cells[column] == 0:
                out[count] = column
                count += 1
    return count


@kernel
def is_legal(rules, position, action):
    return position.winner == r.NOBODY and 0 <= action < rules.cols and position.cells[action] == 0


@kernel
def _lowest_free_cell(rules, cells, column):
    """The cell to which a disc falls; the column must not be full."""
    cell = (rules.rows - 1) * rules.cols + column
    while cells[cell] != 0:
        cell -= rules.cols
    return cell


@kernel
def play(rules, position, action):
    player = position.ply & 1
    cell = _lowest_free_cell(rules, position.cells, action)
    place(position, cell, player)
    if completes_row(rules, position.cells, cell):
        position.winner = player


@kernel
def from_observation(rules, observation, position):
    cells_from_observation(rules, observation, position)
    for cell in range(rules.cols, rules.rows * rules.cols):
        if position.cells[cell] == 0 and position.cells[cell - rules.cols] != 0:
            start(rules, position)  # a disc floats: the initial position has another observation
            return


@kernel
def transform(rules, position, permutation, out):
    winner, is_out_of_turn = position.winner, position.ply < 0
    cells = stack_array(MOST_CELLS, np.int8)
    copy_items(cells, position.cells, rules.rows * rules.cols)  # `out` may be the position itself
    start(rules, out)
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            row, column = cell // rules.cols, cell % rules.cols
            place(out, row * rules.cols + np.int64(permutation[column]), cells[cell] - 1)
    out.winner = winner
    if is_out_of_turn:
        move_out_of_turn(out)


@kernel
def random_action(rules, position, rng, scratch):
    """Draw columns until one is free: each free column is equally likely."""
    while True:
        column = random_below(rng, rules.cols)
        if position.cells[column] == 0:
            return column


@kernel
def _completes_if_placed(rules, cells, cell, stone):
    """Whether a stone on this free cell would complete a row."""
    for row_step, col_step in DIRECTIONS:
        length = 1 + count_run(cells, rules.rows, rules.cols, cell, row_step, col_step, stone)
        length += count_run(cells, rules.rows, rules.cols, cell, -row_step, -col_step, stone)
        if length >= rules.connect:
            return True
    return False


@kernel
def threats(rules, position, player):
    """The heuristic ``threats``, as :func:`.heuristics.threats` counts it."""
    cells, mover = position.cells, position.ply & 1
    lines = stack_array((2, COUNTS), np.int64)
    lines[:] = 0
    count_windows(rules, cells, 0, lines)
    points = OPEN_LINE * (lines[0].sum() - lines[1].sum())
    now = stack_array(2, np.int64)  # cells on which each player can complete a row at once
    now[:] = 0
    for column in range(rules.cols):
        playable, unreachable = True, False
        for height in range(rules.rows):
            cell = (rules.rows - 1 - height) * rules.cols + column
            if cells[cell] != 0:
                continue
            wins = (
                _completes_if_placed(rules, cells, cell, 1),
                _completes_if_placed(rules, cells, cell, 2),
            )
            for side in range(2):
                if wins[side] and playable:
                    now[side] += 1
                elif wins[side] and not unreachable:
                    worth = THREAT + (GOOD_PARITY if height % 2 == side else 0)
                    points += worth if side == 0 else -worth
            # A cell above a threat is never reached.
            unreachable = unreachable or ((wins[0] or wins[1]) and not playable)
            playable = False
    for side in range(2):
        if now[side] > 1 or (now[side] == 1 and side == mover):
            points += DEEP_LOSS if side == 0 else -DEEP_LOSS
    return points if player == 0 else -points


@kernel
def windows(rules, position, player):
    """The heuristic ``windows``, as :func:`.heuristics.windows` counts it."""
    counts = stack_array((2, COUNTS), np.int64)
    counts[:] = 0
    count_windows(rules, position.cells, player, counts)
    points = 0
    for discs in range(1, rules.connect + 1):
        points += points_of_window(rules.connect - discs) * (counts[0, discs] - counts[1, discs])
    for column in range((rules.cols - 1) // 2, rules.cols // 2 + 1):
        for row in range(rules.rows):
            disc = position.cells[row * rules.cols + column]
            if disc != 0:
                points += 1 if disc == player + 1 else -1
    return points


@kernel
def evaluate(rules, position, player, heuristic):
    if heuristic == WINDOWS:
        return windows(rules, position, player)
    return threats(rules, position, player)


r.register_bodies(
    WideConnectFour,
    (
        start,
        legal_actions,
        is_legal,
        play,
        to_move,
        is_over,
        returns,
        observe,
        from_observation,
        key,
        transform,
        random_action,
        evaluate,
    ),
)
r.outcome_reason.register(WideConnectFour)(outcome_reason)
