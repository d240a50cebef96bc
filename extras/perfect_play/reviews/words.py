"""Values, grades and totals of reviews as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....envs.game import Game
from ....envs.outcome import PLAYERS
from ....evaluation.report.display import percent
from .grades import PositionValue, ReviewedMove

if TYPE_CHECKING:
    from .review import Review

LINE_SHOWN = 6  # moves of a better line


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
    """A sentence about a graded move: the grade, its loss, what was better."""
    words = move.grade
    if move.change is not None:
        words += f" ({move.change})"
    elif move.loss > 0:
        words += f" (−{percent(move.loss)} % of expected score)"
    if not move.better:
        return words
    line = ", ".join(map(game.action_to_text, move.line[:LINE_SHOWN]))
    more = ", …" if len(move.line) > LINE_SHOWN else ""
    return f"{words}; better: {line}{more}"


def totals_rows(review: Review, marked: bool = True) -> Iterator[list[str]]:
    """For each player the side and the name, the moves of each grade, the mean loss in percent."""
    for player, side in enumerate(review.played.game.declaration.player_names(marked=marked)):
        total, name = review.totals(player), review.played.players[player]
        name = side if name == PLAYERS[player] else f"{side} {name}"
        yield [name, *map(str, total.grades.values()), percent(total.mean_loss)]


def method_text(review: Review, marked: bool = True) -> str:
    """A sentence or two about the source of the values."""
    estimates = sum(not value.exact for value in review.values)
    if not estimates:
        return "All values are exact."
    proofs = len(review.values) - estimates
    first = review.played.game.declaration.player_names(marked=marked)[0]
    exact = f"{proofs} of {len(review.values)} values are exact. " if proofs else ""
    return f"{exact}~ marks estimates by {review.agent}: the expected score of {first}."
