"""The plain searches of three courses and the medium level of a fourth, as their documents say.

001 (Task 3 and 4), 002 (FindBestMove) and 004 (§5.3) share one form: alpha-beta in which every
child of the root gets the whole window. They differ in what a game that is over counts.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from .gomoku import Gomoku
from .reference import Reference

WIN = 1_000_000  # beyond all points of the courses' evaluations
RUN_POINTS = {4: (5_000, 10_000), 3: (100, 1_000), 2: (10, 50), 1: (1, 1)}  # by open ends, 1 or 2


def alpha_beta(
    game: Reference,
    depth: int,
    end: Callable[[Any, int, int], float],
    leaf: Callable[[Any, int], float],
    actions: Callable[[Any], list[int]],
) -> tuple[int, dict[int, float], int]:
    """The first best action, the value of each action, and how many nodes lie below the root.

    Args:
        game: the position.
        depth: plies.
        end: the value of a game that is over, for a player, at a depth.
        leaf: that of a position that is not searched further.
        actions: those that are tried, in order.
    """
    own, nodes = game.to_move, 0

    def visit(node: Reference, ply: int, alpha: float, beta: float) -> float:
        nonlocal nodes
        nodes += 1
        if node.is_over():
            return end(node, own, ply)
        if ply == depth:
            return leaf(node, own)
        is_max = node.to_move == own
        best = -math.inf if is_max else math.inf
        for action in actions(node):
            value = visit(after(node, action), ply + 1, alpha, beta)
            if is_max:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    values = {
        action: visit(after(game, action), 1, -math.inf, math.inf) for action in actions(game)
    }
    return max(values, key=values.__getitem__), values, nodes


def after(game: Reference, action: int) -> Reference:
    child = copy.deepcopy(game)
    child.play(action)
    return child


def equal_wins(game: Reference, player: int, ply: int) -> float:
    """001: every win counts the same."""
    return WIN * game.returns()[player]


def quick_wins(game: Reference, player: int, ply: int) -> float:
    """002: a win counts the more, the sooner it comes; a loss the less."""
    return (WIN - ply) * game.returns()[player]


def medium_points(game: Gomoku) -> dict[tuple[int, int], int]:
    """003 §3.3: the points of every free cell for the player to move.

    They are those of the runs that an own stone there makes, and twice those of the opponent's.
    """
    own, cells = game.to_move, [(y, x) for y in range(game.rows) for x in range(game.cols)]
    return {
        cell: _evaluate_position(game, cell, own) + 2 * _evaluate_position(game, cell, 1 - own)
        for cell in cells
        if cell not in game.stones
    }


def _evaluate_position(game: Gomoku, cell: tuple[int, int], player: int) -> int:
    points = 0
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count, open_ends = 1, 0
        for sign in (1, -1):
            y, x = cell[0] + sign * dy, cell[1] + sign * dx
            while game.stones.get((y, x)) == player:
                count, y, x = count + 1, y + sign * dy, x + sign * dx
            on_board = 0 <= y < game.rows and 0 <= x < game.cols
            open_ends += on_board and (y, x) not in game.stones
        if count >= 5:
            points += 100_000
        elif open_ends:
            points += RUN_POINTS[count][open_ends - 1]
    return points
