"""Shallow alpha-beta on bitboards, for opponents that reply inside a step: the kernels.

It plays the same moves as :mod:`.deepening`, for games that declare a
:class:`~plyground.envs.boards.bitboards.StoneGrid`, without table, killers, history and position
records: immediate wins, forced replies and the cells below the opponent's winning cells are read
off, and all actions of the last ply are evaluated together.

Values are those of :mod:`.alphabeta_kernels`, from the side of the player to move. Among equal
actions that search plays the best of the previous iteration, or if that is not among them, the
first in the order of the actions. In the fourth iteration the history of cut-offs changes that
order: :func:`choose` then leaves the rest to :func:`choose_by_history`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.boards.bitboards import (
    ONE,
    ZERO,
    complete_after,
    completing_cells,
    playable,
    points_of_moves,
    stones,
)
from ...envs.compiled.bits import lowest_bit_index
from ...envs.compiled.kernels import inner_kernel
from .alphabeta_kernels import INFINITY, PROVEN, WIN
from .shallow_kernels import HISTORY_PLIES
from .transposition import NO_ACTION

BY_HISTORY = NO_ACTION - 1  # the history decides which of the best moves comes first
OWN, OTHER, OWN_WINS, OTHER_WINS, MOVES = range(5)  # the columns of `boards`
ALPHA, BETA, BEST, CURSOR = range(4)  # the columns of `bounds`


class ShallowPlan(NamedTuple):
    """The options of a search; all but the first two are 0 or 1.

    Attributes:
        depth: in plies, at most 4.
        heuristic: 0: the game's default; −1: none.
        iterative: whether the search deepens ply by ply.
        history: whether the general search orders actions by the history of cut-offs.
        resists: as in :class:`~.deepening.DeepeningPlan`.
    """

    depth: int
    heuristic: int
    iterative: int
    history: int
    resists: int


class ShallowBoards(NamedTuple):
    """The moves of a game in order, its symmetries, and one row of buffers for each ply.

    Attributes:
        actions: int64 (num_actions,): in the order in which they are tried.
        masks: uint64: the cells of these actions, padded with zeros to whole vectors.
        images: uint8 (symmetries, 64): the bit to which each symmetry but the identity maps a bit.
        copies: uint64 (symmetries,): the cells of actions that it maps to an earlier action.
        boards, bounds: uint64 and int64, (plies, 5) and (plies, 4): the nodes above the current.
        wins: uint64 (plies, masks): the cells that complete a row after each move of a node.
        points: int64, as long as ``masks``.
        sets: uint64 (plies + 1,): the best moves of each iteration, as far as known.
    """

    actions: Any
    masks: Any
    images: Any
    copies: Any
    boards: Any
    bounds: Any
    wins: Any
    points: Any
    sets: Any


@inner_kernel
def _first(masks, moves):
    """The first of a set of moves in the order of the actions; no move if it is empty."""
    for index in range(masks.size):
        if masks[index] & moves != ZERO:
            return masks[index] & moves
    return ZERO


@inner_kernel
def _is_single(moves):
    return moves & (moves - ONE) == ZERO


@inner_kernel
def _without_copies(rooms, own, other, moves):
    """The moves without those that a symmetry of the position maps to an earlier action."""
    for symmetry in range(rooms.copies.size):
        same = True
        for cells in (own, other):
            rest = cells
            while rest != ZERO and same:
                bit = np.uint64(rooms.images[symmetry, lowest_bit_index(rest)])
                same = (cells >> bit) & ONE != ZERO
                rest &= rest - ONE
        if same:
            moves &= ~rooms.copies[symmetry]
    return moves


@inner_kernel
def _put(boards, wins, ply, stone, index):
    """Set the node at the next ply to the position after the move of this index."""
    boards[ply + 1, OWN], boards[ply + 1, OTHER] = boards[ply, OTHER], boards[ply, OWN] | stone
    boards[ply + 1, OWN_WINS] = boards[ply, OTHER_WINS] & ~stone
    boards[ply + 1, OTHER_WINS] = wins[ply, index]


@inner_kernel
def _value_of_leaves(rules, grid, plan, rooms, ply, player, free):
    """The value of a node one ply above the leaves, where no move wins at once."""
    own, other = rooms.boards[ply, OWN], rooms.boards[ply, OTHER]
    if plan.heuristic < 0 or (free == grid.board & ~(own | other) and _is_single(free)):
        return np.int64(0)  # no estimate, or the board is full after the only move
    points, masks = rooms.points, rooms.masks
    wins = rooms.boards[ply, OTHER_WINS]
    points_of_moves(rules, grid, own, other, wins, (player + ply) & 1, masks, points)
    value = np.int64(-INFINITY)
    for move in range(points.size):
        value = max(value, points[move] if masks[move] & free != ZERO else -INFINITY)
    return value


@inner_kernel
def _best_moves(rules, grid, plan, rooms, player, moves, depth):
    """Search some root moves to a depth; returns their value and the set of the best.

    No root move wins at once; if the search is deeper than a ply, no reply to ``moves`` does.
    Without a heuristic the first move is enough if it does not lose.
    """
    boards, bounds, masks = rooms.boards, rooms.bounds, rooms.masks
    ply, entering, value, best_moves, move = 0, True, np.int64(0), ZERO, ZERO
    bounds[0, ALPHA] = -INFINITY
    bounds[0, BETA] = INFINITY if plan.heuristic >= 0 else 0
    while ply >= 0:
        occupied, node = boards[ply, OWN] | boards[ply, OTHER], bounds[ply]
        threats = boards[ply, OTHER_WINS]
        if entering:
            entering = False
            free = playable(grid, occupied) if ply > 0 else moves
            if free == ZERO:
                value = np.int64(0)
                ply -= 1
                continue
            if boards[ply, OWN_WINS] & free != ZERO:
                value = np.int64(WIN - ply - 1)
                ply -= 1
                continue
            if ply == depth - 1:
                value = _value_of_leaves(rules, grid, plan, rooms, ply, player, free)
                ply -= 1
                continue
            forced = threats & free
            if not _is_single(forced):
                value = np.int64(ply + 2 - WIN)
                ply -= 1
                continue
            boards[ply, MOVES] = moves if ply == 0 else forced if forced != ZERO else free
            node[BEST], node[CURSOR] = -INFINITY, 0
            if ply > 0:
                own, other = boards[ply, OWN], boards[ply, OTHER]
                complete_after(grid, own, other, masks, rooms.wins[ply])
        elif ply > 0:
            node[BEST] = max(node[BEST], -value)
        else:
            if -value > node[BEST]:
                node[BEST], best_moves = -value, move
            elif -value == node[BEST]:
                best_moves |= move
            if node[BEST] < node[BETA]:
                node[BETA] = INFINITY
        index, stone = node[CURSOR], ZERO
        while stone == ZERO and index < masks.size and node[BEST] < node[BETA]:
            stone = boards[ply, MOVES] & masks[index]
            index += 1
            if stone != ZERO and threats & playable(grid, occupied | stone) != ZERO:
                node[BEST] = max(node[BEST], ply + 2 - WIN)
                stone = ZERO
        node[CURSOR] = index
        if stone == ZERO:
            value = node[BEST]
            ply -= 1
            continue
        _put(boards, rooms.wins, ply, stone, index - 1)
        child = bounds[ply + 1]
        child[ALPHA], child[BETA] = -node[BETA], -max(node[ALPHA], node[BEST])
        if ply == 0:  # distinguish moves of equal value from worse ones
            move = stone
            child[ALPHA], child[BETA] = -INFINITY, 1 - node[BEST]
        ply += 1
        entering = True
    if depth == 1:
        for index in range(masks.size):
            if rooms.points[index] == value:
                best_moves |= masks[index] & moves
    return value, best_moves


@inner_kernel
def _read_off(grid, rooms, moves, depth):
    """The moves to which no reply wins at once, and those that win on the mover's next turn."""
    boards, masks = rooms.boards, rooms.masks
    occupied = boards[0, OWN] | boards[0, OTHER]
    safe, won = ZERO, ZERO
    for index in range(masks.size):
        stone = moves & masks[index]
        if stone == ZERO or boards[0, OTHER_WINS] & playable(grid, occupied | stone) != ZERO:
            continue
        safe |= stone
        if depth >= 3:
            wins, replies = rooms.wins[0, index], playable(grid, occupied | stone)
            forced = wins & replies
            # after the reply, the cell above may win
            opened = wins >> ONE if grid.falls else ZERO
            replies = forced if forced != ZERO else replies
            if not _is_single(forced) or (replies != ZERO and replies & ~opened == ZERO):
                won |= stone
    return safe, won


@inner_kernel
def choose(rules, grid, plan, rooms, position):
    """The action of the search, BY_HISTORY, or NO_ACTION if only the general search can decide."""
    boards, masks, sets = rooms.boards, rooms.masks, rooms.sets
    own, other = stones(rules, position)
    player, empty = np.int64(position.ply & 1), grid.board & ~(own | other)
    moves = _without_copies(rooms, own, other, playable(grid, own | other))
    boards[0, OWN], boards[0, OTHER], boards[0, OWN_WINS] = own, other, ZERO
    boards[0, OTHER_WINS] = completing_cells(other, empty, grid.rows, grid.connect)
    # 1. How the search ends: with a win, or before all moves are seen to lose at once.
    safe, won, last = ZERO, moves & completing_cells(own, empty, grid.rows, grid.connect), 1
    if won == ZERO and plan.depth > 1:
        complete_after(grid, own, other, masks, rooms.wins[0])
        safe, won = _read_off(grid, rooms, moves, plan.depth)
        last = 3 if won != ZERO else plan.depth if safe != ZERO else 1
        if last == 1 and not (plan.iterative or plan.resists):
            won = moves
    # 2. The best moves of the last iteration; if there are several, of the previous one.
    level, sets[last] = last, won
    while True:
        if level < last or won == ZERO:
            searched, value = safe if level > 1 else moves, np.int64(0)
            if not _is_single(searched) and (plan.heuristic >= 0 or level > 3):
                value, searched = _best_moves(rules, grid, plan, rooms, player, searched, level)
            if value < -PROVEN and plan.resists:
                # All lose equally late: the best by the heuristic, if it is unique.
                if plan.heuristic >= 0 and not _is_single(searched):
                    _, searched = _best_moves(rules, grid, plan, rooms, player, searched, 1)
                if not _is_single(searched):
                    return np.int64(NO_ACTION)
            sets[level] = searched
        if level == 1 or not plan.iterative or _is_single(sets[level]):
            break
        level -= 1
    # 3. The best move of the previous iteration comes first, then the order of the actions.
    best = _first(masks, sets[level])
    while level < last:
        level += 1
        if best & sets[level] == ZERO:
            if level >= HISTORY_PLIES and plan.history and not _is_single(sets[level]):
                return np.int64(BY_HISTORY)
            best = _first(masks, sets[level])
    for index in range(masks.size):
        if masks[index] & best != ZERO:
            return rooms.actions[index]
    return np.int64(NO_ACTION)


@inner_kernel
def choose_by_history(rooms, history):
    """After BY_HISTORY from :func:`choose`: the one of the best moves with the most cut-offs.

    ``history`` (int64, by action) is from the previous iterations, for the player to move.
    """
    best, most = np.int64(NO_ACTION), np.int64(-1)
    for index in range(rooms.masks.size):
        if rooms.masks[index] & rooms.sets[HISTORY_PLIES] != ZERO:
            cut_offs = history[rooms.actions[index]]
            if cut_offs > most:
                best, most = rooms.actions[index], cut_offs
    return best
