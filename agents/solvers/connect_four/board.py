"""Connect-four bitboards for the exact solver: threats, forced moves, proofs without search, keys.

A position is two sets of cells, the stones of the side to move (``own``) and of the other side
(``opp``), in the layout of the position record: cell (row from the bottom, column) is bit ``column
* (rows + 1) + row``. The value of a position is +k if the side to move wins with its k-th last
stone; −k if the other side does; 0 for a draw. A *node* here is a position whose side to move
cannot win at once: its parent skips moves that would allow that.

Sources: Pons, "Solving Connect 4: how to build a perfect AI" (threat bitboards, moves that lose at
once, keys); Steininger's solver c4 (following forced moves); Allis, "A knowledge-based approach of
connect-four", 1988 (claimeven and baseinverse, here as proofs for whole boards only).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import kernel
from ....envs.games.connect_four.rules import ConnectFour

NO_BOUND = 99
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


class ConnectFourBoard(NamedTuple):
    """A board for the kernels; sets of cells and shifts are uint64.

    Attributes:
        cells, cols, connect: numbers of cells and columns, stones in a row that win.
        vertical, across, diagonal: whether rows of these directions fit on the board; if so, their
            shifts stay below 64 bits.
        all_of_four: whether four in a row win and rows of all directions fit; this case has faster
            code.
        height: rows + 1, the distance between neighbours in a row.
        playable: all cells.
        bottom: the lowest cell of every column.
        column: the lowest column, its spare bit included.
        reciprocal: 65536 / height, rounded up, to divide by height.
        quiet_rows: the cells of a side that must start every column: rows of the parity of
            ``rows``, counted from 0 at the bottom.
    """

    cells: int
    cols: int
    connect: int
    vertical: bool
    across: bool
    diagonal: bool
    all_of_four: bool
    height: np.uint64
    playable: np.uint64
    bottom: np.uint64
    column: np.uint64
    quiet_rows: np.uint64
    reciprocal: int


def make_board(rules: ConnectFour) -> ConnectFourBoard:
    """The board of a game."""
    bottom = sum(1 << (column * (rules.rows + 1)) for column in range(rules.cols))
    vertical, across = rules.rows >= rules.connect, rules.cols >= rules.connect
    return ConnectFourBoard(
        cells=rules.rows * rules.cols,
        cols=rules.cols,
        connect=rules.connect,
        vertical=vertical,
        across=across,
        diagonal=vertical and across,
        all_of_four=rules.connect == 4 and vertical and across,
        height=np.uint64(rules.rows + 1),
        playable=np.uint64(bottom * ((1 << rules.rows) - 1)),
        bottom=np.uint64(bottom),
        column=np.uint64((1 << (rules.rows + 1)) - 1),
        quiet_rows=np.uint64(
            sum(bottom << row for row in range(rules.rows) if row % 2 == rules.rows % 2)
        ),
        reciprocal=65536 // (rules.rows + 1) + 1,
    )


@kernel
def winning_cells(board, stones, occupied):
    """The free cells on which one more stone completes a row, playable yet or not."""
    if not board.all_of_four:
        return _winning_cells_of_any_length(board, stones) & (board.playable ^ occupied)
    cells = (stones << ONE) & (stones << TWO) & (stones << THREE)
    for direction in range(3):
        step = board.height + np.uint64(direction) - ONE
        twice = step << ONE
        pair = (stones << step) & (stones << twice)
        cells |= pair & ((stones << (step + twice)) | (stones >> step))
        pair = (stones >> step) & (stones >> twice)
        cells |= pair & ((stones >> (step + twice)) | (stones << step))
    return cells & (board.playable ^ occupied)


@kernel
def fits(board, direction):
    """Whether rows of a direction fit: 0 goes up, 2 across, 1 and 3 diagonally down and up."""
    if direction == 0:
        return board.vertical
    return board.across if direction == 2 else board.diagonal


@kernel
def _winning_cells_of_any_length(board, stones):
    """The cells that complete a row, free or not, for any number of stones in a row.

    For every direction and every position of the missing stone in the row, the cells whose row has
    all other stones.
    """
    cells = ZERO
    for direction in range(4):
        if not fits(board, direction):
            continue
        step = ONE if direction == 0 else board.height + np.uint64(direction) - TWO
        for below in range(board.connect):
            others = ~ZERO
            for i in range(1, below + 1):
                others &= stones << (step * np.uint64(i))
            for i in range(1, board.connect - below):
                others &= stones >> (step * np.uint64(i))
            cells |= others
    return cells


@kernel
def has_row(board, stones):
    """Whether a set of cells holds a row."""
    if board.all_of_four:
        for direction in range(4):
            step = ONE if direction == 0 else board.height + np.uint64(direction) - TWO
            run = stones & (stones >> step)
            if run & (run >> (step << ONE)) != ZERO:
                return True
        return False
    for direction in range(4):
        if fits(board, direction):
            step = ONE if direction == 0 else board.height + np.uint64(direction) - TWO
            run = stones
            for i in range(1, board.connect):
                run &= stones >> (step * np.uint64(i))
            if run != ZERO:
                return True
    return False


@kernel
def column_at(board, cell):
    """The column of a cell."""
    return (count_bits(cell - ONE) * board.reciprocal) >> 16


@kernel
def win_at_once(board, own, opp):
    """The cells on which the side to move can win now."""
    occupied = own | opp
    return winning_cells(board, own, occupied) & (occupied + board.bottom)


@kernel
def safe_moves(board, own, opp, threats):
    """The moves that do not lose at once, for a side to move that cannot win at once.

    ``threats`` are the winning cells of the other side.
    """
    occupied = own | opp
    moves = (occupied + board.bottom) & board.playable
    blocks = moves & threats
    if blocks != ZERO:
        moves = blocks if blocks & (blocks - ONE) == ZERO else ZERO
    return moves & ~(threats >> ONE)


@kernel
def _follow_up_bound(board, own, opp, left, beta):
    """A bound that answers "is the value at least beta?", or NO_BOUND.

    It is proved by a follow-up strategy.

    If every column has an even number of free cells, the side that is not to move can always answer
    in the same column. Then the cells of ``quiet_rows`` go to the side to move and the others to
    the follower (claimeven). Two columns with an odd number of free cells are made even by
    answering one of their lowest free cells with the other (baseinverse): each side gets one of the
    two. So the side to move gets no more than the quiet cells and the lowest cells of odd columns,
    and the follower at least the rest. If the number of free cells is odd, the side to move can
    make itself the follower by playing in an odd column.
    """
    occupied = own | opp
    free = board.playable ^ occupied
    quiet = free & board.quiet_rows
    lowest = free & (occupied + board.bottom) & ~board.quiet_rows
    if left & 1 == 0:
        if beta < 0:
            if not has_row(board, opp | free):
                return 0
            return NO_BOUND
        if beta > 0 and not has_row(board, own | free):
            return 0
        if has_row(board, own | quiet | lowest):
            return NO_BOUND
        if beta > 0:
            return 0
        return -1 if has_row(board, opp | (free & ~quiet & ~lowest)) else NO_BOUND
    if beta > 1:
        if not has_row(board, own | free):
            return 0
        return NO_BOUND
    if beta <= 0 and not has_row(board, opp | free):
        return 0
    if lowest & (lowest - ONE) == ZERO:
        if has_row(board, opp | quiet):
            return NO_BOUND
        if beta <= 0:
            return 0
        return 1 if has_row(board, own | (free & ~quiet)) else NO_BOUND
    if has_row(board, opp | quiet | lowest):
        return NO_BOUND
    return 0 if beta <= 0 else NO_BOUND


@kernel
def follow(board, own, opp, threats, stones, beta):
    """Follow forced moves and bound the node where they end, without search.

    ``threats`` are the other side's winning cells, ``stones`` is how many are on the board,
    ``beta`` is the question "is the value at least beta?". A move is forced if it is the only one
    that does not lose at once.

    Returns (decided, value, own, opp, stones, beta, moves, other_side): the node where forced moves
    end, seen from its own side to move. ``other_side`` is 1 if that is the opponent. If the first
    is true, ``value`` answers its question: at least ``beta`` (then a lower bound) or below (then
    an upper bound). Otherwise ``moves`` are the cells that do not lose at once, two or more.
    """
    other_side = 0
    while True:
        left = board.cells - stones
        if left == 0:
            return True, 0, own, opp, stones, beta, ZERO, other_side
        # 1. Moves: block the other side's winning cells, and never play below such a cell.
        moves = safe_moves(board, own, opp, threats)
        if moves == ZERO:
            return True, -(left // 2), own, opp, stones, beta, ZERO, other_side
        # 2. No side wins within two plies.
        upper = (left - 1) // 2
        if upper < beta:
            return True, upper, own, opp, stones, beta, ZERO, other_side
        lower = -max((left - 2) // 2, 0)
        if lower >= beta:
            return True, lower, own, opp, stones, beta, ZERO, other_side
        if moves & (moves - ONE) != ZERO:
            value = _follow_up_bound(board, own, opp, left, beta)
            if value != NO_BOUND:
                return True, value, own, opp, stones, beta, ZERO, other_side
            return False, 0, own, opp, stones, beta, moves, other_side
        # 3. The only move is made; the question turns round: v >= beta means not (-v >= 1 - beta).
        own, opp = opp, own | moves
        threats = winning_cells(board, opp, own | opp)
        stones += 1
        beta = 1 - beta
        other_side ^= 1


@kernel
def mirror(board, cells):
    """The set of cells, spare bits included, mirrored left to right."""
    image = ZERO
    for _ in range(board.cols):
        image = (image << board.height) | (cells & board.column)
        cells >>= board.height
    return image


@kernel
def key_of(board, own, opp):
    """The key of a position, and whether it comes from its mirror image. It is never 0.

    It is the own stones plus one bit on top of each column, and the smaller of the keys of a
    position and its mirror image.
    """
    key = own | ((own | opp) + board.bottom)
    image = mirror(board, key)
    if image < key:
        return image, True
    return key, False
