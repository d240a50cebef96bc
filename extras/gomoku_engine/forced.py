"""The winning cells of gomoku, and the cells that stop or answer threats."""

from __future__ import annotations

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.games.gomoku.patterns import (
    CARO,
    CELL_CLASS,
    CLASSES,
    FOUR,
    HAS_FOUR,
    HAS_OPEN_FOUR,
    WINS_NOW,
    WINS_SOON,
)
from .lines import count_equal, step_of


@inner_kernel
def list_fives(rules, position, player, out):
    """List the cells where ``player`` wins at once; returns their number."""
    count, all_of_them = 0, position.classes[CLASSES * player + WINS_NOW]
    for cell in range(rules.rows * rules.cols):
        if count == all_of_them:
            break
        if CELL_CLASS[position.keys[2 * cell + player]] == WINS_NOW:
            out[count] = cell
            count += 1
    return count


@inner_kernel
def list_row_ends(rules, cells, action, stone, out, count):
    """Append the free cells at the ends of the rows that ``stone`` would complete on ``action``.

    In caro a stone on such a cell may stop the row.
    """
    for direction in range(4):
        row_step, col_step = step_of(direction)
        ahead = count_equal(cells, rules.rows, rules.cols, action, row_step, col_step, stone)
        behind = count_equal(cells, rules.rows, rules.cols, action, -row_step, -col_step, stone)
        if ahead + behind + 1 < rules.connect:
            continue
        for steps in (ahead + 1, -behind - 1):
            row, column = (
                action // rules.cols + steps * row_step,
                action % rules.cols + steps * col_step,
            )
            if (
                0 <= row < rules.rows
                and 0 <= column < rules.cols
                and cells[row * rules.cols + column] == 0
            ):
                cell, is_new = row * rules.cols + column, True
                for i in range(count):
                    is_new &= out[i] != cell
                if is_new:
                    out[count] = cell
                    count += 1
    return count


@inner_kernel
def list_blocks(rules, position, opponent, out):
    """List the cells that stop the opponent's fours: the gaps, and in caro the ends of the rows."""
    count = list_fives(rules, position, opponent, out)
    if rules.rule >= CARO:
        for i in range(count):
            count = list_row_ends(rules, position.cells, np.int64(out[i]), opponent + 1, out, count)
    return count


@inner_kernel
def _bears_on(rules, position, opponent, cell, threat):
    """Whether a stone on ``cell`` may prevent the fours that ``threat`` would make.

    ``threat`` is a cell where a stone of the opponent makes an open four or two fours. ``cell`` is
    near it on the same line and a gap of such a four; in caro it may be at the end of the four.
    """
    rows = cell // rules.cols - threat // rules.cols
    columns = cell % rules.cols - threat % rules.cols
    if max(abs(rows), abs(columns)) > rules.reach:
        return False
    if cell == threat:
        return True
    if rows == 0:
        direction = 0
    elif columns == 0:
        direction = 1
    elif rows == columns:
        direction = 2
    elif rows == -columns:
        direction = 3
    else:
        return False
    codes, shift = position.codes, 4 * opponent
    if codes[4 * threat + direction] >> shift & 15 < FOUR:
        return False
    return rules.rule >= CARO or codes[4 * cell + direction] >> shift & 15 >= FOUR


@inner_kernel
def list_answers(rules, position, mover, out):
    """List the answers to the opponent's threats of an open four or of two fours at once.

    An answer bears on every threat, or makes a four for the mover. Returns their number, or 0 if in
    caro the only threats are two fours at once: one stone may stop both.
    """
    keys, cells, opponent = position.keys, position.cells, 1 - mover
    first, count = True, 0
    for threat in range(rules.rows * rules.cols):
        key = keys[2 * threat + opponent]
        if CELL_CLASS[key] != WINS_SOON or (rules.rule >= CARO and not HAS_OPEN_FOUR[key]):
            continue
        size = 0
        for i in range(rules.rows * rules.cols if first else count):
            cell = i if first else np.int64(out[i])
            if cells[cell] != 0:
                continue
            own_four = HAS_FOUR[keys[2 * cell + mover]]
            if own_four or _bears_on(rules, position, opponent, cell, threat):
                out[size] = cell
                size += 1
        first, count = False, size
    return count
