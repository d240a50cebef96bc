"""Values on the pages: results as text, estimates on one scale.

A result that is proved, or that a search has seen, is a text: ``win in 7``, ``loss by 4``.
An estimate is the expected score of the player to move in per cent, or in games that return margins
the expected margin. Points of a heuristic are converted as in reviews, by the game's lead.
"""

from __future__ import annotations

from typing import Any

from ....agents.decision import Score
from ....envs.game import Game, Position
from .words import Words

FORESEEN_RESULT = (
    0.97  # the share of an unproved result seen by a search, and the maximum of estimates
)
BOUNDS = {"lower": "≥", "upper": "≤"}
RESULTS = {1: "win", 0: "draw", -1: "loss"}


def _share_of(game: Game, score: Score) -> float:
    """A score as a share of the greatest return, from −1 to 1, from the side to move."""
    if score.unit == "points":
        return game.profile.scale(score.level)
    return score.value / game.facts.max_return


def _bounded(share: float) -> float:
    """The share of an estimate, which is never certain."""
    return max(-FORESEEN_RESULT, min(FORESEEN_RESULT, share))


def _sign_of(value: float) -> int:
    """1, 0 or −1."""
    return (value > 0) - (value < 0)


def bar_value(position: Position, score: Score | None) -> float | None:
    """A score from the side to move as a place on the bar, from player_0's side.

    Returns:
        1 for a win of player_0, −1 for a win of player_1, 0 for a draw; estimates lie between
        them. None without a score.
    """
    if score is None:
        return None
    share = _share_of(position.game, score)
    if score.unit == "return" and score.is_exact:
        share = float(_sign_of(share))
    elif score.unit == "return" and score.plies is not None:
        share = FORESEEN_RESULT * _sign_of(share)
    else:
        share = _bounded(share)
    return round(share if position.to_move == 0 else -share, 4)


def value_json(words: Words, position: Position, score: Score | None) -> dict[str, Any] | None:
    """A score for the pages: ``text``, the same in one or two short ``lines``, a ``kind``.

    The kind is ``win``, ``draw`` or ``loss`` if proved, else ``guess``. ``points`` is a heuristic's
    estimate in its own unit.
    """
    if score is None:
        return None
    game = position.game
    counts_margin = game.facts.max_return != 1
    if score.unit == "return" and (score.is_exact or score.plies is not None):
        margin = score.value if counts_margin else None
        return result_json(words, score.value, score.plies, margin, proved=score.is_exact)
    share = _share_of(game, score)
    if counts_margin:
        text = f"{game.facts.max_return * share:+.1f}".replace("-", "−")
    else:
        text = f"{50 + 50 * _bounded(share):.0f} %"
    text = BOUNDS.get(score.kind, "") + text
    shown = {"text": text, "lines": [text.removesuffix(" %")], "kind": "guess"}
    if score.unit == "points":
        points = f"{BOUNDS.get(score.kind, '')}{score.level:+.0f}".replace("-", "−")
        shown["points"] = words("value.points", points=points)
    return shown


def result_json(
    words: Words, worth: float, plies: int | None, margin: float | None, proved: bool = True
) -> dict[str, Any]:
    """A result for the pages: see :func:`value_json`.

    Args:
        words: the language.
        worth: the return of the side to move.
        plies: the number of plies to the end, if known.
        margin: the final margin of the side to move, if known.
        proved: whether it is proved.
    """
    kind = RESULTS[_sign_of(worth)]
    lines = [words(f"value.{kind}") + ("" if proved else "?")]
    if kind != "draw" and plies is not None:
        lines.append(words("value.in", plies=plies))
    elif kind != "draw" and margin:
        lines.append(words("value.by", margin=f"{abs(margin):g}"))
    return {"text": " ".join(lines), "lines": lines, "kind": kind if proved else "guess"}
