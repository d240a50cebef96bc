"""Textbook minimax and alpha-beta in plain recursive Python, on the public face of the games: what
the compiled engine is held against.
"""

from __future__ import annotations

import math

from plyground import Position
from plyground.envs import rules as r

# A win, a unit of the margin where that breaks ties; each ply takes one point off a win.
WIN, LEAD = 1_000_000, 1_000
PROVEN = WIN // 2  # values beyond this are results


def leaf_value(position: Position, maximiser: int, ply: int, heuristic: int) -> int:
    """Points of a leaf: its result if the game is over (quick wins and slow losses preferred), else
    the heuristic's.
    """
    if position.is_over:
        points = int(position.returns[maximiser] * WIN)
        lead = LEAD * int(r.margin(position.game.rules, position.record, maximiser))
        return points + lead - ply * ((points > 0) - (points < 0))
    return (
        int(r.evaluate(position.game.rules, position.record, maximiser, heuristic))
        if heuristic >= 0
        else 0
    )


def minimax(
    position: Position, depth: int, maximiser: int, heuristic: int = -1, ply: int = 0
) -> tuple[int, int | None, int]:
    """(value, best action, nodes); only a change of turn uses up depth."""
    if position.is_over or depth == 0:
        return leaf_value(position, maximiser, ply, heuristic), None, 1
    mover, nodes, best, best_action = position.to_move, 1, None, None
    for action in position.legal_actions():
        child = position.after(action)
        value, _, visited = minimax(
            child, depth - (child.to_move != mover), maximiser, heuristic, ply + 1
        )
        nodes += visited
        if best is None or (value > best if mover == maximiser else value < best):
            best, best_action = value, action
    return best, best_action, nodes


def alphabeta(
    position: Position,
    depth: int,
    maximiser: int,
    heuristic: int = -1,
    ply: int = 0,
    alpha: float = -math.inf,
    beta: float = math.inf,
) -> tuple[int, int | None, int]:
    """(value, best action, nodes) of fail-soft alpha-beta, actions in ascending order."""
    if position.is_over or depth == 0:
        return leaf_value(position, maximiser, ply, heuristic), None, 1
    mover, nodes, best, best_action = position.to_move, 1, None, None
    for action in position.legal_actions():
        child = position.after(action)
        value, _, visited = alphabeta(
            child, depth - (child.to_move != mover), maximiser, heuristic, ply + 1, alpha, beta
        )
        nodes += visited
        if best is None or (value > best if mover == maximiser else value < best):
            best, best_action = value, action
        if mover == maximiser:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return best, best_action, nodes
