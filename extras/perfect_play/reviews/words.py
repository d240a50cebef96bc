"""Values and grades of reviews as text."""

from __future__ import annotations

from ....envs.game import Game
from ....evaluation.move_quality.missed import HASTENED, MISSED_BLOCK, MISSED_WIN
from ....evaluation.report.display import percent
from .grades import PositionValue, ReviewedMove

LINE_SHOWN = 6  # moves of a better line
THREATS_SHOWN = 3  # moves that win at once


def value_text(game: Game, value: PositionValue, marked: bool = True) -> str:
    """A value as text.

    A proved one is the result, with the margin if games return it; an estimate is the expected
    score of the first player. ``marked`` adds the marks used on text boards.
    """
    sides = game.declaration.player_names(marked=marked)
    if value.exact:
        if value.value == 0:
            return "draw"
        winner = sides[0] if value.value > 0 else sides[1]
        margin = f" by {abs(value.value):g}" if game.facts.max_return != 1 else ""
        return f"{winner} wins{margin}"
    lowest, highest = game.facts.min_return, game.facts.max_return
    return f"~{100 * (value.value - lowest) / (highest - lowest):.0f} % {sides[0]}"


def verdict(game: Game, move: ReviewedMove) -> str:
    """A sentence about a graded move: the grade, why, its loss, what was better."""
    notes = [] if move.change is None else [move.change]
    threats = " or ".join(map(game.action_to_text, move.threats[:THREATS_SHOWN]))
    opponent = game.declaration.player_names(marked=False)[1 - move.player]
    if move.missed is not None:
        notes.append(
            {
                MISSED_WIN: f"missed the win: {threats} wins at once",
                MISSED_BLOCK: f"missed the block: {opponent} wins at once with {threats}",
                HASTENED: "halves the rest of the game",
            }[move.missed]
        )
    if not notes and move.loss > 0:
        notes.append(f"−{percent(move.loss)} % of expected score")
    words = f"{move.grade} ({', '.join(notes)})" if notes else move.grade
    if not move.better:
        return words
    line = ", ".join(map(game.action_to_text, move.line[:LINE_SHOWN]))
    more = ", …" if len(move.line) > LINE_SHOWN else ""
    return f"{words}; better: {line}{more}"
