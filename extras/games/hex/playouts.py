"""Playouts of Hex that save bridges.

A bridge is two stones of one player with two common free neighbours: if the opponent takes one, the
other connects the stones. Cells are filled in random order, except that a player whose bridge was
just intruded on takes its other cell. A row of stones beyond each edge makes bridges to an edge
count too. The winner is found once, on the full board.

Source: Arneson, Hayward, Henderson, "Monte Carlo tree search in Hex", IEEE TCIAIG 2, 2010.
"""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import inner_kernel
from ....envs.compiled.randomness import random_below
from ....envs.compiled.scratch import stack_array
from .rules import Hex

# The padded board has rows of 16 cells: the board, and beyond each edge a row of stones.
WIDTH, PADDED = 16, 256
RING = np.array([1, WIDTH, WIDTH - 1, -1, -WIDTH, 1 - WIDTH])  # to the neighbours, in turn
STONE, FAR = 3, 4  # the bits of a stone's player; the bit of stones beyond a far edge


@inner_kernel
def pad(rules, position, board):
    """Fill ``board`` (int8, PADDED) with the stones on the board and beyond the edges."""
    size = rules.size
    for i in range(size + 2):
        board[i * WIDTH], board[i * WIDTH + size + 1] = 2, 2 | FAR
    for i in range(size + 1):
        board[i], board[(size + 1) * WIDTH + i] = 1, 1 | FAR
    for row in range(size):
        for column in range(size):
            board[(row + 1) * WIDTH + column + 1] = position.cells[row * size + column]


@inner_kernel
def bridge_reply(board, intruder, player, rng):
    """The cell that saves a bridge of ``player`` after the opponent took ``intruder``, or −1.

    It is adjacent to the intruder, between two adjacent stones of the player. Among several cells,
    a random one.
    """
    own, free = 0, 0
    for direction in range(6):
        stone = board[intruder + RING[direction]]
        own |= (stone & STONE == player + 1) << direction
        free |= (stone == 0) << direction
    replies = (own << 1 | own >> 5) & (own >> 1 | own << 5) & free & 63
    count = 0
    for direction in range(6):
        count += replies >> direction & 1
    if count == 0:
        return -1
    skip = 0 if count == 1 else random_below(rng, count)
    direction = 0
    while skip > 0 or replies >> direction & 1 == 0:
        skip -= replies >> direction & 1
        direction += 1
    return intruder + RING[direction]


@inner_kernel
def _winner_of_full_board(board):
    """The player who connects, on a padded board without free cells.

    Follows the border of the two colours from the corner of the first edges, with player 0 on one
    side and player 1 on the other, until it reaches a far edge.
    """
    hand, direction = 1, 2  # beyond player 0's first edge, towards player 1's
    while True:
        neighbour = direction - 1 if direction > 0 else 5
        ahead = hand + RING[neighbour]
        stone = board[ahead]
        if stone & FAR:
            return (stone & STONE) - 1
        if stone == 1:
            hand, direction = ahead, direction + 1 if direction < 5 else 0
        else:
            direction = neighbour


@r.play_out.register_body(Hex)
def play_out(rules, position, last, rng, scratch, players):
    board, size = stack_array(PADDED, np.int8), rules.size
    pad(rules, position, board)
    free = 0
    for row in range(size):
        for column in range(size):
            players[row * size + column] = r.NOBODY
            if position.cells[row * size + column] == 0:
                scratch[free] = (row + 1) * WIDTH + column + 1
                free += 1
    players[players.size - 1] = r.NOBODY  # the swap, if there is one
    player = np.int64(position.ply & 1)
    before = np.int64(-1)
    if 0 <= last < size * size:
        before = (last // size + 1) * WIDTH + last % size + 1
    while free > 0:
        cell = np.int64(-1) if before < 0 else bridge_reply(board, before, player, rng)
        if cell < 0:
            index = random_below(rng, free)
            free -= 1
            cell = np.int64(scratch[index])
            scratch[index] = scratch[free]
            if board[cell] != 0:  # a reply has taken it
                continue
        board[cell] = player + 1
        before, player = cell, 1 - player
    for row in range(size):
        for column in range(size):
            if position.cells[row * size + column] == 0:
                stone = board[(row + 1) * WIDTH + column + 1]
                players[row * size + column] = stone - 1
    position.winner = _winner_of_full_board(board)
