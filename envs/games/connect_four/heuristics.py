"""The heuristics of connect four, on bitboards.

The layout of the bitboards is that of :mod:`.rules`.
"""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...boards.bitboards import completing_cells, count_lines, points_of_moves
from ...compiled.bits import count_bits
from ...compiled.kernels import inner_kernel, kernel
from .rules import ONE, ZERO, ConnectFour

THREATS, WINDOWS = range(2)  # heuristics, in the order of the declaration
EVERY_SECOND = np.uint64(0x5555555555555555)

# Points of the `threats` heuristic.
OPEN_LINE = 2  # a line of `connect` cells without an opponent's disc
THREAT = 12  # an empty cell that would complete a row
# bonus if the player is likely to get the cell's row: odd rows for player 0, even rows for player 1
GOOD_PARITY = 40
DEEP_LOSS = 4000  # the opponent threatens to win at once in two places


@kernel
def _bottom_cells(rows, cols):
    """The lowest cell of every column."""
    bottom = ZERO
    for col in range(cols):
        bottom |= ONE << np.uint64(col * (rows + 1))
    return bottom


@kernel
def _likely_cells(player, rows, board, bottom):
    """The cells that a player is likely to get as columns fill up.

    They are those of odd rows for player 0, of even rows for player 1.
    """
    # Multiplied by the bottom cells, the pattern of one column becomes that of all columns.
    odd_rows = (((ONE << np.uint64(rows)) - ONE) & EVERY_SECOND) * bottom
    return odd_rows if player == 0 else board & ~odd_rows


@kernel
def _points_of_wins(mover_wins, waiting_wins, free, mover_cells, waiting_cells, spare):
    """The value of cells that complete a row, from the side of the player to move.

    ``free`` are the playable cells, ``mover_cells`` and ``waiting_cells`` those that the players
    are likely to get, ``spare`` the bits above the columns.
    """
    later = (mover_wins | waiting_wins) & ~free
    # A cell above a winning cell of either player is never reached: subtracting the threats of a
    # column from its spare bit flips all bits above the lowest.
    reached = ~free & ~(later ^ (spare - later))
    mine, theirs, now = mover_wins & reached, waiting_wins & reached, waiting_wins & free
    points = THREAT * (count_bits(mine) - count_bits(theirs))
    points += GOOD_PARITY * (count_bits(mine & mover_cells) - count_bits(theirs & waiting_cells))
    points += DEEP_LOSS if mover_wins & free != ZERO else 0
    return points - (DEEP_LOSS if now & (now - ONE) != ZERO else 0)


@kernel
def threats(stones, first, player_to_move, rows, cols, connect):
    """``threats``, from player ``first``'s side: open lines, and cells that complete a row.

    As columns fill up, player 0 gets the cells of odd rows and player 1 those of even rows, so a
    threat there decides the endgame; the lower of two threats in a column counts, since the
    other is never reached. Source: Allis, "A knowledge-based approach of connect-four", 1988.
    """
    bottom, mover = _bottom_cells(rows, cols), player_to_move
    spare = bottom << np.uint64(rows)
    board = spare - bottom
    own, other = stones[mover], stones[1 - mover]
    empty = board & ~(own | other)
    points = _points_of_wins(
        completing_cells(own, empty, rows, connect),
        completing_cells(other, empty, rows, connect),
        ((own | other) + bottom) & board,
        _likely_cells(mover, rows, board, bottom),
        _likely_cells(1 - mover, rows, board, bottom),
        spare,
    )
    open_lines = count_lines(board & ~other, rows, connect)
    points += OPEN_LINE * (open_lines - count_lines(board & ~own, rows, connect))
    return points if first == mover else -points


@inner_kernel
def _points_of_columns(grid, connect, own, other, other_wins, player, masks, points):
    """The body of :func:`points_of_moves`: the points of :func:`threats`, for all columns at once.

    Its loop is vectorised if ``connect`` is a constant.
    """
    rows, board, bottom = grid.rows, grid.board, grid.bottom
    spare, occupied = bottom << np.uint64(rows), own | other
    mover_cells = _likely_cells(1 - player, rows, board, bottom)  # after the move
    waiting_cells = _likely_cells(player, rows, board, bottom)
    free, open_lines = (occupied + bottom) & board, count_lines(board & ~other, rows, connect)
    for move in range(points.size):
        stone = free & masks[move]
        mine, taken = own | stone, occupied | stone
        wins = completing_cells(mine, board & ~taken, rows, connect)
        points[move] = OPEN_LINE * (
            open_lines - count_lines(board & ~mine, rows, connect)
        ) - _points_of_wins(
            other_wins & ~stone,
            wins,
            (taken + bottom) & board,
            mover_cells,
            waiting_cells,
            spare,
        )


@points_of_moves.register_body(ConnectFour)
@inner_kernel
def _points_of_moves(rules, grid, own, other, other_wins, player, masks, points):
    if grid.connect == 4:
        _points_of_columns(grid, 4, own, other, other_wins, player, masks, points)
    else:
        _points_of_columns(grid, grid.connect, own, other, other_wins, player, masks, points)


@kernel
def windows(own, other, rows, cols, connect):
    """``windows``: windows of ``connect`` cells that only one side occupies count for that side.

    They count ±50 with one disc missing and ±3 with two missing; each disc in the centre column
    (on an even width in either of the two) counts ±1. The heuristic is from the connect-four course
    project that this suite started from.
    """
    height, points = rows + 1, 0
    for direction in range(4):
        step = 1 if direction == 0 else height + direction - 2
        rise = 1 if direction == 0 else direction - 2
        run = 0 if direction == 0 else 1
        window = ZERO
        for i in range(connect):
            window |= ONE << np.uint64(i * step + (0 if rise >= 0 else connect - 1))
        for column in range(cols - run * (connect - 1)):
            for row in range(rows - abs(rise) * (connect - 1)):
                cells = window << np.uint64(column * height + row)
                mine, theirs = count_bits(own & cells), count_bits(other & cells)
                if theirs == 0 and mine > 0:
                    points += points_of_window(connect - mine)
                elif mine == 0 and theirs > 0:
                    points -= points_of_window(connect - theirs)
    column = (ONE << np.uint64(rows)) - ONE
    centre = column << np.uint64(height * (cols // 2))
    centre |= column << np.uint64(height * ((cols - 1) // 2))
    return points + count_bits(own & centre) - count_bits(other & centre)


@kernel
def points_of_window(discs_missing):
    if discs_missing == 0:
        return 1000
    if discs_missing == 1:
        return 50
    return 3 if discs_missing == 2 else 0


@r.evaluate.register_body(ConnectFour)
def evaluate(rules, position, player, heuristic):
    if heuristic == WINDOWS:
        return windows(
            position.stones[player],
            position.stones[1 - player],
            rules.rows,
            rules.cols,
            rules.connect,
        )
    return threats(position.stones, player, position.ply & 1, rules.rows, rules.cols, rules.connect)
