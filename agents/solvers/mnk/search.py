"""The search of the m,n,k solver: who wins, on bitboards.

Cell (row, column) is bit ``row * (cols + 1) + column``; the spare column keeps rows apart. Players
alternate strictly, so values, +1 a win for the side to move, 0 a draw, −1 a loss, are negated from
ply to ply. One pass over the lines of a position yields all the search needs: winning cells of both
sides, which cells still matter, whether a side can win at all, and an order of the moves.

Sources: Allis, "Searching for solutions in games and artificial intelligence", 1994 (threats); van
den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", 2002.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.bits import lowest_bit_index
from ....envs.compiled.kernels import inner_kernel, kernel
from ....envs.compiled.randomness import mix64
from ....envs.games.tic_tac_toe import TicTacToe

ZERO, ONE, BYTE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(255), np.uint64(8)
SALT = np.uint64(0xA0761D6478BD642F)
ENTRY = np.dtype(
    (
        np.record,
        [
            ("own", np.uint64),
            ("opp", np.uint64),
            ("lower", np.int8),
            ("upper", np.int8),
            ("move", np.int8),
            ("used", np.int8),
        ],
    ),
    align=True,
)
NO_MOVE = -1
MOST_CELLS = 64
ENTER, ADVANCE, LEAVE, DONE = range(4)  # what to do next at the current ply
# of a cell in an open line, by the stones already in it
WEIGHTS = np.array([1, 4, 16, 64, 256, 1024, 4096, 16384, 65536], np.int64)


class Board(NamedTuple):
    """What the search knows of a board."""

    cells: int
    connect: int
    all_cells: np.uint64
    lines: Any  # uint64, (lines,): every row of `connect` cells
    images: Any  # uint64, (symmetries, 8, 256): where the bits of each byte go
    # positions with at most so many stones are looked up under all symmetries
    symmetric_stones: int


class Stack(NamedTuple):
    """The plies of a search in progress."""

    owns: Any  # uint64, (plies,): stones of the side to move
    opps: Any  # uint64, (plies,)
    windows: Any  # int64, (plies, 3): alpha, beta, alpha on entering
    bests: Any  # int64, (plies, 2): best value so far, its move
    cursors: Any  # int64, (plies, 2): next move, number of moves
    moves: Any  # int8, (plies, 64)
    scores: Any  # int64, (64,)
    registers: Any  # int64, (4,): ply, what to do, value, nodes


def make_board(rules: TicTacToe) -> Board:
    """Lines and symmetries of a board whose rows with a spare column fit 64 bits."""
    rows, cols, connect = rules.rows, rules.cols, rules.connect

    def bit(row: int, col: int) -> int:
        return row * (cols + 1) + col

    lines = []
    for row_step, col_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(rows):
            for col in range(cols):
                cells = [(row + i * row_step, col + i * col_step) for i in range(connect)]
                if all(0 <= y < rows and 0 <= x < cols for y, x in cells):
                    lines.append(sum(1 << bit(y, x) for y, x in cells))
    maps = [
        lambda y, x: (y, x),
        lambda y, x: (y, cols - 1 - x),
        lambda y, x: (rows - 1 - y, x),
        lambda y, x: (rows - 1 - y, cols - 1 - x),
    ]
    if rows == cols:
        maps += [lambda y, x, inner=inner: inner(y, x)[::-1] for inner in maps[:4]]  # type: ignore[misc]
    images = np.zeros((len(maps), 8, 256), np.uint64)
    for index, image in enumerate(maps):
        for byte in range(8):
            for value in range(256):
                targets = 0
                for offset in range(8):
                    row, col = divmod(8 * byte + offset, cols + 1)
                    if value >> offset & 1 and row < rows and col < cols:
                        targets |= 1 << bit(*image(row, col))
                images[index, byte, value] = targets
    everything = sum(1 << bit(row, col) for row in range(rows) for col in range(cols))
    return Board(
        rows * cols,
        connect,
        np.uint64(everything),
        np.array(lines, np.uint64),
        images,
        max(4, rows * cols // 2),
    )


def make_stack(board: Board) -> Stack:
    plies = board.cells + 2
    windows, bests, cursors = (np.zeros((plies, columns), np.int64) for columns in (3, 2, 2))
    stones = np.zeros((2, plies), np.uint64)
    return Stack(
        stones[0],
        stones[1],
        windows,
        bests,
        cursors,
        np.zeros((plies, 64), np.int8),
        np.zeros(64, np.int64),
        np.zeros(4, np.int64),
    )


def make_table(megabytes: int) -> np.recarray[Any, Any]:
    """A table of a power of two of entries within the memory given."""
    entries = 1
    while entries * 2 * ENTRY.itemsize <= megabytes * 2**20:
        entries *= 2
    return np.zeros(entries, ENTRY).view(np.recarray)


@kernel
def begin(stack, own, opp, alpha, beta):
    """Set the stack for a search of one position within a window."""
    stack.owns[0], stack.opps[0] = own, opp
    stack.windows[0, 0], stack.windows[0, 1] = alpha, beta
    stack.bests[0, 1] = NO_MOVE
    stack.registers[:] = 0
    stack.registers[1] = ENTER


@inner_kernel
def run(board, table, stack, nodes_allowed):
    """Search on for at most so many nodes; whether the search is complete (its value is then in
    ``registers[2]``).
    """
    owns, opps, windows, bests, cursors, moves, scores, registers = stack
    lines, images = board.lines, board.images
    ply, state, value, nodes = registers[0], registers[1], registers[2], registers[3]
    limit = nodes + nodes_allowed
    while state != DONE:
        if state == ENTER:
            if nodes >= limit:
                break
            nodes += 1
            windows[ply, 2] = windows[ply, 0]
            own, opp, at_root = owns[ply], opps[ply], ply == 0
            state, value = enter_node(
                board,
                lines,
                images,
                table,
                own,
                opp,
                at_root,
                windows[ply],
                bests[ply],
                cursors[ply],
                moves[ply],
                scores,
            )
        elif state == LEAVE:
            if ply == 0:
                state = DONE
            else:
                ply -= 1
                value = -value
                if value > bests[ply, 0]:
                    bests[ply, 0], bests[ply, 1] = value, np.int64(moves[ply, cursors[ply, 0] - 1])
                windows[ply, 0] = max(windows[ply, 0], value)
                state = ADVANCE
        elif cursors[ply, 0] == cursors[ply, 1] or windows[ply, 0] >= windows[ply, 1]:
            value = bests[ply, 0]
            remember(
                board, images, table, owns[ply], opps[ply], windows[ply], bests[ply], cursors[ply]
            )
            state = LEAVE
        else:
            move = np.int64(moves[ply, cursors[ply, 0]])
            cursors[ply, 0] += 1
            owns[ply + 1], opps[ply + 1] = opps[ply], owns[ply] | (ONE << np.uint64(move))
            windows[ply + 1, 0], windows[ply + 1, 1] = -windows[ply, 1], -windows[ply, 0]
            ply += 1
            state = ENTER
    registers[0], registers[1], registers[2], registers[3] = ply, state, value, nodes
    return state == DONE


@inner_kernel
def enter_node(board, lines, images, table, own, opp, at_root, window, best, cursor, moves, scores):
    """Visit a position: returns LEAVE with its value, or ADVANCE with its moves in order."""
    empty = board.all_cells & ~(own | opp)
    # 1. One pass over the lines: who can still win where, and what each cell counts for.
    scores[:] = 0
    wins, dangers, live, own_open, opp_open = ZERO, ZERO, ZERO, False, False
    for i in range(lines.size):
        line = lines[i]
        mine, theirs = line & own, line & opp
        if mine != ZERO and theirs != ZERO:
            continue
        free = line & empty
        stones = 0
        rest = mine | theirs
        while rest != ZERO:
            rest &= rest - ONE
            stones += 1
        if theirs == ZERO:
            own_open = True
            if stones == board.connect - 1:
                wins |= free
        if mine == ZERO:
            opp_open = True
            if stones == board.connect - 1:
                dangers |= free
        live |= free
        weight = WEIGHTS[min(stones, 8)]
        while free != ZERO:
            scores[lowest_bit_index(free)] += weight
            free &= free - ONE
    # 2. A win at once; the end of the board; sides that cannot win any more.
    if wins != ZERO:
        best[1] = lowest_bit_index(wins)
        return LEAVE, np.int64(1)
    if empty == ZERO or (not own_open and not opp_open):
        return LEAVE, np.int64(0)
    upper, lower = np.int64(own_open), -np.int64(opp_open)
    if lower >= window[1]:
        return LEAVE, lower
    if upper <= window[0]:
        return LEAVE, upper
    # 3. Two threats at once cannot be met, one must be.
    if dangers != ZERO:
        if dangers & (dangers - ONE) != ZERO:
            return LEAVE, np.int64(-1)
        moves[0] = lowest_bit_index(dangers)
        cursor[0], cursor[1] = 0, 1
        best[0], best[1] = -2, NO_MOVE
        return ADVANCE, np.int64(0)
    # 4. What the table knows.
    first = NO_MOVE
    index, symmetry = locate(board, images, table, own, opp)
    entry = table[index]
    a, b = image_of(images, symmetry, own), image_of(images, symmetry, opp)
    if entry.used and entry.own == a and entry.opp == b:
        if not at_root and (entry.lower == entry.upper or entry.lower >= window[1]):
            return LEAVE, np.int64(entry.lower)
        if not at_root and entry.upper <= window[0]:
            return LEAVE, np.int64(entry.upper)
        if symmetry == 0:
            first = np.int64(entry.move)
    # 5. The moves that matter, the heaviest cells first; all cells that lie in no open line are one
    #    and the same waiting move.
    dead = empty & ~live
    candidates = live & empty
    if dead != ZERO:
        candidates |= dead & (~dead + ONE)
    count = 0
    while candidates != ZERO:
        cell = lowest_bit_index(candidates)
        candidates &= candidates - ONE
        score = scores[cell] if cell != first else np.int64(1) << 40
        at = count
        while (
            at > 0
            and (scores[moves[at - 1]] if moves[at - 1] != first else np.int64(1) << 40) < score
        ):
            moves[at] = moves[at - 1]
            at -= 1
        moves[at] = cell
        count += 1
    cursor[0], cursor[1] = 0, count
    best[0], best[1] = -2, NO_MOVE
    return ADVANCE, np.int64(0)


@inner_kernel
def image_of(images, symmetry, stones):
    """Stones under a symmetry, byte by byte."""
    if symmetry == 0:
        return stones
    image = ZERO
    for byte in range(8):
        image |= images[symmetry, byte, (stones >> np.uint64(8 * byte)) & BYTE]
    return image


@inner_kernel
def locate(board, images, table, own, opp):
    """The table index of a position and the symmetry under which it stands there: the one with the
    lowest hash.
    """
    lowest, best = mix64(own) ^ mix64(opp ^ SALT), 0
    stones, rest = 0, own | opp
    while rest != ZERO:
        rest &= rest - ONE
        stones += 1
    if stones <= board.symmetric_stones:
        for symmetry in range(1, images.shape[0]):
            hashed = mix64(image_of(images, symmetry, own)) ^ mix64(
                image_of(images, symmetry, opp) ^ SALT
            )
            if hashed < lowest:
                lowest, best = hashed, symmetry
    return np.int64(lowest & np.uint64(table.size - 1)), best


@inner_kernel
def remember(board, images, table, own, opp, window, best, cursor):
    """Enter what the search of a position proved; forced replies are found again at no cost and not
    entered.
    """
    if cursor[1] == 1:
        return
    index, symmetry = locate(board, images, table, own, opp)
    entry = table[index]
    a, b = image_of(images, symmetry, own), image_of(images, symmetry, opp)
    value = best[0]
    if not (entry.used and entry.own == a and entry.opp == b):
        entry.own, entry.opp, entry.used = a, b, 1
        entry.lower, entry.upper = -1, 1
    # A value outside the window it was searched with is a bound, one inside is exact.
    if value > window[2]:
        entry.lower = max(entry.lower, value)
    if value < window[1]:
        entry.upper = min(entry.upper, value)
    entry.move = best[1] if symmetry == 0 else NO_MOVE
