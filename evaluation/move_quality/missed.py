"""Wins and blocks that a move missed: what reviews and the judge of moves say beside its loss."""

from __future__ import annotations

from ...agents.lookahead import HOLDS, LETS_WIN, WINS, grades
from ...envs import rules as r
from ...envs.game import Position

MISSED_WIN, MISSED_BLOCK, HASTENED = MISSED = "win", "block", "hastened"


def missed_in(
    position: Position, action: int
) -> tuple[str | None, tuple[int, ...], tuple[int, ...]]:
    """What a move missed in the next two plies.

    Where margins decide, the last move of a game is no threat.

    Returns:
        What it missed (None: nothing), the actions that win at once, the mover's for a missed win
        and the opponent's for a missed block, and the actions to play instead.
    """
    by_action = grades(position)
    wins = _actions_of(WINS, by_action)
    if wins:
        decides = _decides(position, wins[0])
        return (MISSED_WIN, wins, wins) if decides and action not in wins else (None, (), ())
    holding = _actions_of(HOLDS, by_action)
    if by_action[action] != LETS_WIN or not holding:
        return None, (), ()
    child = position.after(action)
    threats = _actions_of(WINS, grades(child))
    return (MISSED_BLOCK, threats, holding) if _decides(child, threats[0]) else (None, (), ())


def _actions_of(grade: int, by_action: dict[int, int]) -> tuple[int, ...]:
    return tuple(action for action, each in by_action.items() if each == grade)


def _decides(position: Position, action: int) -> bool:
    """Whether a last move wins by itself, not by the margin."""
    rules, last = position.game.rules, position.after(action)
    return int(r.margin(rules, last.record, 0)) == 0
