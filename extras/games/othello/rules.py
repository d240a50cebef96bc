"""Othello (Reversi) on square boards of an even size, 4×4 to 8×8.

Rules. Player 0 (Black) begins; each side starts with two discs in the centre, crosswise. A disc is
placed on a free cell so that it encloses at least one straight row of the opponent's discs, in any
of the eight directions, between itself and another disc of the mover; all enclosed discs turn over.
A player without such a cell passes; the game ends when neither player has such a cell. The player
with more discs wins. With ``reward="win"`` the winner gets +1 and the loser −1; with
``reward="margin"`` each gets the difference of the discs. Free cells at the end count for the
winner, and half for each player in a draw, as in tournaments, published scores and other programs;
with ``empties="nobody"`` they do not count. The winner is the same.

Version 1 counts free cells for the winner. Version 0 did not count them.

Actions. The cell, row-major from the top left, then the pass. A pass is legal exactly when the
player to move has no cell and the opponent has one. Cells are written ``a1`` (top left) to e.g.
``h8``, and the pass ``pass``.

Observation. (size, size, 3): own discs, opponent's discs, whether the observer is player 0 (the
last plane is constant).

Symmetries. The four that keep the initial position: identity, half turn, and both diagonals.

Position. A bitboard for each player: cell (row, column) is bit ``8 * row + column`` on every board.
``moves`` holds the cells open to the player to move; where there are none, ``state`` tells a pass
from the end of the game. Source: World Othello Federation, rules of play; the flood in eight
directions: Chess Programming Wiki, "Dumb7Fill".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import cell_symmetries, sort_by_rank, with_extra_action
from ....envs.boards.rows import register_stone_rows
from ....envs.compiled.bits import count_bits
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import SALT_1, SALT_2, mix64
from ....envs.compiled.scratch import stack_array
from ....envs.declaration import Facts, declare_game
from ....envs.optional.complexity import Complexity, cells_complexity
from ....envs.profile import Ending
from ....envs.specification import Parameter
from .board import DOWN, ONE, STEPS, ZERO, cell_bit, image_of, open_cells, turned_discs
from .profile import PROFILE

WIN, MARGIN = range(2)
WINNER, NOBODY = range(2)  # the player for whom free cells count
ACTIONS = 65  # capacity: 8 × 8 cells, and the pass
PLAYS, PASSES, OVER = range(3)  # values of `state`
# ranks of cells by their distances from the edges: corner, edge, inside, beside a corner
RANKS = np.array([[0, 3, 1], [3, 4, 2], [1, 2, 2]])
COLOURS = ("#20242b", "#f7f4ee")  # of the discs


@declare_game(
    name="othello",
    version=1,
    profile=PROFILE,
    colours=COLOURS,
    position=[
        ("discs", np.uint64, 2),
        ("moves", np.uint64),
        ("mover", np.int8),
        ("state", np.int8),
    ],
    parameters=(
        Parameter("size", int, 8, "cells on a side, an even number", 4, 8),
        Parameter("reward", str, "win", "what a game returns", choices=("win", "margin")),
        Parameter(
            "empties",
            str,
            "winner",
            "the player for whom free cells count at the end",
            choices=("winner", "nobody"),
        ),
    ),
    heuristics=("patterns", "mobility", "discs"),
    check=lambda rules: f"size must be even, not {rules.size}" if rules.size % 2 else None,
)
class Othello(NamedTuple):
    size: int = 8
    reward: int = WIN
    empties: int = WINNER


def _free_centre(rules: Othello, rows: Sequence[str], player: int) -> list[str]:
    """Whether one of the four central cells is free."""
    middle = (rules.size // 2 - 1, rules.size // 2)
    if any(rows[row][column] == "." for row in middle for column in middle):
        return ["the four cells in the centre always hold discs"]
    return []


def place_discs(rules: Othello, cells: np.ndarray, player: int, position: Any) -> None:
    """Set up a board for :func:`~plyground.envs.boards.rows.register_stone_rows`."""
    position.discs[:] = 0
    for cell in np.flatnonzero(cells):
        position.discs[cells[cell] - 1] |= cell_bit(rules, np.int64(cell))
    position.mover = player
    find_moves(rules, position)


register_stone_rows(
    Othello,
    place_discs,
    turns=lambda rules, first, second: (0, 1),
    oddities=_free_centre,
    stones_stay=False,
)


@kernel
def find_moves(rules, position):
    """Derive ``moves`` and ``state`` from the discs and the player to move."""
    own, other = position.discs[position.mover], position.discs[1 - position.mover]
    position.moves = open_cells(rules, own, other)
    position.state = PLAYS
    if position.moves == ZERO:
        position.state = OVER if open_cells(rules, other, own) == ZERO else PASSES


@r.start.register_body(Othello)
def start(rules, position):
    upper_left = cell_bit(rules, (rules.size // 2 - 1) * rules.size + rules.size // 2 - 1)
    position.discs[0] = (upper_left << STEPS[0]) | (upper_left << DOWN)
    position.discs[1] = upper_left | (upper_left << STEPS[3])
    position.mover = 0
    find_moves(rules, position)


@r.legal_actions.register_body(Othello)
def legal_actions(rules, position, out):
    if position.state == PASSES:
        out[0] = rules.size * rules.size
        return 1
    count, moves = 0, position.moves
    while moves != ZERO:
        bit = count_bits((moves & (~moves + ONE)) - ONE)  # the number of the lowest bit set
        out[count] = bit // 8 * rules.size + bit % 8
        moves &= moves - ONE
        count += 1
    return count


@r.is_legal.register_body(Othello)
def is_legal(rules, position, action):
    cells = rules.size * rules.size
    if action == cells:
        return position.state == PASSES
    return 0 <= action < cells and position.moves & cell_bit(rules, action) != ZERO


@r.play.register_body(Othello)
def play(rules, position, action):
    mover = position.mover
    if action < rules.size * rules.size:
        disc = cell_bit(rules, action)
        discs = turned_discs(disc, position.discs[mover], position.discs[1 - mover])
        position.discs[mover] |= disc | discs
        position.discs[1 - mover] &= ~discs
    position.mover = 1 - mover
    find_moves(rules, position)


@r.to_move.register_body(Othello)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Othello)
def is_over(rules, position):
    return position.state == OVER


@kernel
def lead(rules, position, player):
    """A player's discs minus the opponent's; at the end with the free cells that count."""
    own, other = count_bits(position.discs[player]), count_bits(position.discs[1 - player])
    ahead = np.int64(own - other)
    if position.state == OVER and rules.empties == WINNER:
        ahead += np.sign(ahead) * (rules.size * rules.size - own - other)
    return ahead


@r.returns.register_body(Othello)
def returns(rules, position, player):
    if position.state != OVER:
        return 0.0
    ahead = lead(rules, position, player)
    return float(ahead) if rules.reward == MARGIN else float(np.sign(ahead))


@r.margin.register_body(Othello)
def margin(rules, position, player):
    return np.int64(0) if rules.reward == MARGIN else lead(rules, position, player)


@r.as_played.register(Othello)
def as_played(rules: Othello) -> Othello:
    return rules._replace(empties=WINNER) if rules.reward == WIN else rules


def scores(rules: Othello, position: Any) -> tuple[int, int]:
    """The score of each player: the discs, and at the end a share of the free cells."""
    first, second = (int(count_bits(discs)) for discs in position.discs)
    if position.state == OVER and rules.empties == WINNER:
        free, ahead = rules.size**2 - first - second, int(np.sign(first - second))
        first, second = first + free * (1 + ahead) // 2, second + free * (1 - ahead) // 2
    return first, second


@r.observe.register_body(Othello)
def observe(rules, position, player, out):
    own, other = position.discs[player], position.discs[1 - player]
    for row in range(rules.size):
        for column in range(rules.size):
            bit = np.uint64(8 * row + column)
            out[row, column, 0] = np.int8((own >> bit) & ONE)
            out[row, column, 1] = np.int8((other >> bit) & ONE)
            out[row, column, 2] = player == 0


@r.from_observation.register_body(Othello)
def from_observation(rules, observation, position):
    start(rules, position)
    own, other = ZERO, ZERO
    for action in range(rules.size * rules.size):
        planes = observation[action // rules.size, action % rules.size]
        if planes[0] != 0:
            own |= cell_bit(rules, action)
        if planes[1] != 0:
            other |= cell_bit(rules, action)
    if own & other == ZERO:  # else two discs on one cell: no position has this observation
        position.mover = 0 if observation[0, 0, 2] != 0 else 1
        position.discs[position.mover] = own
        position.discs[1 - position.mover] = other
        find_moves(rules, position)


@r.key.register_body(Othello)
def key(rules, position):
    turn = np.uint64(position.mover) * SALT_2
    return mix64(position.discs[0]) ^ mix64(position.discs[1] ^ SALT_1) ^ turn


@r.transform.register_body(Othello)
def transform(rules, position, permutation, out):
    mover, state = position.mover, position.state
    for player in range(2):
        out.discs[player] = image_of(rules, position.discs[player], permutation)
    out.moves = image_of(rules, position.moves, permutation)
    out.mover, out.state = mover, state


@r.order_actions.register_body(Othello)
def order_actions(rules, position, actions, count):
    """Corners first, then edges; cells that give a corner away last."""
    ranks, far = stack_array(ACTIONS, np.int64)[:count], rules.size - 1
    for i in range(count):
        row, column = actions[i] // rules.size, actions[i] % rules.size
        ranks[i] = RANKS[max(min(row, far - row, 2), 0), min(column, far - column, 2)]
    sort_by_rank(actions, ranks)


@r.facts.register(Othello)
def facts(rules: Othello) -> Facts:
    cells = rules.size**2
    # Between two passes a disc is placed, and neither the first nor the last ply is a pass.
    longest = 2 * (cells - 4) - 1
    most = float(cells) if rules.reward == MARGIN else 1.0
    return Facts(cells + 1, longest, -most, most, (rules.size, rules.size, 3))


@r.complexity.register(Othello)
def complexity(rules: Othello) -> Complexity:
    # Two positions per board: after a pass the board does not show who is to move.
    return cells_complexity(rules.size**2, positions_each=2)


@r.symmetries.register(Othello)
def symmetries(rules: Othello) -> np.ndarray:
    return with_extra_action(cell_symmetries(rules.size, rules.size)[[0, 3, 4, 7]])


@r.outcome_reason.register(Othello)
def outcome_reason(rules: Othello, position: Any) -> Ending:
    first, second = scores(rules, position)
    discs = int(count_bits(position.discs[0] | position.discs[1]))
    return Ending("discs" if first + second == discs else "cells", {"a": first, "b": second})
