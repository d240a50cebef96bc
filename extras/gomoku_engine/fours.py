"""Wins by continuous fours: each move of the attacker makes a four that must be answered.

The search is an AND/OR tree over a :class:`~plyground.extras.gomoku_engine.patterns.GomokuPatterns`
record that is changed in place and restored. A win that it finds is proved; a failed search proves
nothing, since nodes and plies are limited.

Source: Allis, van den Herik and Huntjens, "Go-Moku solved by new search techniques", 1996 (there
"threat sequences of fours").
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.randomness import mix64
from ...envs.games.gomoku.patterns import (
    CARO,
    CELL_CLASS,
    CLASSES,
    FOUR_THREE,
    HAS_FOUR,
    MAKES_FOUR,
    WINS_NOW,
    WINS_SOON,
)
from .forced import list_fives, list_row_ends
from .patterns import CHANGES, make_move, unmake_move

MOST_PLIES = 64
MOST_FOURS = 32  # fours tried at a node, the strongest first
FAILURE, OPEN, SUCCESS = -1, 0, 1


class FoursSearch(NamedTuple):
    """The arrays of a search for fours.

    Attributes:
        moves: int16, (MOST_PLIES, MOST_FOURS): the moves of each ply; attacker on even plies.
        counts, cursors, lengths: int64, (MOST_PLIES,): number of moves; index of the next move;
            plies to the win found below.
        changes: int32, (MOST_PLIES, CHANGES): the changes of each ply, for unmaking it.
        failures: uint64, a power of two: keys of positions from which the attacker found no win.
    """

    moves: Any
    counts: Any
    cursors: Any
    lengths: Any
    changes: Any
    failures: Any


def new_fours_search(entries: int = 1 << 14) -> FoursSearch:
    """Arrays of a search for fours; ``entries`` is the size of ``failures``, a power of two."""
    return FoursSearch(
        np.zeros((MOST_PLIES, MOST_FOURS), np.int16),
        np.zeros(MOST_PLIES, np.int64),
        np.zeros(MOST_PLIES, np.int64),
        np.zeros(MOST_PLIES, np.int64),
        np.zeros((MOST_PLIES, CHANGES), np.int32),
        np.zeros(entries, np.uint64),
    )


@inner_kernel
def _list_fours(rules, position, attacker, out):
    """List the attacker's cells that make a four, open fours first; returns their number."""
    keys, count, open_fours, mine = position.keys, 0, 0, CLASSES * attacker
    classes = position.classes
    most = classes[mine + MAKES_FOUR] + classes[mine + FOUR_THREE] + classes[mine + WINS_SOON]
    most = min(np.int64(most), MOST_FOURS)
    for cell in range(rules.rows * rules.cols):
        if count == most:
            break
        key = keys[2 * cell + attacker]
        if not HAS_FOUR[key]:
            continue
        out[count] = cell
        if CELL_CLASS[key] == WINS_SOON:
            out[count] = out[open_fours]
            out[open_fours] = cell
            open_fours += 1
        count += 1
    return count


@inner_kernel
def _enter_attack(rules, position, attacker, moves, failures, salt):
    """List the attacker's moves; returns their number, FAILURE for none, or 0 for a win at once."""
    mine, theirs = CLASSES * attacker, CLASSES * (1 - attacker)
    if position.classes[mine + WINS_NOW] > 0:
        list_fives(rules, position, attacker, moves)
        return 0
    key = position.hash ^ salt
    if failures[np.int64(key & np.uint64(failures.size - 1))] == key:
        return FAILURE
    if position.classes[theirs + WINS_NOW] > 0:
        # The block must be a four too.
        if list_fives(rules, position, 1 - attacker, moves) > 1:
            return FAILURE
        if not HAS_FOUR[position.keys[2 * moves[0] + attacker]]:
            return FAILURE
        return 1
    count = _list_fours(rules, position, attacker, moves)
    return count if count > 0 else FAILURE


@inner_kernel
def _enter_defence(rules, position, attacker, moves):
    """List the replies to a four.

    Returns their number, FAILURE for a counter-win, or 0 if no reply helps.
    """
    if position.classes[CLASSES * (1 - attacker) + WINS_NOW] > 0:
        return FAILURE
    count = list_fives(rules, position, attacker, moves)
    if count == 0:
        return FAILURE
    if rules.rule < CARO:
        return 0 if count > 1 else 1
    for i in range(count):  # in caro a stone at the end of the row may stop it too
        if count > MOST_FOURS - 8:
            return FAILURE  # no room for all replies
        count = list_row_ends(rules, position.cells, np.int64(moves[i]), attacker + 1, moves, count)
    return count


@inner_kernel
def find_fours(rules, position, arrays, nodes_allowed):
    """Look for a win of the player to move by continuous fours.

    Args:
        rules: a GomokuPatterns.
        position: its record; it is changed and restored.
        arrays: a :class:`FoursSearch`.
        nodes_allowed: the largest number of moves tried.

    Returns:
        The winning action or −1, the plies to the five, and the number of moves tried.
    """
    moves, counts, cursors, lengths, changes, failures = arrays
    attacker = np.int64(position.ply & 1)
    salt = mix64(np.uint64(7 + attacker))
    ply, nodes, cut = 0, 0, False
    state = OPEN
    counts[0] = _enter_attack(rules, position, attacker, moves[0], failures, salt)
    if counts[0] == 0:
        return np.int64(moves[0, 0]), np.int64(1), nodes
    if counts[0] == FAILURE:
        return np.int64(-1), np.int64(0), nodes
    cursors[0], lengths[0] = 0, 0
    while True:
        attacking = ply % 2 == 0
        if state == OPEN:
            if cursors[ply] == counts[ply]:
                # all fours fail, or all replies lose
                state = FAILURE if attacking else SUCCESS
                if attacking and not cut:
                    key = position.hash ^ salt
                    failures[np.int64(key & np.uint64(failures.size - 1))] = key
            elif nodes >= nodes_allowed or ply + 2 >= MOST_PLIES:
                cut, state = True, FAILURE
            else:
                nodes += 1
                action = np.int64(moves[ply, cursors[ply]])
                make_move(rules, position, action, np.int64(position.ply & 1), changes[ply], False)
                cursors[ply] += 1
                ply += 1
                cursors[ply], lengths[ply] = 0, 0
                if attacking:
                    counts[ply] = _enter_defence(rules, position, attacker, moves[ply])
                    if counts[ply] == 0:
                        state, lengths[ply] = SUCCESS, 2
                else:
                    counts[ply] = _enter_attack(
                        rules, position, attacker, moves[ply], failures, salt
                    )
                    if counts[ply] == 0:
                        state, lengths[ply] = SUCCESS, 1
                if counts[ply] == FAILURE:
                    state = FAILURE
        else:
            if ply == 0:
                break
            ply -= 1
            action = np.int64(moves[ply, cursors[ply] - 1])
            unmake_move(rules, position, action, changes[ply])
            attacking = ply % 2 == 0
            if attacking:
                if state == SUCCESS:
                    lengths[ply] = lengths[ply + 1] + 1
                else:
                    state = OPEN
            elif state == SUCCESS:
                lengths[ply] = max(lengths[ply], lengths[ply + 1] + 1)
                state = OPEN
    if state == SUCCESS:
        return np.int64(moves[0, cursors[0] - 1]), lengths[0], nodes
    return np.int64(-1), np.int64(0), nodes
