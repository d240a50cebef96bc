"""Prompts for language models: positions as text, and moves read from the answers."""

from __future__ import annotations

import re

from ....envs.game import Position


def describe(position: Position) -> str:
    """The prompt for a position: game, moves, board, whose turn, legal moves."""
    game = position.game
    history = ""
    if position.moves:
        names = ", ".join(game.action_to_text(action) for action in position.moves)
        history = f"Moves so far: {names}\n"
    legal = ", ".join(game.action_to_text(action) for action in position.legal_actions())
    side = ("first", "second")[position.to_move]
    return (
        f"Game: {game.spec}\n{history}\n{position}\n\nYou are the {side} player, and it is your "
        f"turn.\nLegal moves: {legal}"
    )


def read_move(position: Position, answer: str) -> tuple[int | None, str]:
    """The legal move in the last line of an answer; or None and the fault."""
    names = {position.game.action_to_text(action): action for action in position.legal_actions()}
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    last = lines[-1].strip("`*\"'. ") if lines else ""
    if last in names:
        return names[last], ""
    matches = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", last)]
    if len(matches) == 1:
        return names[matches[0]], ""
    excerpt = last[:60] or "nothing"
    return None, f"{excerpt!r} is not legal. The last line must be one of: {', '.join(names)}"
