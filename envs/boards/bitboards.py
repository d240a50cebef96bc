"""Bitboards of games won by a row of stones, for shallow searches.

The cell (row, column) is bit ``column * (rows + 1) + row``. The spare bit after each column keeps
columns apart, so that shifted boards never wrap. A game with this layout declares a
:class:`StoneGrid` (:func:`stone_grid`), its boards (:func:`stones`), and the points of a heuristic
after each move (:func:`points_of_moves`); its actions must have an order that does not depend on
the position.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from ..compiled.bits import count_bits
from ..compiled.dispatch import missing, rule
from ..compiled.kernels import inner_kernel, kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
DIRECTIONS = 4
BITS = 64


class StoneGrid(NamedTuple):
    """The layout of stones on the bitboards of a game.

    Attributes:
        rows, cols, connect: the values of the rules.
        falls: 1: an action is a column, a stone falls to its lowest free cell; 0: an action is a
            cell, row-major.
        board: uint64: all cells.
        bottom: uint64: the first cell of every column.
    """

    rows: int
    cols: int
    connect: int
    falls: int
    board: Any
    bottom: Any


def new_grid(rules: Any, falls: bool) -> StoneGrid | None:
    """The grid of rules with ``rows``, ``cols`` and ``connect``; None if 64 bits are not enough."""
    height = rules.rows + 1
    if height * rules.cols > BITS:
        return None
    bottom = sum(1 << height * column for column in range(rules.cols))
    board = bottom * ((1 << rules.rows) - 1)
    sides = rules.rows, rules.cols, rules.connect
    return StoneGrid(*sides, int(falls), np.uint64(board), np.uint64(bottom))


@functools.singledispatch
def stone_grid(rules: Any) -> StoneGrid | None:
    """The layout of stones on bitboards; None for games and boards without one."""
    return None


@rule
def stones(rules, position):
    """The bitboards (uint64) of the player to move and of the other."""
    raise missing(rules, "stones")


@rule
def points_of_moves(rules, grid, own, other, other_wins, player, masks, points):
    """Write the points of the default heuristic after each move, from the mover's side.

    Args:
        rules: the game's rules.
        grid: its grid.
        own: the stones of the player to move.
        other: the stones of the opponent.
        other_wins: the free cells that complete a row of the opponent.
        player: the player to move.
        masks: uint64, the cells of each move: at most one of them is playable.
        points: int64, as long as ``masks``; arbitrary values for moves without a playable cell.
    """
    raise missing(rules, "points_of_moves")


@kernel
def playable(grid, occupied):
    """The cells on which a stone can be put."""
    if grid.falls:
        return (occupied + grid.bottom) & grid.board
    return grid.board & ~occupied


@kernel
def completing_cells(stones, empty, rows, connect):
    """The empty cells on which one more stone completes ``connect`` in a row.

    The other stones of the row may be on either side of the cell.
    """
    wins = ZERO
    for direction in range(DIRECTIONS):
        step = np.uint64(1 if direction == 0 else rows + direction - 1)
        if connect == 4:  # the standard game, unrolled: every leaf of a search calls this
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


@inner_kernel
def _complete_after(grid, connect, own, other, masks, wins):
    """The body of :func:`complete_after`, vectorised if ``connect`` is constant."""
    free = playable(grid, own | other)
    for move in range(wins.size):
        stones = own | masks[move] & free
        wins[move] = completing_cells(stones, grid.board & ~(stones | other), grid.rows, connect)


@inner_kernel
def complete_after(grid, own, other, masks, wins):
    """Write the cells that complete a row of ``own`` after each of its moves.

    ``masks`` is as for :func:`points_of_moves`, ``wins`` (uint64) as long.
    """
    if grid.connect == 4:
        _complete_after(grid, 4, own, other, masks, wins)
    elif grid.connect == 3:
        _complete_after(grid, 3, own, other, masks, wins)
    else:
        _complete_after(grid, grid.connect, own, other, masks, wins)


@kernel
def count_lines(cells, rows, connect):
    """The number of lines of ``connect`` that lie within ``cells``."""
    lines = 0
    for direction in range(DIRECTIONS):
        step = 1 if direction == 0 else rows + direction - 1
        run, length = cells, 1
        while length < connect:
            more = min(length, connect - length)
            run &= run >> np.uint64(step * more)
            length += more
        lines += count_bits(run)
    return lines
