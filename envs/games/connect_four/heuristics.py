"""The heuristics of connect four, on bitboards.

The layout of the bitboards is that of :mod:`.rules`.
"""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...compiled.bits import count_bits
from ...compiled.kernels import kernel
from .rules import ONE, ZERO, ConnectFour

THREATS, WINDOWS = range(2)  # heuristics, in the order of the declaration
EVERY_SECOND = np.uint64(0x5555555555555555)

# Points of the `threats` heuristic.
OPEN_LINE = 2  # a line of `connect` cells without an opponent's disc
THREAT = 12  # an empty cell that would complete a row
# more, if the cell's row is one the player is likely to get: odd rows for player 0, even rows for
# player 1
GOOD_PARITY = 40
DEEP_LOSS = 4000  # the opponent threatens to win at once in two places


@kernel
def completing_cells(stones, empty, rows, connect):
    """The empty cells on which one more stone completes ``connect`` in a row.

    The other stones of the row may be on either side of the cell.
    """
    wins = ZERO
    for direction in range(4):
        step = np.uint64(1 if direction == 0 else rows + direction - 1)
        if connect == 4:  # the usual game, unrolled: every leaf of a search calls this
            before_1, after_1 = stones << step, stones >> step
            before_2, after_2 = before_1 & (before_1 << step), after_1 & (after_1 >> step)
            before_3, after_3 = (
                before_2 & (before_1 << (step + step)),
                after_2 & (after_1 >> (step + step)),
            )
            wins |= before_3 | (before_2 & after_1) | (before_1 & after_2) | after_3
        else:
            before = ~ZERO
            for gap in range(connect):
                cells, after = before, stones
                for _ in range(connect - 1 - gap):
                    after = after >> step
                    cells &= after
                wins |= cells
                before = (before << step) & (stones << step)
    return wins & empty


@kernel
def _count_open_lines(cells, rows, connect):
    """How many lines of ``connect`` are wholly within ``cells``."""
    lines = 0
    for direction in range(4):
        step = 1 if direction == 0 else rows + direction - 1
        run, length = cells, 1
        while length < connect:
            more = min(length, connect - length)
            run &= run >> np.uint64(step * more)
            length += more
        lines += count_bits(run)
    return lines


@kernel
def _bottom_cells(rows, cols):
    """The lowest cell of every column."""
    bottom = ZERO
    for col in range(cols):
        bottom |= ONE << np.uint64(col * (rows + 1))
    return bottom


@kernel
def threats(stones, first, player_to_move, rows, cols, connect):
    """``threats``, from player ``first``'s side: open lines, and cells that complete a row.

    As columns fill up, player 0 gets the cells of odd rows and player 1 those of even rows, so a
    threat there decides the endgame; the lower of two threats in a column counts, since the
    other is never reached. Source: Allis, "A knowledge-based approach of connect-four", 1988.
    """
    bottom = _bottom_cells(rows, cols)
    # Multiplied by the bottom cells, the pattern of one column becomes that of all columns.
    column = (ONE << np.uint64(rows)) - ONE
    board, odd_rows = column * bottom, (column & EVERY_SECOND) * bottom
    occupied = stones[0] | stones[1]
    empty = board & ~occupied
    playable = (occupied + bottom) & board
    points = OPEN_LINE * (
        _count_open_lines(board & ~stones[1], rows, connect)
        - _count_open_lines(board & ~stones[0], rows, connect)
    )
    winning = (
        completing_cells(stones[0], empty, rows, connect),
        completing_cells(stones[1], empty, rows, connect),
    )
    # A cell above one where the opponent wins is never reached, nor one above an own threat.
    above = ((winning[0] | winning[1]) & ~playable) << ONE
    unreachable = ZERO
    while above != ZERO:
        unreachable |= above
        above = (above << ONE) & board
    for player in range(2):
        sign = 1 if player == 0 else -1
        later = winning[player] & ~playable & ~unreachable
        likely = odd_rows if player == 0 else board & ~odd_rows
        points += sign * (THREAT * count_bits(later) + GOOD_PARITY * count_bits(later & likely))
        now = count_bits(winning[player] & playable)
        if (now > 0 and player == player_to_move) or now > 1:
            points += sign * DEEP_LOSS
    return points if first == 0 else -points


@kernel
def windows(own, other, rows, cols, connect):
    """``windows``: windows of ``connect`` cells that only one side occupies count for that side.

    They count ±50 with one disc missing and ±3 with two missing; each disc in the centre column
    (on an even width in either of the two) counts ±1. The heuristic is that of the connect-four
    course project this suite started from.
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
