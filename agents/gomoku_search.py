"""Gomoku as search engines see it: records that carry what the heuristics need, kept up to date stone by stone.

Two forms of the same game. Both play by the rules of :mod:`plyground.envs.gomoku`, have its keys and its values:

:class:`GomokuPatterns` (heuristic ``patterns``)
    every free cell carries the codes of :mod:`plyground.envs.gomoku_patterns`, so that forced replies and a good order of the cells are read off;
:class:`GomokuScores` (heuristics ``caro15`` and ``caro10``)
    the sum of the heuristic; cells are tried centre first.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from ..envs import gomoku, stones
from ..envs import gomoku_patterns as patterns
from ..envs import rules as r
from ..envs.dispatch import missing, rule
from ..envs.game import Game
from ..envs.gomoku import CARO15, Gomoku, list_near, row_wins, run_points, window_points
from ..envs.gomoku_patterns import (
    CARO,
    CELL_BITS,
    CELL_CLASS,
    CLASSES,
    COUNTERS,
    FOUR_OR_BETTER,
    FREESTYLE,
    HIGH_CELLS,
    LONGEST,
    LOW_CELLS,
    PACKED,
    REACH,
    SCORE_SHIFT,
    VALUES,
    WINS_NOW,
    WINS_SOON,
)
from ..envs.grid import count_run
from ..envs.kernels import borrowing_kernel, kernel
from ..envs.randomness import mix64
from .search_form import SearchForm, form_for, plain_form

LONGEST_LINE = 19
LINES = 2 * LONGEST_LINE + 2 * (2 * LONGEST_LINE - 1)  # rows, columns, and the diagonals either way
FIRST_COLUMN, FIRST_DIAGONAL, FIRST_ANTIDIAGONAL = LONGEST_LINE, 2 * LONGEST_LINE, 4 * LONGEST_LINE - 1
ALL_WALL = (1 << (CELL_BITS * (LONGEST_LINE + 2 * REACH))) - 1

# `stones` holds a bit mask of the occupied cells of each row.
_COMMON = [*stones.POSITION, ("stones", np.int32, LONGEST_LINE)]
SCORES_RECORD = np.dtype((np.record, np.dtype([*_COMMON, ("points", np.int64, 2), ("singles", np.int64, 2)], align=True)))

# `lines`: two bits for each cell (0 free, 1 black, 2 white, 3 off the board), REACH cells off the board before the first.
# `codes`: for each cell four bytes, one for each direction: black's code in the low half, white's in the high half.
# `sums`: for each cell and player the four codes packed and added up. `score`, `classes`: what mover_points takes.
PATTERNS_RECORD = np.dtype(
    (
        np.record,
        np.dtype(
            [
                *_COMMON,
                ("lines", np.int64, LINES),
                ("codes", np.uint8, 4 * stones.CELLS),
                ("sums", np.int32, 2 * stones.CELLS),
                ("score", np.int32, 2),
                ("classes", np.int16, 2 * CLASSES),
            ],
            align=True,
        ),
    )
)

# The order of the cells: what they are to the mover, what they are to the opponent, and how much each adds by its codes.
OWN_CLASS = np.array([0, 0, 0, 600, 2000, 6000, 9000], np.int32)
OTHER_CLASS = np.array([0, 0, 0, 300, 1000, 3000, 8000], np.int32)
OWN_WEIGHT, OTHER_WEIGHT = 5, 4
SORTED = 24  # so many cells are put in order, the rest follow as they come

# What a search by patterns does unless it is told otherwise: their order is better than what history learns.
PATTERNS_DEFAULTS = {"radius": 2, "width": 16, "history": False}


class GomokuPatterns(NamedTuple):
    """The parameters of a Gomoku, and the table of its patterns (uint8, 4^10)."""

    rows: int
    cols: int
    connect: int
    rule: int
    table: Any


class GomokuScores(NamedTuple):
    """The parameters of a Gomoku, the heuristic, all cells centre first (int16), and room for a set of cells (int32, one for each row)."""

    rows: int
    cols: int
    connect: int
    rule: int
    heuristic: int
    centre_first: Any
    marks: Any


# -- what both forms share: the rules of stones.py, compiled without reference counts --

BORROWED = {name: borrowing_kernel(getattr(stones, name).py_func) for name in ("is_legal", "to_move", "is_over", "returns", "key")}
for _name, _body in BORROWED.items():
    for _form in (GomokuPatterns, GomokuScores):
        getattr(r, _name).register_body(_form)(_body)


@borrowing_kernel
def step_of(direction):
    """The step in rows and in columns of the four directions: along a row, a column, a diagonal, an antidiagonal."""
    return (0 if direction == 0 else 1), (1 if direction == 0 else 0 if direction == 1 else 5 - 2 * direction)


@borrowing_kernel
def list_free(rules, position, radius, out):
    """The free cells within ``radius`` of a stone, or all of them, ascending."""
    if position.winner != r.NOBODY:
        return 0
    if radius > 0:
        if position.ply > 0:
            return list_near(rules, position.stones, radius, out)
        out[0] = rules.rows // 2 * rules.cols + rules.cols // 2
        return 1
    count = 0
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] == 0:
            out[count] = cell
            count += 1
    return count


@borrowing_kernel
def occupy(rules, position, action, player):
    """Put a stone on the board: the part of a move that every form needs."""
    position.cells[action] = player + 1
    position.ply += 1
    position.hash ^= mix64(np.uint64(2 * action + player + 1))
    position.stones[action // rules.cols] |= 1 << (action % rules.cols)


@rule
def put(rules, position, action, player):
    """Put a stone of ``player`` on a free cell and bring all that the form keeps up to date; who wins is left open."""
    raise missing(rules, "put")


@kernel
def set_up(rules, cells, winner, position):
    """Make ``position`` the one with these cells and this winner."""
    r.start(rules, position)
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            put(rules, position, cell, np.int64(cells[cell]) - 1)
    position.winner = winner


@kernel
def load(rules, source, targets):
    """Bring a plain position record into the first row of an array of a form's records."""
    set_up(rules, source.cells, source.winner, targets[0])


@kernel
def transform(rules, position, permutation, out):
    before = position.cells.copy()  # `out` may be the position itself
    cells = np.zeros_like(before)
    for cell in range(rules.rows * rules.cols):
        cells[permutation[cell]] = before[cell]
    set_up(rules, cells, position.winner, out)


for _form in (GomokuPatterns, GomokuScores):
    r.transform.register_body(_form)(transform)


# -- patterns --


@borrowing_kernel
def line_of(rules, row, column, direction):
    """The line through a cell in a direction; within it the cell's place is its row for columns, else its column."""
    if direction == 0:
        return row
    if direction == 1:
        return FIRST_COLUMN + column
    if direction == 2:
        return FIRST_DIAGONAL + row - column + LONGEST_LINE - 1
    return FIRST_ANTIDIAGONAL + row + column


@borrowing_kernel
def code_at(table, word, place):
    """Both players' codes of the cell at ``place`` in a line."""
    window = word >> (CELL_BITS * place)
    return np.int64(table[(window & LOW_CELLS) | (window >> CELL_BITS & HIGH_CELLS)])


@r.start.register_body(GomokuPatterns)
@borrowing_kernel
def start_patterns(rules, position):
    lines, codes, sums = position.lines, position.codes, position.sums
    position.cells[:] = 0
    position.winner, position.ply, position.hash = r.NOBODY, 0, 0
    position.stones[:] = 0
    position.score[:] = 0
    position.classes[:] = 0
    codes[:] = 0
    sums[:] = 0
    lines[:] = ALL_WALL
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        for direction in range(4):
            place = row if direction == 1 else column
            lines[line_of(rules, row, column, direction)] &= ~(np.int64(3) << (CELL_BITS * (place + REACH)))
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        for direction in range(4):
            code = code_at(rules.table, lines[line_of(rules, row, column, direction)], row if direction == 1 else column)
            codes[4 * cell + direction] = code
            for player in range(2):
                sums[2 * cell + player] += PACKED[code >> (4 * player) & 15]
                position.score[player] += VALUES[code >> (4 * player) & 15]
        for player in range(2):
            position.classes[CLASSES * player + CELL_CLASS[sums[2 * cell + player] & COUNTERS]] += 1


@put.register_body(GomokuPatterns)
@borrowing_kernel
def put_patterns(rules, position, action, player):
    lines, codes, sums, score, classes, table = position.lines, position.codes, position.sums, position.score, position.classes, rules.table
    # 1. The cell is free no longer: what stones on it would have made counts no more.
    for side in range(2):
        classes[CLASSES * side + CELL_CLASS[sums[2 * action + side] & COUNTERS]] -= 1
        sums[2 * action + side] = 0
    for direction in range(4):
        code = np.int64(codes[4 * action + direction])
        score[0] -= VALUES[code & 15]
        score[1] -= VALUES[code >> 4]
    occupy(rules, position, action, player)
    # 2. The free cells near by on the four lines see the stone.
    row, column = action // rules.cols, action % rules.cols
    reach = rules.connect - (rules.rule == FREESTYLE)
    for direction in range(4):
        line = line_of(rules, row, column, direction)
        here = row if direction == 1 else column
        step = 1 if direction == 0 else (rules.cols + direction - 1 if direction < 3 else 1 - rules.cols)
        word = lines[line] | (player + 1) << (CELL_BITS * (here + REACH))
        lines[line] = word
        for offset in range(-reach, reach + 1):
            if word >> (CELL_BITS * (here + REACH + offset)) & 3 != 0:
                continue
            cell = action + offset * step
            code, before = code_at(table, word, here + offset), np.int64(codes[4 * cell + direction])
            if code == before:
                continue
            codes[4 * cell + direction] = code
            for side in range(2):
                new, old = code >> (4 * side) & 15, before >> (4 * side) & 15
                if new != old:
                    known = sums[2 * cell + side]
                    summed = known + PACKED[new] - PACKED[old]
                    sums[2 * cell + side] = summed
                    score[side] += VALUES[new] - VALUES[old]
                    classes[CLASSES * side + CELL_CLASS[known & COUNTERS]] -= 1
                    classes[CLASSES * side + CELL_CLASS[summed & COUNTERS]] += 1


@r.play.register_body(GomokuPatterns)
@borrowing_kernel
def play_patterns(rules, position, action):
    player = np.int64(position.ply & 1)
    wins = CELL_CLASS[position.sums[2 * action + player] & COUNTERS] == WINS_NOW
    put(rules, position, action, player)
    if wins:
        position.winner = player


@r.evaluate.register_body(GomokuPatterns)
@borrowing_kernel
def evaluate_patterns(rules, position, player, heuristic):
    mover = np.int64(position.ply & 1)
    points = patterns.mover_points(mover, position.score, position.classes)
    return points if mover == player else -points


@borrowing_kernel
def list_cells(rules, sums, player, counters, out, count):
    """Append the cells where ``player`` has one of the codes that ``counters`` (a mask) counts; returns how many are listed now."""
    for cell in range(rules.rows * rules.cols):
        if sums[2 * cell + player] & counters != 0:
            out[count] = cell
            count += 1
    return count


@borrowing_kernel
def list_once(out, count, cell):
    """Append a cell unless it is listed already."""
    for i in range(count):
        if out[i] == cell:
            return count
    out[count] = cell
    return count + 1


@borrowing_kernel
def list_row_ends(rules, cells, action, stone, out, count):
    """Append the free cells at the ends of the rows that ``stone`` would complete on ``action``: in caro a stone there may stop them."""
    for direction in range(4):
        row_step, col_step = step_of(direction)
        ahead = count_run(cells, rules.rows, rules.cols, action, row_step, col_step, stone)
        behind = count_run(cells, rules.rows, rules.cols, action, -row_step, -col_step, stone)
        if ahead + behind + 1 < rules.connect:
            continue
        for steps in (ahead + 1, -behind - 1):
            row, column = action // rules.cols + steps * row_step, action % rules.cols + steps * col_step
            if 0 <= row < rules.rows and 0 <= column < rules.cols and cells[row * rules.cols + column] == 0:
                count = list_once(out, count, row * rules.cols + column)
    return count


@r.candidates.register_body(GomokuPatterns)
@borrowing_kernel
def candidates_patterns(rules, position, radius, out):
    """The free cells near stones, or, where a win or a loss is at hand, only those that bring the one or may prevent the other."""
    if position.winner != r.NOBODY:
        return 0
    sums, classes = position.sums, position.classes
    mover = np.int64(position.ply & 1)
    opponent = 1 - mover
    mine, theirs = CLASSES * mover, CLASSES * opponent
    # 1. A win at once.
    if classes[mine + WINS_NOW] > 0:
        return min(list_cells(rules, sums, mover, 7 << 9, out, 0), 1)
    # 2. The opponent would win at once: fill the gap (in caro, block the other end).
    if classes[theirs + WINS_NOW] > 0:
        count = list_cells(rules, sums, opponent, 7 << 9, out, 0)
        if rules.rule >= CARO:
            for i in range(count):
                count = list_row_ends(rules, position.cells, np.int64(out[i]), opponent + 1, out, count)
        return count
    # 3. An open four or two fours at once win: the opponent has no five to make and can stop but one row.
    if classes[mine + WINS_SOON] > 0:
        for cell in range(rules.rows * rules.cols):
            if CELL_CLASS[sums[2 * cell + mover] & COUNTERS] == WINS_SOON:
                out[0] = cell
                return 1
    # 4. The opponent threatens just that: make a four first, or take a cell of the rows that would become fours.
    if classes[theirs + WINS_SOON] > 0:
        count = 0
        for cell in range(rules.rows * rules.cols):
            if (sums[2 * cell + mover] | sums[2 * cell + opponent]) & FOUR_OR_BETTER != 0:
                out[count] = cell
                count += 1
        return count
    return list_free(rules, position, radius, out)


@borrowing_kernel
def urgency(sums, cell, mover):
    """How promising a cell is: what the mover's stone would make there and what the opponent's would."""
    own, other = sums[2 * cell + mover], sums[2 * cell + 1 - mover]
    by_class = OWN_CLASS[CELL_CLASS[own & COUNTERS]] + OTHER_CLASS[CELL_CLASS[other & COUNTERS]]
    return by_class + OWN_WEIGHT * (own >> SCORE_SHIFT) + OTHER_WEIGHT * (other >> SCORE_SHIFT)


@r.order_actions.register_body(GomokuPatterns)
@borrowing_kernel
def order_patterns(rules, position, actions, count):
    """The most urgent cells first, the first :data:`SORTED` of them in order."""
    sums, mover = position.sums, np.int64(position.ply & 1)
    for i in range(1, count):
        action = actions[i]
        urgent = urgency(sums, np.int64(action), mover)
        last = min(i, SORTED) - 1
        if urgency(sums, np.int64(actions[last]), mover) >= urgent:
            continue
        actions[i] = actions[last]
        j = last
        while j > 0 and urgency(sums, np.int64(actions[j - 1]), mover) < urgent:
            actions[j] = actions[j - 1]
            j -= 1
        actions[j] = action


# -- caro15 and caro10 --


@r.start.register_body(GomokuScores)
@borrowing_kernel
def start_scores(rules, position):
    position.cells[:] = 0
    position.winner, position.ply, position.hash = r.NOBODY, 0, 0
    position.stones[:] = 0
    position.points[:] = 0
    position.singles[:] = 0


@borrowing_kernel
def put_in_windows(rules, position, action, player, row_step, col_step):
    """Bring the windows of one direction through ``action``, which is free yet, up to date."""
    cells, points, singles, own = position.cells, position.points, position.singles, player + 1
    row, column = action // rules.cols, action % rules.cols
    for first in range(1 - rules.connect, 1):
        last = first + rules.connect - 1
        if not (0 <= row + first * row_step and row + last * row_step < rules.rows):
            continue
        if not (0 <= column + first * col_step < rules.cols and 0 <= column + last * col_step < rules.cols):
            continue
        mine, theirs, cell = 0, 0, action + first * (row_step * rules.cols + col_step)
        for _ in range(rules.connect):
            stone = cells[cell]
            mine += stone == own
            theirs += stone == 3 - own
            cell += row_step * rules.cols + col_step
        if theirs == 0:
            points[player] += window_points(rules, mine + 1) - window_points(rules, mine)
            singles[player] += (mine == 0) - (mine == 1)
        elif mine == 0:
            points[1 - player] -= window_points(rules, theirs)
            singles[1 - player] -= theirs == 1


@borrowing_kernel
def join_runs(rules, position, action, player, row_step, col_step):
    """Bring the runs of one direction through ``action`` up to date; returns the length of the new one."""
    ahead = count_run(position.cells, rules.rows, rules.cols, action, row_step, col_step, player + 1)
    behind = count_run(position.cells, rules.rows, rules.cols, action, -row_step, -col_step, player + 1)
    length = 1 + ahead + behind
    position.points[player] += run_points(rules, length) - run_points(rules, ahead) - run_points(rules, behind)
    return length


@put.register_body(GomokuScores)
@borrowing_kernel
def put_scores(rules, position, action, player):
    for direction in range(4):
        row_step, col_step = step_of(direction)
        if rules.heuristic == CARO15:
            join_runs(rules, position, action, player, row_step, col_step)
        else:
            put_in_windows(rules, position, action, player, row_step, col_step)
    occupy(rules, position, action, player)


@r.play.register_body(GomokuScores)
@borrowing_kernel
def play_scores(rules, position, action):
    player = np.int64(position.ply & 1)
    put(rules, position, action, player)
    for direction in range(4):
        row_step, col_step = step_of(direction)
        if row_wins(rules, position.cells, action, row_step, col_step):
            position.winner = player


@r.evaluate.register_body(GomokuScores)
@borrowing_kernel
def evaluate_scores(rules, position, player, heuristic):
    points = position.points[player] - position.points[1 - player]
    return points + position.singles[player]  # caro10 counts only the own single stones, caro15 none here


@r.candidates.register_body(GomokuScores)
@borrowing_kernel
def candidates_scores(rules, position, radius, out):
    return list_free(rules, position, radius, out)


@r.order_actions.register_body(GomokuScores)
@borrowing_kernel
def order_scores(rules, position, actions, count):
    """Centre first: the same order as that of the game itself, made by walking once through all cells."""
    marks = rules.marks
    for row in range(rules.rows):
        marks[row] = 0
    for i in range(count):
        marks[actions[i] // rules.cols] |= 1 << (actions[i] % rules.cols)
    filled = 0
    for i in range(rules.rows * rules.cols):
        cell = rules.centre_first[i]
        if marks[cell // rules.cols] >> (cell % rules.cols) & 1 != 0:
            actions[filled] = cell
            filled += 1


# -- which form a heuristic asks for --


@form_for.register(Gomoku)
def gomoku_form(rules: Gomoku, game: Game, heuristic: str) -> SearchForm:
    """``patterns`` and ``default``: GomokuPatterns; ``caro15`` and ``caro10``: GomokuScores; ``none``: the plain game."""
    if heuristic == "none":
        return plain_form(game)
    if heuristic in ("default", "patterns") and rules.connect <= LONGEST:
        by_patterns = GomokuPatterns(*rules, patterns.pattern_table(rules.connect, rules.rule))
        return SearchForm(by_patterns, PATTERNS_RECORD, functools.partial(load, by_patterns), PATTERNS_DEFAULTS)
    index = gomoku.CARO15 if heuristic == "caro15" else gomoku.CARO10
    by_scores = GomokuScores(*rules, index, _centre_first(game), np.zeros(rules.rows, np.int32))
    return SearchForm(by_scores, SCORES_RECORD, functools.partial(load, by_scores))


def _centre_first(game: Game) -> np.ndarray:
    """All cells in the order that the game itself gives them on an empty board."""
    position = game.initial_position()
    cells = np.array(position.legal_actions(), np.int16)
    r.order_actions(game.rules, position.record, cells, cells.size)
    return cells
