"""Hex on a rhombus of size × size hexagons, 2×2 to 13×13, with or without the swap rule.

Rules. Players alternate in placing a stone on a free cell; stones never move. Player 0 wins by
connecting the top row with the bottom row, player 1 by connecting the left column with the right
column (+1, −1). Cell (row, column) has up to six neighbours: left and right, above and above right,
below and below left. Exactly one player connects, so there are no draws. With ``swap=yes`` the
second player may swap instead of placing the first stone: the first player's stone becomes a stone
of the second player on the cell mirrored in the long diagonal, (row, column) to (column, row). So
the second player takes over the opening, and both keep their sides, as in OpenSpiel.

Actions. The cell, row-major from the top left; with ``swap=yes`` one more, the swap, legal only as
the second ply. Cells are written ``a1`` (top left) to e.g. ``k11``, and the swap ``swap``.

Observation. (size, size, 3): own stones, opponent's stones, whether the observer is player 0 (the
last plane is constant).

Symmetries. The half turn.

Position. ``cells`` holds the stones; ``edges`` says with which of the owner's two edges each stone
is connected, 1 the top or left, 2 the bottom or right. A new stone updates its group by a flood
fill, which changes each stone at most twice a game. Source: Browne, "Hex Strategy", 2000; the edges
as in OpenSpiel's hex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import cell_symmetries, sort_by_rank, with_extra_action
from ....envs.boards.rows import alternate, register_stone_rows
from ....envs.boards.stones import returns, to_move
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import SALT_2, mix64, random_below
from ....envs.compiled.scratch import copy_items, stack_array
from ....envs.declaration import Facts, declare_game
from ....envs.optional.complexity import Complexity, cells_complexity
from ....envs.profile import Ending
from ....envs.specification import Parameter
from .profile import PROFILE

CELLS = 169  # capacity: 13 × 13
ACTIONS = CELLS + 1  # and the swap
NO, YES = range(2)  # the swap rule
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))  # (row, column) to the neighbours
BOTH_EDGES = 3
COLOURS = ("#24408e", "#d7263d")  # of stones and edges


@declare_game(
    name="hex",
    version=0,
    profile=PROFILE,
    colours=COLOURS,
    position=[
        ("cells", np.int8, CELLS),
        ("edges", np.int8, CELLS),
        ("winner", np.int8),
        ("ply", np.int16),
        ("hash", np.uint64),
    ],
    parameters=(
        Parameter("size", int, 11, "cells on a side", 2, 13),
        Parameter("swap", str, "no", "whether there is a swap rule", choices=("no", "yes")),
    ),
    heuristics=("distance",),
)
class Hex(NamedTuple):
    size: int = 11
    swap: int = NO


def turns(rules: Hex, first: int, second: int) -> tuple[int, ...]:
    """The players who may be to move: a swap is a turn without a new stone."""
    after_swap = rules.swap == YES and second > 0 and second - first in (0, 1)
    return alternate(rules, first, second) + ((first + second + 1 & 1,) if after_swap else ())


def place_stones(rules: Hex, cells: np.ndarray, player: int, position: Any) -> None:
    """Set up a board for :func:`~plyground.envs.boards.rows.register_stone_rows`."""
    start(rules, position)
    for cell in np.flatnonzero(cells):
        place(rules, position, np.int64(cell), np.int64(cells[cell]) - 1)
    stones = int(np.count_nonzero(cells))
    position.ply = stones + (stones + player & 1)
    if position.ply == 1 and not (cells == 1).any():
        position.ply = 3  # there is no first stone to swap


register_stone_rows(Hex, place_stones, turns=turns)
r.to_move.register_body(Hex)(to_move)
r.returns.register_body(Hex)(returns)


@r.start.register_body(Hex)
def start(rules, position):
    position.cells[:] = 0
    position.edges[:] = 0
    position.winner = r.NOBODY
    position.ply = 0
    position.hash = 0


@kernel
def _own_edges(rules, cell, player):
    """The edges of the player that a cell lies on: 1 the top or left, 2 the bottom or right."""
    along = cell // rules.size if player == 0 else cell % rules.size
    return (1 if along == 0 else 0) | (2 if along == rules.size - 1 else 0)


@kernel
def neighbour(rules, cell, step):
    """The neighbouring cell at a step (row, column), or −1 beyond the board."""
    row, column = cell // rules.size + step[0], cell % rules.size + step[1]
    inside = 0 <= row < rules.size and 0 <= column < rules.size
    return row * rules.size + column if inside else -1


@kernel
def _edges_joined(rules, position, cell, player):
    """The edges with which a stone of the player on a cell is connected."""
    edges = _own_edges(rules, cell, player)
    for step in STEPS:
        beside = neighbour(rules, cell, step)
        if beside >= 0 and position.cells[beside] == player + 1:
            edges |= position.edges[beside]
    return edges


@kernel
def place(rules, position, cell, player):
    """Put a stone on a free cell and update the edges of its group."""
    position.cells[cell] = player + 1
    position.hash ^= mix64(np.uint64(2 * cell + player + 1))
    group_edges = _edges_joined(rules, position, cell, player)
    position.edges[cell] = group_edges
    if group_edges == BOTH_EDGES:
        position.winner = player
    waiting, count = stack_array(CELLS, np.int16), 0 if group_edges == 0 else 1
    waiting[0] = cell
    while count > 0:
        count -= 1
        at = waiting[count]
        for step in STEPS:
            beside = neighbour(rules, at, step)
            own = beside >= 0 and position.cells[beside] == player + 1
            if own and position.edges[beside] != group_edges:
                position.edges[beside] = group_edges
                waiting[count] = beside
                count += 1


@r.legal_actions.register_body(Hex)
def legal_actions(rules, position, out):
    if position.winner != r.NOBODY:
        return 0
    count, cells = 0, rules.size * rules.size
    for action in range(cells + rules.swap):
        if position.ply == 1 if action == cells else position.cells[action] == 0:
            out[count] = action
            count += 1
    return count


@r.is_legal.register_body(Hex)
def is_legal(rules, position, action):
    cells = rules.size * rules.size
    if position.winner != r.NOBODY or action < 0 or action >= cells + rules.swap:
        return False
    return position.ply == 1 if action == cells else position.cells[action] == 0


@r.play.register_body(Hex)
def play(rules, position, action):
    player = position.ply & 1
    if action == rules.size * rules.size:
        cell = 0
        while position.cells[cell] == 0:
            cell += 1
        start(rules, position)
        position.ply = 1
        action = cell % rules.size * rules.size + cell // rules.size
    place(rules, position, np.int64(action), player)
    position.ply += 1


@r.is_over.register_body(Hex)
def is_over(rules, position):
    return position.winner != r.NOBODY


@r.possible_wins.register_body(Hex)
def possible_wins(rules, position, player, out):
    """Free cells that join groups of both edges."""
    count = 0
    for cell in range(rules.size * rules.size):
        if position.cells[cell] == 0:
            if _edges_joined(rules, position, cell, player) == BOTH_EDGES:
                out[count] = cell
                count += 1
    return count


@r.observe.register_body(Hex)
def observe(rules, position, player, out):
    for cell in range(rules.size * rules.size):
        row, column, stone = cell // rules.size, cell % rules.size, position.cells[cell]
        out[row, column, 0] = stone == player + 1
        out[row, column, 1] = stone == 2 - player
        out[row, column, 2] = player == 0


@r.from_observation.register_body(Hex)
def from_observation(rules, observation, position):
    start(rules, position)
    player, own, other = 0 if observation[0, 0, 2] != 0 else 1, 0, 0
    for cell in range(rules.size * rules.size):
        stones = observation[cell // rules.size, cell % rules.size]
        if stones[0] != 0:
            place(rules, position, cell, player)
            own += 1
        elif stones[1] != 0:
            place(rules, position, cell, 1 - player)
            other += 1
    # a swap is a ply without a new stone, so the player to move shows whether there was one
    swaps = (own + other + player) & 1
    position.ply = own + other + swaps
    if other - own not in (0, 1) or (swaps == 1 and (rules.swap == NO or other == 0)):
        start(rules, position)  # no position has this observation


@r.key.register_body(Hex)
def key(rules, position):
    return position.hash ^ SALT_2 if position.ply & 1 else position.hash


@r.transform.register_body(Hex)
def transform(rules, position, permutation, out):
    cells, ply = stack_array(CELLS, np.int8), position.ply
    copy_items(cells, position.cells, CELLS)  # `out` may be the position itself
    start(rules, out)
    for cell in range(rules.size * rules.size):
        if cells[cell] != 0:
            place(rules, out, np.int64(permutation[cell]), np.int64(cells[cell]) - 1)
    out.ply = ply


@r.order_actions.register_body(Hex)
def order_actions(rules, position, actions, count):
    """The swap first, then cells by their distance from the centre."""
    ranks, far = stack_array(ACTIONS, np.int64)[:count], rules.size - 1
    for i in range(count):
        row, column = 2 * (actions[i] // rules.size) - far, 2 * (actions[i] % rules.size) - far
        # steps between two cells: the longest of the distances along the three axes
        ranks[i] = max(abs(row), abs(column), abs(row + column))
        if actions[i] == rules.size * rules.size:
            ranks[i] = -1
    sort_by_rank(actions, ranks)


@r.random_action.register_body(Hex)
def random_action(rules, position, rng, scratch):
    """Draw actions until one is legal; on a crowded board, choose among the legal ones."""
    for _ in range(8):
        action = random_below(rng, rules.size * rules.size + rules.swap)
        if is_legal(rules, position, action):
            return action
    return np.int64(scratch[random_below(rng, legal_actions(rules, position, scratch))])


@r.facts.register(Hex)
def facts(rules: Hex) -> Facts:
    # the swap rule adds one action, and one ply without a stone
    most = rules.size**2 + rules.swap
    return Facts(most, most, -1.0, 1.0, (rules.size, rules.size, 3))


@r.complexity.register(Hex)
def complexity(rules: Hex) -> Complexity:
    # two positions per board: after a swap the other player is to move
    return cells_complexity(rules.size**2, positions_each=1 + rules.swap, fewer_each_ply=True)


@r.symmetries.register(Hex)
def symmetries(rules: Hex) -> np.ndarray:
    cells = cell_symmetries(rules.size, rules.size)[[0, 3]]
    return with_extra_action(cells) if rules.swap == YES else cells


@r.outcome_reason.register(Hex)
def outcome_reason(rules: Hex, position: Any) -> Ending:
    return Ending("top_bottom" if position.winner == 0 else "left_right")
