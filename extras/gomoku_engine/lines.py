"""The common part of the search forms of gomoku: lines of cells, and shared rules.

A line is a whole number with two bits for each cell, so that the neighbours of a cell in one
direction are a shift and a mask away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...agents.own.search_form import is_own_image, load_record
from ...envs import rules as r
from ...envs.boards import stones
from ...envs.boards.stones import count_run
from ...envs.compiled.dispatch import missing, rule
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.compiled.randomness import mix64
from ...envs.games.gomoku.patterns import CELL_BITS, REACH
from ...envs.games.gomoku.rules import list_near

LONGEST_LINE = stones.LONGEST_SIDE
LINES = 2 * LONGEST_LINE + 2 * (2 * LONGEST_LINE - 1)  # rows, columns, and the diagonals either way
FIRST_COLUMN, FIRST_DIAGONAL, FIRST_ANTIDIAGONAL = (
    LONGEST_LINE,
    2 * LONGEST_LINE,
    4 * LONGEST_LINE - 1,
)
LINE_BITS = CELL_BITS * (LONGEST_LINE + 2 * REACH)
ALL_WALL = (1 << LINE_BITS) - 1
EVEN_BITS = ALL_WALL // 3  # the lower bit of each cell of a line

# `stones` holds a bit mask of the occupied cells of each row; `lines` two bits for each cell (0
# free, 1 black, 2 white, 3 off the board), REACH cells off the board before the first.
BOARD_FIELDS: list[tuple[Any, ...]] = [
    *stones.POSITION,
    ("stones", np.int32, LONGEST_LINE),
    ("lines", np.int64, LINES),
]


def _as_inner_kernel(body: Any) -> Any:
    """A kernel compiled once more, without reference counts."""
    return inner_kernel(getattr(body, "py_func", body))


count_equal: Any = _as_inner_kernel(count_run)
move_out_of_turn: Any = _as_inner_kernel(stones.move_out_of_turn)


@inner_kernel
def step_of(direction):
    """The step in rows and in columns of a direction.

    The four directions are along a row, a column, a diagonal and an antidiagonal.
    """
    return (0 if direction == 0 else 1), (
        1 if direction == 0 else 0 if direction == 1 else 5 - 2 * direction
    )


@inner_kernel
def cells_to_next(rules, direction):
    """The difference between the numbers of adjacent cells in a direction of :func:`line_of`."""
    if direction == 0:
        return 1
    return rules.cols + direction - 1 if direction < 3 else 1 - rules.cols


@inner_kernel
def list_free(rules, position, radius, out):
    """The free cells within ``radius`` of a stone, or all of them, ascending."""
    if position.winner != r.NOBODY:
        return 0
    if radius > 0:
        if position.ply != 0:
            return list_near(rules, position.stones, radius, out)
        out[0] = rules.rows // 2 * rules.cols + rules.cols // 2
        return 1
    count = 0
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] == 0:
            out[count] = cell
            count += 1
    return count


@inner_kernel
def line_of(rules, row, column, direction):
    """The line through a cell in a direction.

    The place of the cell in the line is its row for columns, else its column.
    """
    if direction == 0:
        return row
    if direction == 1:
        return FIRST_COLUMN + column
    if direction == 2:
        return FIRST_DIAGONAL + row - column + LONGEST_LINE - 1
    return FIRST_ANTIDIAGONAL + row + column


@inner_kernel
def clear_board(rules, position):
    """The empty board: the part of ``start`` shared by all forms."""
    lines = position.lines
    position.cells[:] = 0
    position.winner, position.ply, position.hash = r.NOBODY, 0, 0
    position.stones[:] = 0
    lines[:] = ALL_WALL
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        for direction in range(4):
            place = row if direction == 1 else column
            lines[line_of(rules, row, column, direction)] &= ~(
                np.int64(3) << (CELL_BITS * (place + REACH))
            )


@inner_kernel
def occupy(rules, position, action, player):
    """Put a stone on the board: the part of ``put`` shared by all forms."""
    row, column = action // rules.cols, action % rules.cols
    position.cells[action] = player + 1
    position.ply += 1
    position.hash ^= mix64(np.uint64(2 * action + player + 1))
    position.stones[row] |= 1 << column
    for direction in range(4):
        place = row if direction == 1 else column
        position.lines[line_of(rules, row, column, direction)] |= (player + 1) << (
            CELL_BITS * (place + REACH)
        )


@inner_kernel
def vacate(rules, position, action):
    """Remove the last stone: the inverse of :func:`occupy`."""
    row, column = action // rules.cols, action % rules.cols
    position.hash ^= mix64(np.uint64(2 * action + position.cells[action]))
    position.cells[action] = 0
    position.ply -= 1
    position.winner = r.NOBODY
    position.stones[row] &= ~(1 << column)
    for direction in range(4):
        place = row if direction == 1 else column
        position.lines[line_of(rules, row, column, direction)] &= ~(
            np.int64(3) << (CELL_BITS * (place + REACH))
        )


@rule
def put(rules, position, action, player):
    """Put a stone of ``player`` on a free cell and update all fields but the winner."""
    raise missing(rules, "put")


@kernel
def set_up(rules, cells, winner, is_out_of_turn, position):
    """Make ``position`` the one with these cells, this winner and this turn."""
    r.start(rules, position)
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            put(rules, position, cell, np.int64(cells[cell]) - 1)
    position.winner = winner
    if is_out_of_turn:
        move_out_of_turn(position)


@kernel
def load(rules, source, targets):
    """Copy a plain position record into the first of a form's records."""
    set_up(rules, source.cells, source.winner, source.ply < 0, targets[0])


@kernel
def transform(rules, position, permutation, out):
    before = position.cells.copy()  # `out` may be the position itself
    cells = np.zeros_like(before)
    for cell in range(rules.rows * rules.cols):
        cells[permutation[cell]] = before[cell]
    set_up(rules, cells, position.winner, position.ply < 0, out)


@inner_kernel
def _compare_cells(rules, position, permutation, spare):
    """The body of ``is_own_image``: most positions differ from their image in the first cells."""
    for cell in range(rules.rows * rules.cols):
        if position.cells[permutation[cell]] != position.cells[cell]:
            return False
    return True


_SHARED_RULES = [
    (getattr(r, name), _as_inner_kernel(getattr(stones, name)))
    for name in ("is_legal", "to_move", "is_over", "returns", "key")
]


def register_shared_rules(form: Any) -> None:
    """Register for a form's rules type the rules that are the same in all of them."""
    for generic, body in [
        *_SHARED_RULES,
        (r.transform, transform),
        (is_own_image, _compare_cells),
        (load_record, load),
    ]:
        generic.register_body(form)(body)
