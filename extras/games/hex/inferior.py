"""Cells of Hex that need not be tried: dead and captured cells.

A free cell is dead if its colour cannot matter: however the free cells are filled, each player's
stones around it stay adjacent to each other. Two adjacent free cells are captured by a player who
can make either of them dead by a stone on the other. Filling dead cells with any stones, and
captured cells with their owner's stones, does not change the winner under best play.

Source: Björnsson, Hayward, Johanson, van Rijswijck, "Dead cell analysis in Hex and the Shannon
game", 2006.
"""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import inner_kernel, kernel
from ....envs.compiled.scratch import stack_array
from .playouts import PADDED, RING, STONE, WIDTH, pad
from .rules import Hex, order_actions


def _dead_cells() -> np.ndarray:
    """Whether a cell is dead, by the directions of player 0's and player 1's adjacent stones.

    bool, (64, 64); the directions are bits.
    """
    rings = np.arange(64)
    turns = (rings ^ (rings >> 1 | rings << 5)) & 63  # colour changes on a full ring
    parting = rings[[bin(turn).count("1") >= 4 for turn in turns]]  # rings of two or more parts
    first, second = rings[:, None, None], rings[None, :, None]
    dead: np.ndarray = ~((first & ~parting == 0) & (second & parting == 0)).any(axis=2)
    return dead


DEAD = _dead_cells()
# First estimates of cells, as returns.
SAVES_BRIDGE, BREAKS_BRIDGE, MAKES_BRIDGE = 0.6, 0.5, 0.15


@inner_kernel
def settle(board, rings, cell, player):
    """Fill a cell of the padded board and update its neighbours' rings."""
    board[cell] = player + 1
    for direction in range(6):
        rings[player, cell + RING[direction]] |= 1 << (direction + 3) % 6


@inner_kernel
def is_dead(rings, cell, player, direction):
    """Whether a cell would be dead with a stone of the player in a direction from it."""
    first, second = rings[0, cell], rings[1, cell]
    if player == 0:
        first |= 1 << direction
    else:
        second |= 1 << direction
    return DEAD[first, second]


@kernel
def fill_in(rules, board, rings):
    """Fill all dead and captured cells of a padded board.

    Writes the adjacent stones of every cell into ``rings``: int64, (2, PADDED), bits by direction.
    """
    size = rules.size
    rings[:] = 0
    for row in range(1, size + 1):
        for cell in range(row * WIDTH + 1, row * WIDTH + size + 1):
            for direction in range(6):
                stone = board[cell + RING[direction]] & STONE
                if stone != 0:
                    rings[stone - 1, cell] |= 1 << direction
    progress = True
    while progress:
        progress = False
        for row in range(1, size + 1):
            for cell in range(row * WIDTH + 1, row * WIDTH + size + 1):
                if board[cell] != 0 or rings[0, cell] | rings[1, cell] == 0:
                    continue
                if DEAD[rings[0, cell], rings[1, cell]]:
                    settle(board, rings, cell, 0)
                    progress = True
                for direction in range(6):
                    beside = cell + RING[direction]
                    for player in range(2):
                        if (
                            board[cell] == 0
                            and board[beside] == 0
                            and is_dead(rings, cell, player, direction)
                            and is_dead(rings, beside, player, (direction + 3) % 6)
                        ):
                            settle(board, rings, cell, player)
                            settle(board, rings, beside, player)
                            progress = True


@inner_kernel
def estimate(board, rings, cell, player):
    """The estimated return of a free cell for the player to move, by the stones around it."""
    own, other = rings[player, cell], rings[1 - player, cell]
    # an intruder is adjacent to the cell, between two stones of the bridge's owner
    if (own << 1 | own >> 5) & (own >> 1 | own << 5) & other & 63:
        return SAVES_BRIDGE
    if (other << 1 | other >> 5) & (other >> 1 | other << 5) & own & 63:
        return BREAKS_BRIDGE
    bridges, stones = 0, own | other
    for direction in range(6):
        neighbour = (direction + 1) % 6
        if stones & (1 << direction | 1 << neighbour) == 0:
            far = board[cell + RING[direction] + RING[neighbour]]
            bridges += far & STONE == player + 1
    return MAKES_BRIDGE * min(bridges, 2)


@r.propose.register_body(Hex)
def propose(rules, position, out, estimates):
    count = r.legal_actions(rules, position, out)
    order_actions(rules, position, out, count)
    board, rings = stack_array(PADDED, np.int8), stack_array((2, PADDED), np.int64)
    size = rules.size
    pad(rules, position, board)
    fill_in(rules, board, rings)
    proposals = 0
    for i in range(count):
        action = np.int64(out[i])
        cell = (action // size + 1) * WIDTH + action % size + 1
        if action == size * size or board[cell] == 0:
            swap = action == size * size
            estimates[proposals] = (
                0.0 if swap else estimate(board, rings, cell, np.int64(position.ply & 1))
            )
            out[proposals] = action
            proposals += 1
    if proposals == 0:  # all cells are filled in: the game is decided
        estimates[:count] = 0
        return count
    return proposals
