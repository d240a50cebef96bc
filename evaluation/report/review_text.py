"""Reviews as text."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...envs.game import PLAYERS, Game
from ..grades import BEST, GOOD, INACCURACY, MISTAKE, ONLY_MOVE, PositionValue, Review, ReviewedMove
from .display import percent, plain_table

STYLES = {BEST: "green", GOOD: "", INACCURACY: "yellow", MISTAKE: "bold red", ONLY_MOVE: "dim"}
LINE_SHOWN = 6  # moves of a better line


def value_text(game: Game, value: PositionValue) -> str:
    """A value in words.

    A proved one is the result, with the margin where games return it; an estimate is the expected
    score of the first player.
    """
    marks = game.declaration.marks
    if value.exact:
        if value.value == 0:
            return "draw"
        winner = marks[0] if value.value > 0 else marks[1]
        margin = f" by {abs(value.value):g}" if game.facts.max_return != 1 else ""
        return f"{winner} wins{margin}"
    lowest, highest = game.facts.min_return, game.facts.max_return
    return f"~{100 * (value.value - lowest) / (highest - lowest):.0f} % {marks[0]}"


def verdict(game: Game, move: ReviewedMove) -> str:
    """A graded move in a sentence: the grade, what it cost, what was better."""
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


def print_review(review: Review, console: Console) -> None:
    """The graded moves one by one, then the totals and how values were found."""
    game = review.played.game
    marks = game.declaration.marks
    table = plain_table("ply", "", "move", "value after", "grade", left=5)
    for move in review.moves:
        table.add_row(
            str(move.ply + 1),
            marks[move.player],
            game.action_to_text(move.action),
            value_text(game, move.after),
            Text("opening" if move.opening else verdict(game, move), STYLES[move.grade]),
        )
    console.print(table)
    console.print()
    console.print(_totals(review))
    console.print(f"\n{method_text(review)}", markup=False, soft_wrap=True)


def _totals(review: Review) -> Table:
    marks = review.played.game.declaration.marks
    table = plain_table("player", "best", "good", "inaccuracy", "mistake", "loss a move, %")
    for player in range(len(PLAYERS)):
        total = review.totals(player)
        name = f"{marks[player]} {review.played.players[player]}"
        counts = [str(count) for count in total.grades.values()]
        table.add_row(Text(name), *counts, percent(total.mean_loss))
    return table


def method_text(review: Review) -> str:
    """How the values were found, in a sentence or two."""
    estimates = sum(not value.exact for value in review.values)
    if not estimates:
        return "All values are exact."
    proofs = len(review.values) - estimates
    mark = review.played.game.declaration.marks[0]
    exact = f"{proofs} of {len(review.values)} values are exact. " if proofs else ""
    return f"{exact}~ marks estimates by {review.agent}: the expected score of {mark}."
