"""The search forms of gomoku: its rules with incremental patterns or scores.

:class:`GomokuPatterns` (heuristic ``patterns``) plays by the rules of
:mod:`plyground.envs.games.gomoku`, with the same keys and values. Every free cell has the codes of
:mod:`plyground.envs.games.gomoku.patterns`, which each stone updates. They give the value of a
position, forced replies and the move order without a scan of the board. The other heuristics use
:class:`~plyground.extras.gomoku_engine.scores.GomokuScores`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...agents.own.search_form import (
    ESTIMATE,
    REPLY_WINS,
    UNREAD,
    WON,
    SearchForm,
    can_win_at_once,
    form_for,
    load_record,
    plain_form,
    read_off,
)
from ...envs import rules as r
from ...envs.boards import stones
from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.threads import share
from ...envs.game import Game
from ...envs.games.gomoku import heuristics as gomoku_heuristics
from ...envs.games.gomoku import patterns
from ...envs.games.gomoku.patterns import (
    CELL_BITS,
    CELL_CLASS,
    CELL_VALUE,
    CLASSES,
    FREESTYLE,
    KEYS,
    LONGEST,
    REACH,
    WINS_NOW,
    WINS_SOON,
    by_key,
)
from ...envs.games.gomoku.rules import Gomoku, list_near
from .forced import list_answers, list_blocks, list_fives
from .lines import (
    BOARD_FIELDS,
    cells_to_next,
    clear_board,
    line_of,
    list_free,
    occupy,
    put,
    register_shared_rules,
    vacate,
)
from .scores import SCORES_RECORD, GomokuScores
from .value_network import INPUTS, NO_NETWORK, ValueNetwork, change_sums

# `codes`: for each cell four bytes, one for each direction: black's code in the low half, white's
# in the high half. `keys`: for each cell and player the key of its codes. `score`, `classes`: the
# arguments of mover_points. `sums`: for each player the inputs of the rules' network.
PATTERNS_RECORD = np.dtype(
    [
        *BOARD_FIELDS,
        ("codes", np.uint8, 4 * stones.CELLS),
        ("keys", np.int16, 2 * stones.CELLS),
        ("score", np.int32, 2),
        ("classes", np.int16, 2 * CLASSES),
        ("sums", np.int16, (2, INPUTS)),
    ],
    align=True,
)

# The order of the cells: by their class for the mover and for the opponent, and by their codes.
OWN_CLASS = np.array([0, 0, 0, 600, 2000, 6000, 9000], np.int32)
OTHER_CLASS = np.array([0, 0, 0, 300, 1000, 3000, 8000], np.int32)
OWN_WEIGHT, OTHER_WEIGHT = 5, 4
_TRY_FIRST = (0, 1, 2, 4, 10, 12, 40, 44, 160, 400)  # by code


def _order_by(by_class: np.ndarray, weight: int) -> Callable[[tuple[int, ...]], int]:
    """The ordering points of a cell's four codes."""

    def points(codes: tuple[int, ...]) -> int:
        in_class = int(by_class[CELL_CLASS[KEYS[list(codes)].sum()]])
        return in_class + weight * sum(_TRY_FIRST[code] for code in codes)

    return points


CHANGES = 5 + 8 * REACH  # size of the record of make_move
OWN_ORDER, OTHER_ORDER = (
    by_key(_order_by(by_class, weight), np.int16)
    for by_class, weight in ((OWN_CLASS, OWN_WEIGHT), (OTHER_CLASS, OTHER_WEIGHT))
)
SORT_LENGTH = 24  # number of cells that are sorted; the rest follow unsorted
# a sort word: the cell, ALL_CELLS less its place before, its urgency
CELL_SHIFT, WORD_BITS = 10, 20
ALL_CELLS = (1 << CELL_SHIFT) - 1

# Default options of a search by patterns: their move order is better than the history heuristic.
PATTERNS_DEFAULTS: dict[str, Any] = {"radius": 2, "width": 16, "history": False, "win_in_one": True}


class GomokuPatterns(NamedTuple):
    """The parameters of a Gomoku, tables, and buffers.

    Attributes:
        reach: number of cells on either side that matter to a pattern.
        table: uint8, 4^(2 · reach): the patterns, see :func:`_near_table`.
        values: int16, by key: the points of a free cell.
        own_order, other_order: int16, by key: ordering points of a cell for the mover and for the
            opponent.
        changes: a buffer for :func:`make_move` if the stone is never unmade.
        classes: a buffer for the classes of the cells after an action, int64.
        words: a buffer for the order of the cells, int64: all cells, then the sorted ones.
        network: the network whose inputs are updated; a network without inputs costs nothing.
    """

    rows: int
    cols: int
    connect: int
    rule: int
    reach: int
    table: Any
    values: Any
    own_order: Any
    other_order: Any
    changes: Any
    classes: Any
    words: Any
    network: ValueNetwork


register_shared_rules(GomokuPatterns)
share(GomokuPatterns, "table", "values", "own_order", "other_order", "network")


@inner_kernel
def _code_at(rules, word, place):
    """Both players' codes of the cell at ``place`` in a line."""
    bits = CELL_BITS * rules.reach
    near, window = (1 << bits) - 1, word >> (CELL_BITS * (place + REACH - rules.reach))
    return np.int64(rules.table[(window & near) | (window >> CELL_BITS & near << bits)])


@r.start.register_body(GomokuPatterns)
@inner_kernel
def _start_patterns(rules, position):
    clear_board(rules, position)
    _code_cells(rules, position)


@inner_kernel
def _code_cells(rules, position):
    """Compute the codes of all free cells, and everything derived from them."""
    lines, codes, keys = position.lines, position.codes, position.keys
    position.score[:] = 0
    position.classes[:] = 0
    position.sums[:] = 0
    codes[:] = 0
    keys[:] = 0
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] != 0:
            continue
        row, column = cell // rules.cols, cell % rules.cols
        for direction in range(4):
            code = _code_at(
                rules,
                lines[line_of(rules, row, column, direction)],
                row if direction == 1 else column,
            )
            codes[4 * cell + direction] = code
            for player in range(2):
                keys[2 * cell + player] += KEYS[code >> (4 * player) & 15]
        for player in range(2):
            key = np.int64(keys[2 * cell + player])
            position.score[player] += rules.values[key]
            position.classes[CLASSES * player + CELL_CLASS[key]] += 1
            if rules.network.parts.shape[0] > 0:
                change_sums(rules.network.parts, position.sums, player, key, np.int64(0))


@load_record.register_body(GomokuPatterns)
@inner_kernel
def _load_patterns(rules, source, targets):
    position = targets[0]
    clear_board(rules, position)
    for cell in range(rules.rows * rules.cols):
        if source.cells[cell] != 0:
            occupy(rules, position, cell, np.int64(source.cells[cell]) - 1)
    _code_cells(rules, position)
    position.winner, position.ply, position.hash = source.winner, source.ply, source.hash


@put.register_body(GomokuPatterns)
@inner_kernel
def put_patterns(rules, position, action, player):
    make_move(rules, position, action, player, rules.changes, rules.network.parts.shape[0] > 0)


@inner_kernel
def make_move(rules, position, action, player, changes, update_sums):
    """``put``, with a record of the codes that it changes; :func:`unmake_move` restores them.

    ``changes`` (int32, :data:`CHANGES`) holds their number, then for each the place in ``codes``
    and the code before: 256 · place + code. The first four are the codes of the cell itself.
    ``update_sums`` says whether the inputs of the network are updated; the caller restores them.
    """
    lines, codes, keys = position.lines, position.codes, position.keys
    reach = rules.reach
    # 1. The cell is no longer free: remove its codes.
    for side in range(2):
        key = np.int64(keys[2 * action + side])
        position.classes[CLASSES * side + CELL_CLASS[key]] -= 1
        position.score[side] -= rules.values[key]
        if update_sums:
            change_sums(rules.network.parts, position.sums, side, np.int64(0), key)
        keys[2 * action + side] = 0
    for direction in range(4):
        code = np.int64(codes[4 * action + direction])
        codes[4 * action + direction] = 0
        changes[1 + direction] = (4 * action + direction) << 8 | code
    occupy(rules, position, action, player)
    # 2. Update the codes of the free cells near it on the four lines.
    count = 5
    row, column = action // rules.cols, action % rules.cols
    for direction in range(4):
        word = lines[line_of(rules, row, column, direction)]
        here = row if direction == 1 else column
        step = cells_to_next(rules, direction)
        for offset in range(-reach, reach + 1):
            if word >> (CELL_BITS * (here + REACH + offset)) & 3 != 0:
                continue
            place = 4 * (action + offset * step) + direction
            code, before = _code_at(rules, word, here + offset), np.int64(codes[place])
            if code != before:
                changes[count] = place << 8 | before
                count += 1
                _change_code(rules, position, place >> 2, code, before, update_sums)
                codes[place] = code
    changes[0] = count


@inner_kernel
def _change_code(rules, position, cell, code, before, update_sums):
    """Update a free cell's keys, the score, classes and sums after a change of one code."""
    keys, values, score, classes = position.keys, rules.values, position.score, position.classes
    for side in range(2):
        new, old = code >> (4 * side) & 15, before >> (4 * side) & 15
        if new != old:
            old_key = np.int64(keys[2 * cell + side])
            key = old_key + KEYS[new] - KEYS[old]
            keys[2 * cell + side] = key
            score[side] += values[key] - values[old_key]
            classes[CLASSES * side + CELL_CLASS[old_key]] -= 1
            classes[CLASSES * side + CELL_CLASS[key]] += 1
            if update_sums:
                change_sums(rules.network.parts, position.sums, side, key, old_key)


@inner_kernel
def unmake_move(rules, position, action, changes):
    """Remove the last stone, by the record of :func:`make_move`.

    The inputs of the network are not changed; the caller restores them from a copy.
    """
    codes, keys, score, classes = position.codes, position.keys, position.score, position.classes
    values = rules.values
    for i in range(5, changes[0]):
        place = np.int64(changes[i] >> 8)
        before = np.int64(changes[i] & 255)
        _change_code(rules, position, place >> 2, before, np.int64(codes[place]), False)
        codes[place] = before
    vacate(rules, position, action)
    first, second = np.int64(0), np.int64(0)
    for direction in range(4):
        code = np.int64(changes[1 + direction] & 255)
        codes[4 * action + direction] = code
        first += KEYS[code & 15]
        second += KEYS[code >> 4]
    keys[2 * action], keys[2 * action + 1] = first, second
    score[0] += values[first]
    score[1] += values[second]
    classes[CELL_CLASS[first]] += 1
    classes[CLASSES + CELL_CLASS[second]] += 1


@r.play.register_body(GomokuPatterns)
@inner_kernel
def _play_patterns(rules, position, action):
    player = np.int64(position.ply & 1)
    wins = CELL_CLASS[position.keys[2 * action + player]] == WINS_NOW
    put(rules, position, action, player)
    if wins:
        position.winner = player


@read_off.register_body(GomokuPatterns)
@inner_kernel
def _read_off_patterns(rules, position, action, heuristic):
    """The result of :func:`make_move` and :func:`evaluate_patterns`, without a change."""
    keys, values, classes = position.keys, rules.values, rules.classes
    mover = np.int64(position.ply & 1)
    if CELL_CLASS[keys[2 * action + mover]] == WINS_NOW:
        return WON, np.int64(0)
    if (position.ply + 1) % -stones.OUT_OF_TURN == rules.rows * rules.cols:
        return UNREAD, np.int64(0)  # the board is full after it
    for number in range(2 * CLASSES):
        classes[number] = position.classes[number]
    score = np.int64(position.score[mover]) - np.int64(position.score[1 - mover])
    for side in range(2):
        key = np.int64(keys[2 * action + side])
        classes[CLASSES * side + CELL_CLASS[key]] -= 1
        score -= values[key] if side == mover else -values[key]
    row, column = action // rules.cols, action % rules.cols
    for direction in range(4):
        here = row if direction == 1 else column
        word = position.lines[line_of(rules, row, column, direction)]
        word |= (mover + 1) << CELL_BITS * (here + REACH)
        step = cells_to_next(rules, direction)
        for offset in range(-rules.reach, rules.reach + 1):
            if word >> (CELL_BITS * (here + REACH + offset)) & 3 != 0:
                continue
            cell = action + offset * step
            code = _code_at(rules, word, here + offset)
            before = np.int64(position.codes[4 * cell + direction])
            if code == before:
                continue
            for side in range(2):
                old = np.int64(keys[2 * cell + side])
                key = old + KEYS[code >> 4 * side & 15] - KEYS[before >> 4 * side & 15]
                change = np.int64(values[key]) - values[old]
                score += change if side == mover else -change
                if CELL_CLASS[key] != CELL_CLASS[old]:
                    classes[CLASSES * side + CELL_CLASS[key]] += 1
                    classes[CLASSES * side + CELL_CLASS[old]] -= 1
    points = -patterns.points_ahead(1 - mover, -score, classes)
    is_lost = classes[CLASSES * (1 - mover) + WINS_NOW] > 0
    return (REPLY_WINS if is_lost else ESTIMATE), points


@r.evaluate.register_body(GomokuPatterns)
@inner_kernel
def evaluate_patterns(rules, position, player, heuristic):
    mover = np.int64(position.ply & 1)
    points = patterns.mover_points(mover, position.score, position.classes)
    return points if mover == player else -points


@can_win_at_once.register_body(GomokuPatterns)
@inner_kernel
def _can_win_at_once_patterns(rules, position):
    return position.classes[CLASSES * (position.ply & 1) + WINS_NOW] > 0


@inner_kernel
def list_moves(rules, radius, position, mover, out):
    """List the moves worth trying: if there is a threat, only its answers.

    Returns their number, and whether every other move loses.
    """
    classes = position.classes
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    # 1. A win at once.
    if classes[mine + WINS_NOW] > 0:
        return min(list_fives(rules, position, mover, out), 1), False
    # 2. The opponent would win at once: fill the gap (in caro, block the other end).
    if classes[theirs + WINS_NOW] > 0:
        return list_blocks(rules, position, 1 - mover, out), True
    # 3. The opponent threatens an open four or two fours at once: make a four, or take a cell of
    #    the rows that would become fours.
    if classes[theirs + WINS_SOON] > 0 and classes[mine + WINS_SOON] == 0:
        count = list_answers(rules, position, mover, out)
        if count > 0:
            return count, True
    return list_near(rules, position.stones, radius, out), False


@r.candidates.register_body(GomokuPatterns)
@inner_kernel
def _candidates_patterns(rules, position, radius, out):
    """The free cells near stones; if there is a threat, only winning cells or answers."""
    if position.winner != r.NOBODY or radius == 0 or position.ply == 0:
        return list_free(rules, position, radius, out)
    classes, mover = position.classes, np.int64(position.ply & 1)
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    # An open four or two fours at once win: the opponent can make no five and stop only one row.
    if classes[mine + WINS_SOON] > 0 and classes[mine + WINS_NOW] + classes[theirs + WINS_NOW] == 0:
        for cell in range(rules.rows * rules.cols):
            if CELL_CLASS[position.keys[2 * cell + mover]] == WINS_SOON:
                out[0] = cell
                return 1
    count, _ = list_moves(rules, radius, position, mover, out)
    return count


@inner_kernel
def urgency(rules, keys, cell, mover):
    """The ordering points of a cell: what a stone of either player would make there."""
    own, other = keys[2 * cell + mover], keys[2 * cell + 1 - mover]
    return np.int64(rules.own_order[own]) + np.int64(rules.other_order[other])


@r.order_actions.register_body(GomokuPatterns)
@inner_kernel
def _order_patterns(rules, position, actions, count):
    """The most urgent cells first, the first :data:`SORT_LENGTH` of them in order."""
    keys, words, mover = position.keys, rules.words, np.int64(position.ply & 1)
    for i in range(count):  # the greatest word is first: by urgency, then by place
        cell = np.int64(actions[i])
        words[i] = (urgency(rules, keys, cell, mover) << WORD_BITS) + (ALL_CELLS - i << CELL_SHIFT)
        words[i] += cell
    # The place of a word is the number of greater words: this needs no branches.
    last = min(count, SORT_LENGTH) - 1
    for i in range(last + 1):
        place = np.int64(stones.CELLS)
        for j in range(last + 1):
            place += words[j] > words[i]
        words[place] = words[i]
    for i in range(SORT_LENGTH, count):
        word, place = words[i], np.int64(stones.CELLS + last)
        if words[place] < word:
            actions[i] = words[place] & ALL_CELLS
            while place > stones.CELLS and words[place - 1] < word:
                words[place] = words[place - 1]
                place -= 1
            words[place] = word
    for i in range(last + 1):
        actions[i] = words[stones.CELLS + i] & ALL_CELLS


# -- the search form of a heuristic --


@functools.lru_cache(maxsize=16)
def _near_table(connect: int, rule: int) -> tuple[int, np.ndarray]:
    """The reach of a pattern, and the codes by the cells within reach.

    A small table stays in the processor's cache: without the cells beyond a row, which matter only
    if six in a row or blocked rows do not win, it has 4^8 entries instead of 4^10.
    """
    reach = connect - (rule == FREESTYLE)
    bits, outer = CELL_BITS * reach, CELL_BITS * (REACH - reach)
    walls, index = (1 << outer) - 1, np.arange(1 << 2 * bits)
    low, high = index & (1 << bits) - 1, index >> bits
    cells = low << outer | walls | (high | walls << bits) << CELL_BITS * REACH
    # not read-only: a copied agent would have arrays of another type, and compile again
    return reach, patterns.pattern_table(connect, rule)[cells]


@form_for.register(Gomoku)
def _gomoku_form(rules: Gomoku, game: Game, heuristic: str) -> SearchForm:
    """The search form of a heuristic.

    GomokuPatterns for ``patterns`` and ``default``, GomokuScores for ``caro15`` and ``caro10``, the
    plain game for ``none``.
    """
    if heuristic == "none":
        return plain_form(game)
    if heuristic in ("default", "patterns") and rules.connect <= LONGEST:
        reach, table = _near_table(rules.connect, rules.rule)
        by_patterns = GomokuPatterns(
            *rules, reach, table, CELL_VALUE, OWN_ORDER, OTHER_ORDER, np.zeros(CHANGES, np.int32),
            np.zeros(2 * CLASSES, np.int64), np.zeros(stones.CELLS + SORT_LENGTH, np.int64),
            NO_NETWORK,
        )  # fmt: skip
        return SearchForm(by_patterns, PATTERNS_RECORD, PATTERNS_DEFAULTS)
    by_runs = {"caro15": gomoku_heuristics.CARO15, "caro15_open": gomoku_heuristics.CARO15_OPEN}
    number = by_runs.get(heuristic, gomoku_heuristics.CARO10)
    # all cells in the game's order on an empty board
    start = game.initial_position()
    cells = np.array(start.legal_actions(), np.int16)
    r.order_actions(game.rules, start.record, cells, cells.size)
    by_scores = GomokuScores(*rules, number, cells, np.zeros(rules.rows, np.int32))
    return SearchForm(by_scores, SCORES_RECORD)
