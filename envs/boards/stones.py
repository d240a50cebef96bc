"""Games of placing stones on the cells of a board: the rules that tic-tac-toe and gomoku share.

A rules type with fields ``rows``, ``cols`` and ``connect`` becomes such a game by
:func:`register_stone_rules`; the rule function :func:`completes_row`
decides which rows win. Actions are cells, row-major from the top left; an observation has two
planes, own stones and the opponent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.dispatch import missing, rule
from ..compiled.kernels import kernel
from ..compiled.randomness import SALT_2, mix64, random_below
from ..compiled.scratch import copy_items, stack_array
from ..declaration import Facts
from ..optional.complexity import cells_complexity
from ..profile import Ending
from .grid import cell_symmetries
from .rows import register_stone_rows, seen_cells

LONGEST_SIDE = 20  # the most cells in a row or column: the largest board of Gomocup
CELLS = LONGEST_SIDE**2
COUNTS = LONGEST_SIDE + 1  # numbers of stones in a window
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # (row step, column step)


def record_fields(cells: int) -> list[tuple[Any, ...]]:
    """The fields of a position of at most this many cells."""
    return [("cells", np.int8, cells), ("winner", np.int8), ("ply", np.int16), ("hash", np.uint64)]


POSITION = record_fields(CELLS)
# Added to the ply of a board whose player to move does not follow from the numbers of stones. It is
# odd, so that the ply is even in every position with the first player to move; it makes the ply
# negative, so that these boards can be recognised.
OUT_OF_TURN = -1001


def check_connect(rules: Any) -> str | None:
    """The error for a board on which no row of ``connect`` stones fits; None if one fits."""
    if rules.connect > max(rules.rows, rules.cols):
        return f"{rules.connect} in a row do not fit on {rules.rows} rows and {rules.cols} columns"
    return None


@kernel
def count_run(cells, rows, cols, action, row_step, col_step, stone):
    """The number of cells in a row that hold ``stone``, from ``action`` in one direction.

    The cell ``action`` itself is not counted.
    """
    row, column, length = action // cols + row_step, action % cols + col_step, 0
    while 0 <= row < rows and 0 <= column < cols and cells[row * cols + column] == stone:
        row, column, length = row + row_step, column + col_step, length + 1
    return length


@rule
def completes_row(rules, cells, action):
    """Whether the stone on ``action`` belongs to a winning row."""
    raise missing(rules, "completes_row")


@completes_row.default_body
def _connects(rules, cells, action):
    """``connect`` or more stones in a row win."""
    stone = cells[action]
    for row_step, col_step in DIRECTIONS:
        length = 1 + count_run(cells, rules.rows, rules.cols, action, row_step, col_step, stone)
        length += count_run(cells, rules.rows, rules.cols, action, -row_step, -col_step, stone)
        if length >= rules.connect:
            return True
    return False


@kernel
def start(rules, position):
    position.cells[:] = 0
    position.winner = r.NOBODY
    position.ply = 0
    position.hash = 0


@kernel
def legal_actions(rules, position, out):
    count = 0
    if position.winner == r.NOBODY:
        for cell in range(rules.rows * rules.cols):
            if position.cells[cell] == 0:
                out[count] = cell
                count += 1
    return count


@kernel
def is_legal(rules, position, action):
    return (
        position.winner == r.NOBODY
        and 0 <= action < rules.rows * rules.cols
        and position.cells[action] == 0
    )


@kernel
def place(position, action, player):
    """Put a stone on a free cell and update the hash (Zobrist hashing with computed keys)."""
    position.cells[action] = player + 1
    position.ply += 1
    position.hash ^= mix64(np.uint64(2 * action + player + 1))


@kernel
def play(rules, position, action):
    player = position.ply & 1
    place(position, action, player)
    if completes_row(rules, position.cells, action):
        position.winner = player


@kernel
def to_move(rules, position):
    return np.int64(position.ply & 1)


@kernel
def is_over(rules, position):
    cells = rules.rows * rules.cols
    is_full = position.ply == cells or position.ply == cells + OUT_OF_TURN
    return position.winner != r.NOBODY or is_full


@kernel
def returns(rules, position, player):
    if position.winner == r.NOBODY:
        return 0.0
    return 1.0 if position.winner == player else -1.0


@kernel
def observe(rules, position, player, out):
    for cell in range(rules.rows * rules.cols):
        stone = position.cells[cell]
        out[cell // rules.cols, cell % rules.cols, 0] = stone == player + 1
        out[cell // rules.cols, cell % rules.cols, 1] = stone == 2 - player


@kernel
def from_observation(rules, observation, position):
    start(rules, position)
    own, other = 0, 0
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        own += observation[row, column, 0] != 0
        other += observation[row, column, 1] != 0
    if own != (own + other) // 2:
        return  # too many stones of one side: keep the initial position, which looks different
    # the observer is to move, so the number of stones determines the observer
    player = (own + other) & 1
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        if observation[row, column, 0] != 0:
            place(position, cell, player)
        elif observation[row, column, 1] != 0:
            place(position, cell, 1 - player)
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] != 0 and completes_row(rules, position.cells, cell):
            position.winner = position.cells[cell] - 1


@kernel
def move_out_of_turn(position):
    """Give the turn to the player who is not to move by the number of stones."""
    position.ply += OUT_OF_TURN
    position.hash ^= SALT_2


@kernel
def place_stones(rules, cells, player, position):
    """Set up a board for :func:`~plyground.envs.boards.rows.register_stone_rows`."""
    start(rules, position)
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            place(position, cell, np.int64(cells[cell]) - 1)
    for cell in range(rules.rows * rules.cols):
        has_last_winner = position.winner == 1 - player
        if cells[cell] != 0 and not has_last_winner and completes_row(rules, position.cells, cell):
            position.winner = cells[cell] - 1
    if position.ply & 1 != player:
        move_out_of_turn(position)


@kernel
def key(rules, position):
    return position.hash


@kernel
def transform(rules, position, permutation, out):
    winner, is_out_of_turn = position.winner, position.ply < 0
    cells = stack_array(CELLS, np.int8)
    copy_items(cells, position.cells, rules.rows * rules.cols)  # `out` may be the position itself
    start(rules, out)
    for cell in range(rules.rows * rules.cols):
        if cells[cell] != 0:
            place(out, np.int64(permutation[cell]), cells[cell] - 1)
    out.winner = winner
    if is_out_of_turn:
        move_out_of_turn(out)


@kernel
def order_actions(rules, position, actions, count):
    """Centre first: a stable sort by the ring around the centre."""
    before = stack_array(CELLS, np.int16)
    copy_items(before, actions, count)
    sorted_count = 0
    for ring in range(max(rules.rows, rules.cols)):
        for i in range(count):
            from_middle = max(
                abs(2 * (before[i] // rules.cols) - rules.rows + 1),
                abs(2 * (before[i] % rules.cols) - rules.cols + 1),
            )
            if from_middle // 2 == ring:
                actions[sorted_count] = before[i]
                sorted_count += 1
        if sorted_count == count:
            break


@kernel
def random_action(rules, position, rng, scratch):
    """Draw cells until one is free; on a crowded board, choose among the free ones.

    The draw is uniform either way.
    """
    for _ in range(8):
        cell = random_below(rng, rules.rows * rules.cols)
        if position.cells[cell] == 0:
            return cell
    return np.int64(scratch[random_below(rng, legal_actions(rules, position, scratch))])


@kernel
def count_windows(rules, cells, player, counts):
    """Count the windows of ``connect`` cells that only one side occupies.

    Adds 1 to ``counts[0, n]`` for each window with n of ``player``'s stones and none of the
    opponent's, and to ``counts[1, n]`` the other way round; ``counts`` is int64 of shape (2,
    connect + 1). Empty windows are counted on both sides.
    """
    own = player + 1
    for row_step, col_step in DIRECTIONS:
        reach = rules.connect - 1
        first_column = reach if col_step < 0 else 0
        last_column = rules.cols - (reach if col_step > 0 else 0)
        for row in range(rules.rows - row_step * reach):
            for column in range(first_column, last_column):
                mine, theirs, cell = 0, 0, row * rules.cols + column
                for _ in range(rules.connect):
                    stone = cells[cell]
                    if stone == own:
                        mine += 1
                    elif stone != 0:
                        theirs += 1
                    cell += row_step * rules.cols + col_step
                if theirs == 0:
                    counts[0, mine] += 1
                if mine == 0:
                    counts[1, theirs] += 1


def register_stone_rules(rules_type: Any) -> None:
    """Register the common bodies and descriptions for a rules type with rows, cols and connect."""
    bodies: tuple[Any, ...] = (
        start,
        legal_actions,
        is_legal,
        play,
        to_move,
        is_over,
        returns,
        observe,
        from_observation,
        key,
        transform,
        order_actions,
        random_action,
    )
    r.register_bodies(rules_type, bodies)
    r.facts.register(rules_type)(_facts)
    r.complexity.register(rules_type)(
        lambda rules: cells_complexity(rules.rows * rules.cols, fewer_each_ply=True)
    )
    r.symmetries.register(rules_type)(lambda rules: cell_symmetries(rules.rows, rules.cols))
    register_stone_rows(rules_type, place_stones, faults=_empty_board_faults)
    r.plies_played.register(rules_type)(plies_played)
    r.outcome_reason.register(rules_type)(outcome_reason)


def _empty_board_faults(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    """Searches of cells near stones begin in the centre of an empty board."""
    marks = rules.declaration.marks
    if player == 0 or any(mark in row for row in rows for mark in marks):
        return []
    return [f"{rules.declaration.player_names(marked=True)[0]} begins on an empty board"]


def plies_played(rules: Any, position: Any) -> int:
    """The number of stones on the board."""
    return int(position.ply) % -OUT_OF_TURN


def _facts(rules: Any) -> Facts:
    cells = rules.rows * rules.cols
    return Facts(cells, cells, -1.0, 1.0, (rules.rows, rules.cols, 2))


def outcome_reason(rules: Any, position: Any) -> Ending:
    """``outcome_reason`` of a game won by a row of stones; a row may be too long to win."""
    if position.winner == r.NOBODY:
        return Ending("full")
    longest = _longest_row(board_cells(rules, position) == position.winner + 1)
    if longest > rules.connect:
        stones = np.zeros((rules.rows, rules.cols), np.bool_)
        stones[tuple(zip(*r.winning_cells(rules, position)))] = True
        longest = _longest_row(stones)
    return row_ending(rules, longest)


def row_ending(rules: Any, longest: int) -> Ending:
    """The ending by a row of so many stones."""
    return Ending("row", {"n": max(longest, rules.connect)})


def cells_in_rows(rules: Any, position: Any) -> list[tuple[int, int]]:
    """``winning_cells`` if ``rules.connect`` or more equal stones in a row win."""
    board, connect = seen_cells(rules, position).tolist(), rules.connect  # lists are faster
    stones = [(y, x) for y, row in enumerate(board) for x, stone in enumerate(row) if stone]
    row_cells = set()
    for row, column in stones:
        stone = board[row][column]
        for row_step, col_step in DIRECTIONS:
            last_row, last = row + (connect - 1) * row_step, column + (connect - 1) * col_step
            if not (0 <= last_row < len(board) and 0 <= last < len(board[0])):
                continue
            line = [(row + i * row_step, column + i * col_step) for i in range(connect)]
            if all(board[y][x] == stone for y, x in line):
                row_cells.update(line)
    return sorted(row_cells)


def _longest_row(stones: np.ndarray) -> int:
    """The longest row of stones on a board (rows, cols) of booleans."""
    lines = np.zeros((stones.shape[0], stones.shape[1] + 1), np.bool_)
    lines[:, :-1] = stones
    bits = int.from_bytes(np.packbits(lines, bitorder="little").tobytes(), "little")
    return longest_run(bits, stones.shape[1] + 1)


def longest_run(bits: int, width: int) -> int:
    """The same for a bitboard with ``width`` bits per line, the last of which is always free."""
    lengths = []
    for step in (1, width, width + 1, width - 1):
        run, length = bits, 0
        while run:
            run, length = run & run >> step, length + 1
        lengths.append(length)
    return max(lengths)


def board_cells(rules: Any, position: Any) -> np.ndarray:
    """The board as (rows, cols): 0 free, 1 and 2 the players' stones."""
    return np.asarray(position.cells)[: rules.rows * rules.cols].reshape(rules.rows, rules.cols)
