"""Breakthrough on 4×3 to 8×8 cells: pieces move and capture.

Rules. Each player has two rows of pieces, player 0 (White) at the bottom. A move takes one piece
one cell forward: straight to a free cell, or diagonally to a free cell or a cell of an opponent's
piece, which is captured. A player wins by reaching the opponent's first row, or by capturing the
opponent's last piece (+1, −1). The foremost piece can always move diagonally, so a player always
has a legal move, and there are no draws. Source: Dan Troyka, 2000.

Actions. All moves within the board: first the moves of player 0, then of player 1; for each player
by the cell of the piece, row-major from the top left, then by direction: left, straight, right. A
row of cells has ``3 * cols - 2`` moves, as its end cells have two, and a player moves from
``rows - 1`` rows: 308 actions on 8×8. The two players' moves have different numbers, so that the
name of an action does not depend on the position. OpenSpiel numbers cell × 6 directions × (step or
capture), 768 in all, most of them never legal; there player 0 is at the top. Moves are written
``a2-a3`` and ``b2xc3``; rows are numbered from the bottom.

Observation. (rows, cols, 3): own pieces, opponent's pieces, whether the observer is player 0 (the
last plane is constant). Both players see the board from player 0's side, as actions are numbered.

Symmetries. The mirror image, left and right.

Position. A bitboard for each player, see :mod:`.board`. It has no ply count: the rest of the game
does not depend on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import sort_by_rank
from ....envs.boards.stones import returns
from ....envs.compiled.bits import count_bits, lowest_bit_index
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import SALT_1, SALT_2, mix64, random_below
from ....envs.compiled.scratch import stack_array
from ....envs.declaration import Facts, declare_game
from ....envs.optional.complexity import Complexity, cells_complexity
from ....envs.profile import Ending
from ....envs.specification import Parameter
from .board import ONE, ZERO, action_of, mirror, movable, move_of
from .profile import PROFILE

COLOURS = ("#f7f4ee", "#20242b")  # of the pieces
MOST_MOVES = 48  # at once: three for each of two rows of eight pieces


@declare_game(
    name="breakthrough",
    version=0,
    profile=PROFILE,
    colours=COLOURS,
    position=[("pieces", np.uint64, 2), ("mover", np.int8), ("winner", np.int8)],
    parameters=(
        Parameter("rows", int, 8, "height of the board", 4, 8),
        Parameter("cols", int, 8, "width of the board", 3, 8),
    ),
    short_forms=(Parameter("size", int, None, "an n×n board", 4, 8, stands_for=("rows", "cols")),),
    heuristics=("runners", "advancement", "material"),
)
class Breakthrough(NamedTuple):
    rows: int = 8
    cols: int = 8


r.returns.register_body(Breakthrough)(returns)


@r.start.register_body(Breakthrough)
def start(rules, position):
    row = (ONE << np.uint64(rules.cols)) - ONE
    two_rows = row | (row << np.uint64(8))
    position.pieces[0] = two_rows << np.uint64(8 * rules.rows - 16)
    position.pieces[1] = two_rows
    position.mover = 0
    position.winner = r.NOBODY


@r.legal_actions.register_body(Breakthrough)
def legal_actions(rules, position, out):
    if position.winner != r.NOBODY:
        return 0
    mover, count = position.mover, 0
    left, straight, right = movable(
        rules, position.pieces[mover], position.pieces[1 - mover], mover
    )
    pieces = left | straight | right
    while pieces != ZERO:
        piece = pieces & (~pieces + ONE)
        action = action_of(rules, lowest_bit_index(pieces), 0, mover)
        if left & piece != ZERO:
            out[count] = action
            count += 1
        if straight & piece != ZERO:
            out[count] = action + 1
            count += 1
        if right & piece != ZERO:
            out[count] = action + 2
            count += 1
        pieces ^= piece
    return count


@r.is_legal.register_body(Breakthrough)
def is_legal(rules, position, action):
    actions = 2 * (rules.rows - 1) * (3 * rules.cols - 2)
    if position.winner != r.NOBODY or not 0 <= action < actions:
        return False
    player, start_cell, end_cell = move_of(rules, action)
    own, other = position.pieces[player], position.pieces[1 - player]
    blockers = own | other if start_cell % 8 == end_cell % 8 else own
    has_piece = own & (ONE << np.uint64(start_cell)) != ZERO
    return (
        player == position.mover and has_piece and blockers & (ONE << np.uint64(end_cell)) == ZERO
    )


@kernel
def has_won(rules, pieces, others, player):
    """Whether a piece of the player is on the last row, or the opponent has none."""
    row = (ONE << np.uint64(rules.cols)) - ONE
    last = row if player == 0 else row << np.uint64(8 * rules.rows - 8)
    return pieces & last != ZERO or others == ZERO


@r.play.register_body(Breakthrough)
def play(rules, position, action):
    player, start_cell, end_cell = move_of(rules, np.int64(action))
    end = ONE << np.uint64(end_cell)
    position.pieces[player] ^= end | (ONE << np.uint64(start_cell))
    position.pieces[1 - player] &= ~end
    if has_won(rules, position.pieces[player], position.pieces[1 - player], player):
        position.winner = player
    position.mover = 1 - player


@r.to_move.register_body(Breakthrough)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Breakthrough)
def is_over(rules, position):
    return position.winner != r.NOBODY


@r.observe.register_body(Breakthrough)
def observe(rules, position, player, out):
    own, other = position.pieces[player], position.pieces[1 - player]
    for row in range(rules.rows):
        for column in range(rules.cols):
            bit = np.uint64(8 * row + column)
            out[row, column, 0] = np.int8((own >> bit) & ONE)
            out[row, column, 1] = np.int8((other >> bit) & ONE)
            out[row, column, 2] = player == 0


@r.from_observation.register_body(Breakthrough)
def from_observation(rules, observation, position):
    start(rules, position)
    own, other, player = ZERO, ZERO, 0 if observation[0, 0, 2] != 0 else 1
    for row in range(rules.rows):
        for column in range(rules.cols):
            cell = ONE << np.uint64(8 * row + column)
            if observation[row, column, 0] != 0:
                own |= cell
            if observation[row, column, 1] != 0:
                other |= cell
    # two pieces in a cell, or a winner to move: no position has this observation
    if own & other != ZERO or has_won(rules, own, other, player):
        return
    position.pieces[player], position.pieces[1 - player] = own, other
    position.mover = player
    if has_won(rules, other, own, 1 - player):
        position.winner = 1 - player


@r.key.register_body(Breakthrough)
def key(rules, position):
    turn = np.uint64(position.mover) * SALT_2
    return mix64(position.pieces[0]) ^ mix64(position.pieces[1] ^ SALT_1) ^ turn


@r.transform.register_body(Breakthrough)
def transform(rules, position, permutation, out):
    mover, winner = position.mover, position.winner  # `out` may be the position itself
    for player in range(2):
        pieces = position.pieces[player]
        out.pieces[player] = pieces if permutation[0] == 0 else mirror(rules, pieces)
    out.mover, out.winner = mover, winner


@r.order_actions.register_body(Breakthrough)
def order_actions(rules, position, actions, count):
    """Wins, captures nearest to the own side, moves to cells that are not attacked, others."""
    mover, ranks = position.mover, stack_array(MOST_MOVES, np.int64)[:count]
    other = position.pieces[1 - mover]
    left, _, right = movable(rules, other, ZERO, 1 - mover)
    attacks = (right << np.uint64(9)) | (left << np.uint64(7))
    if mover == 1:
        attacks = (left >> np.uint64(9)) | (right >> np.uint64(7))
    for i in range(count):
        _, _, end_cell = move_of(rules, np.int64(actions[i]))
        end = ONE << np.uint64(end_cell)
        ahead = end_cell // 8 if mover == 0 else rules.rows - 1 - end_cell // 8
        if ahead == 0:
            ranks[i] = 0
        elif other & end != ZERO:
            ranks[i] = rules.rows - ahead
        else:
            ranks[i] = 10 + ahead + (10 if attacks & end != ZERO else 0)
    sort_by_rank(actions, ranks)


@r.random_action.register_body(Breakthrough)
def random_action(rules, position, rng, scratch):
    """Draw a number below the count of moves, and find its direction and piece."""
    mover = position.mover
    sets = movable(rules, position.pieces[mover], position.pieces[1 - mover], mover)
    counts = (count_bits(sets[0]), count_bits(sets[1]), count_bits(sets[2]))
    number, direction = random_below(rng, counts[0] + counts[1] + counts[2]), 0
    while number >= counts[direction]:
        number -= counts[direction]
        direction += 1
    pieces = sets[direction]
    for _ in range(number):
        pieces &= pieces - ONE
    return action_of(rules, lowest_bit_index(pieces), direction, mover)


@r.facts.register(Breakthrough)
def facts(rules: Breakthrough) -> Facts:
    actions = 2 * (rules.rows - 1) * (3 * rules.cols - 2)
    # Every piece reaches the row before the last; the next move ends the game.
    longest = 2 * rules.cols * (2 * rules.rows - 5) + 1
    return Facts(actions, longest, -1.0, 1.0, (rules.rows, rules.cols, 3))


@r.complexity.register(Breakthrough)
def complexity(rules: Breakthrough) -> Complexity:
    return cells_complexity(rules.rows * rules.cols, positions_each=2)


@r.symmetries.register(Breakthrough)
def symmetries(rules: Breakthrough) -> np.ndarray:
    # The moves of a row are numbered from left to right: the mirror image reverses them.
    rows = np.arange(r.facts(rules).num_actions, dtype=np.int16).reshape(-1, 3 * rules.cols - 2)
    return np.stack([rows.ravel(), rows[:, ::-1].ravel()])


@r.outcome_reason.register(Breakthrough)
def outcome_reason(rules: Breakthrough, position: Any) -> Ending:
    loser = int(position.mover)
    return Ending("captured" if position.pieces[loser] == ZERO else "broke_through")
