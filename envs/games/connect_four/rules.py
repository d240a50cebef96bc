"""Connect four on any board: drop discs into columns, four (or ``connect``) in a row win.

Rules. Player 0 and player 1 alternate. A disc falls to the lowest free cell of its column; a full
column may not be chosen. The first to have ``connect`` discs in a row, horizontally, vertically or
diagonally, wins (+1, −1); a full board is a draw (0).

Actions. The column, 0 at the left. Their names are ``a``, ``b``, … for columns 0, 1, …

Observation. (rows, cols, 2), row 0 at the top: own discs, opponent's discs; the same as
PettingZoo's ``connect_four_v3``.

Symmetries. Left-right mirror.

Position. A bitboard for each player: cell (row from the bottom, column) is bit ``column * (rows +
1) + row``. The spare bit on top of each column keeps columns apart, so that shifted boards never
wrap. Boards that need more than 64 bits store one number for each cell instead, up to 400 cells
(see :mod:`.wide`). Source: Tromp, John's Connect Four Playground; Pons, "Solving Connect 4: how to
build a perfect AI".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...boards import stones as rows_of_stones
from ...boards.bitboards import StoneGrid, new_grid, stone_grid, stones
from ...boards.stones import check_connect, is_over, plies_played, returns, to_move
from ...compiled.bits import count_bits
from ...compiled.kernels import kernel
from ...compiled.randomness import SALT_1, SALT_2, mix64, random_bits
from ...declaration import Facts, declare_game
from ...optional.complexity import Complexity, cells_complexity
from ...pictures.drawing import PLAYER_COLOURS
from ...profile import Ending
from ...specification import Parameter
from .profile import PROFILE

ZERO, ONE = np.uint64(0), np.uint64(1)
HIGH_HALF = np.uint64(32)

MOST_CELLS = 400  # capacity of the largest record, 20 × 20


def _capacity(rules: ConnectFour) -> str | None:
    if rules.rows * rules.cols > MOST_CELLS:
        return (
            f"a board may have at most {MOST_CELLS} cells, {rules.rows} rows and {rules.cols} "
            f"columns have {rules.rows * rules.cols}"
        )
    return None


@declare_game(
    name="connect_four",
    version=0,
    profile=PROFILE,
    colours=PLAYER_COLOURS,
    position=[("stones", np.uint64, 2), ("ply", np.int16), ("winner", np.int8)],
    parameters=(
        Parameter("rows", int, 6, "height of the board", 1, 29),
        Parameter("cols", int, 7, "width of the board", 1, 32),
        Parameter("connect", int, 4, "discs in a row that win", 2, 32),
    ),
    heuristics=("threats", "windows"),
    check=check_connect,
    capacity=_capacity,
    limits=f"at most {MOST_CELLS} cells, as 20 rows and 20 columns have",
)
class ConnectFour(NamedTuple):
    rows: int = 6
    cols: int = 7
    connect: int = 4


@kernel
def connects(stones, rows, connect):
    """Whether the bitboard holds ``connect`` stones in a row.

    In each direction ``run`` marks the cells at which a row of ``length`` stones starts; ANDing it
    with itself shifted lengthens the rows, by doubling while possible. Shifts stay below 64 bits
    (undefined otherwise) on up to 29 rows.
    """
    height = rows + 1
    for direction in range(4):
        # vertical, then the three that change column
        step = 1 if direction == 0 else height + direction - 2
        run = stones
        length = 1
        while length < connect and run != ZERO:
            more = min(length, connect - length)
            run &= run >> np.uint64(step * more)
            length += more
        if run != ZERO:
            return True
    return False


@r.start.register_body(ConnectFour)
def start(rules, position):
    position.stones[0] = ZERO
    position.stones[1] = ZERO
    position.ply = 0
    position.winner = r.NOBODY


@kernel
def _top_cell(rules, column):
    """The bit of a column's highest cell."""
    return ONE << np.uint64(column * (rules.rows + 1) + rules.rows - 1)


@r.legal_actions.register_body(ConnectFour)
def legal_actions(rules, position, out):
    if position.winner != r.NOBODY:
        return 0
    occupied = position.stones[0] | position.stones[1]
    count = 0
    for column in range(rules.cols):
        if occupied & _top_cell(rules, column) == ZERO:
            out[count] = column
            count += 1
    return count


@r.is_legal.register_body(ConnectFour)
def is_legal(rules, position, action):
    if position.winner != r.NOBODY or action < 0 or action >= rules.cols:
        return False
    return (position.stones[0] | position.stones[1]) & _top_cell(rules, action) == ZERO


@r.play.register_body(ConnectFour)
def play(rules, position, action):
    player = position.ply & 1
    occupied = position.stones[0] | position.stones[1]
    bottom = ONE << np.uint64(action * (rules.rows + 1))
    column = (bottom << np.uint64(rules.rows)) - bottom
    # Adding the bottom bit to the column's stones carries into the lowest free cell.
    stones = position.stones[player] | ((occupied + bottom) & column & ~occupied)
    position.stones[player] = stones
    position.ply += 1
    if connects(stones, rules.rows, rules.connect):
        position.winner = player


@r.observe.register_body(ConnectFour)
def observe(rules, position, player, out):
    own, other = position.stones[player], position.stones[1 - player]
    # in the memory order of `out`: twice as fast as by columns
    for row in range(rules.rows):
        bit = np.uint64(rules.rows - 1 - row)
        for column in range(rules.cols):
            out[row, column, 0] = np.int8((own >> bit) & ONE)
            out[row, column, 1] = np.int8((other >> bit) & ONE)
            bit += np.uint64(rules.rows + 1)


@r.from_observation.register_body(ConnectFour)
def from_observation(rules, observation, position):
    start(rules, position)
    own, other, bottoms, discs = ZERO, ZERO, ZERO, 0
    for column in range(rules.cols):
        bottoms |= ONE << np.uint64(column * (rules.rows + 1))
        for row in range(rules.rows):
            bit = ONE << np.uint64(column * (rules.rows + 1) + row)
            if observation[rules.rows - 1 - row, column, 0] != 0:
                own |= bit
                discs += 1
            if observation[rules.rows - 1 - row, column, 1] != 0:
                other |= bit
                discs += 1
    # Overlapping or floating discs, or too many of one side: keep the initial position, which has
    # another observation.
    if (
        own & other != ZERO
        or ((own | other) + bottoms) & (own | other) != ZERO
        or count_bits(own) != discs // 2
    ):
        return
    player = discs & 1
    position.stones[player] = own
    position.stones[1 - player] = other
    position.ply = discs
    for side in range(2):
        if connects(position.stones[side], rules.rows, rules.connect):
            position.winner = side


@r.key.register_body(ConnectFour)
def key(rules, position):
    turn = SALT_2 if position.ply < 0 else ZERO
    return mix64(position.stones[0]) ^ mix64(position.stones[1] ^ SALT_1) ^ turn


@r.transform.register_body(ConnectFour)
def transform(rules, position, permutation, out):
    height = np.uint64(rules.rows + 1)
    column_cells = (ONE << height) - ONE
    ply, winner = position.ply, position.winner
    for player in range(2):
        stones, image = position.stones[player], ZERO
        for column in range(rules.cols):
            cells = (stones >> (np.uint64(column) * height)) & column_cells
            image |= cells << (np.uint64(permutation[column]) * height)
        out.stones[player] = image
    out.ply, out.winner = ply, winner


@r.order_actions.register_body(ConnectFour)
def order_actions(rules, position, actions, count):
    """Centre first: a column nearer the middle is part of more rows (insertion sort, stable)."""
    for i in range(1, count):
        action = actions[i]
        j = i
        while j > 0 and abs(2 * actions[j - 1] - (rules.cols - 1)) > abs(
            2 * action - (rules.cols - 1)
        ):
            actions[j] = actions[j - 1]
            j -= 1
        actions[j] = action


@r.random_action.register_body(ConnectFour)
def random_action(rules, position, rng, scratch):
    """Draw columns until one is free: each free column is equally likely.

    Most draws succeed at once.
    """
    occupied = position.stones[0] | position.stones[1]
    while True:
        column = np.int64(((random_bits(rng) >> HIGH_HALF) * np.uint64(rules.cols)) >> HIGH_HALF)
        if occupied & _top_cell(rules, column) == ZERO:
            return column


@r.facts.register(ConnectFour)
def facts(rules: ConnectFour) -> Facts:
    return Facts(rules.cols, rules.rows * rules.cols, -1.0, 1.0, (rules.rows, rules.cols, 2))


@r.complexity.register(ConnectFour)
def complexity(rules: ConnectFour) -> Complexity:
    return cells_complexity(rules.rows * rules.cols)


@r.symmetries.register(ConnectFour)
def symmetries(rules: ConnectFour) -> np.ndarray:
    identity = np.arange(rules.cols, dtype=np.int16)
    return np.stack([identity, identity[::-1]])


@r.outcome_reason.register(ConnectFour)
def ending(rules: ConnectFour, position: Any) -> Ending:
    winner = position.winner
    if winner == r.NOBODY:
        return Ending("full")
    longest = rows_of_stones.longest_run(int(position.stones[winner]), rules.rows + 1)
    return rows_of_stones.row_ending(rules, longest)


@stone_grid.register(ConnectFour)
def grid(rules: ConnectFour) -> StoneGrid | None:
    return new_grid(rules, falls=True)


@stones.register_body(ConnectFour)
def stones_to_move(rules, position):
    player = position.ply & 1
    return position.stones[player], position.stones[1 - player]


r.plies_played.register(ConnectFour)(plies_played)
r.register_bodies(ConnectFour, (to_move, is_over, returns))
