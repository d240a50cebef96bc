"""Reviews as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ...envs.game import PLAYERS, Game
from ..grades import (
    BEST,
    GOOD,
    GRADES,
    INACCURACY,
    MISTAKE,
    ONLY_MOVE,
    PositionValue,
    Review,
    ReviewedMove,
)
from .display import percent, plain_table

STYLES = {BEST: "green", GOOD: "", INACCURACY: "yellow", MISTAKE: "bold red", ONLY_MOVE: "dim"}
LINE_SHOWN = 6  # moves of a better line


Sides = tuple[str, str]  # what the players are called


def side_names(game: Game) -> Sides:
    """What players are called beside pictures: the game's own words, or its marks without any."""
    words, (first, second) = game.profile.words_in("en"), game.declaration.marks
    return words.get("player.0", first), words.get("player.1", second)


def value_text(game: Game, value: PositionValue, sides: Sides | None = None) -> str:
    """A value in words.

    A proved one is the result, with the margin where games return it; an estimate is the expected
    score of the first player. Without ``sides`` players are called by their marks, which stand on
    boards of text.
    """
    sides = sides or game.declaration.marks
    if value.exact:
        if value.value == 0:
            return "draw"
        winner = sides[0] if value.value > 0 else sides[1]
        margin = f" by {abs(value.value):g}" if game.facts.max_return != 1 else ""
        return f"{winner} wins{margin}"
    lowest, highest = game.facts.min_return, game.facts.max_return
    return f"~{100 * (value.value - lowest) / (highest - lowest):.0f} % {sides[0]}"


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
    totals = plain_table("player", *GRADES, "loss a move, %")
    for name, *figures in totals_rows(review):
        totals.add_row(Text(name), *figures)
    console.print()
    console.print(totals)
    console.print(f"\n{method_text(review)}", markup=False, soft_wrap=True)


def totals_rows(review: Review, sides: Sides | None = None) -> Iterator[list[str]]:
    """For each player the side and the name, the moves of each grade, the mean loss in percent."""
    for player, side in enumerate(sides or review.played.game.declaration.marks):
        total, name = review.totals(player), review.played.players[player]
        name = side if name == PLAYERS[player] else f"{side} {name}"
        yield [name, *map(str, total.grades.values()), percent(total.mean_loss)]


def method_text(review: Review, sides: Sides | None = None) -> str:
    """How the values were found, in a sentence or two."""
    estimates = sum(not value.exact for value in review.values)
    if not estimates:
        return "All values are exact."
    proofs = len(review.values) - estimates
    first = (sides or review.played.game.declaration.marks)[0]
    exact = f"{proofs} of {len(review.values)} values are exact. " if proofs else ""
    return f"{exact}~ marks estimates by {review.agent}: the expected score of {first}."
