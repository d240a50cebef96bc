"""The turning points of a game: the moves that decided it, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ....evaluation.move_quality.missed import MISSED_BLOCK
from .grades import MISTAKE, ReviewedMove

if TYPE_CHECKING:
    from .review import Review

LOST, GIVEN_AWAY, MOST, AT_ONCE = "lost", "given", "most", "at_once"


class TurningPoint(NamedTuple):
    """A move that decided the game.

    Attributes:
        kind: ``lost`` from here on, ``given``: a win became a draw, ``most``: the largest estimated
            loss, or ``at_once``: the opponent could win with the next move.
        player: the player who made it.
        ply: the number of actions before it.
        number: how many moves of this player there are up to it.
        name: the move.
    """

    kind: str
    player: int
    ply: int
    number: int
    name: str


def turning_points(review: Review) -> list[TurningPoint]:
    """The turning points of a game, in order; empty if there are none.

    An unfinished game counts as won by the side that wins under best play.

    In a lost game these are the loser's last move that lost the game under best play, or the one
    with the largest estimated loss, and, if it is another one, the last that let the opponent win
    at once. In a drawn game they are the moves that gave a win away.
    """
    last, winner = review.values[-1], review.played.winner
    if winner is None and last.exact and last.value:
        winner = int(last.value < 0)
    moves = [move for move in review.moves if not move.opening]
    if winner is None:
        given = [move for move in moves if move.change == "won to drawn"]
        return [_point(review, GIVEN_AWAY, move) for move in given]
    lost = [move for move in moves if move.player != winner]
    changes = [move for move in lost if (move.change or "").endswith("lost")]
    mistakes = [move for move in lost if move.grade == MISTAKE and not move.exact]
    points = []
    if changes:
        points.append(_point(review, LOST, changes[-1]))
    elif mistakes:
        points.append(_point(review, MOST, max(mistakes, key=lambda move: move.loss)))
    at_once = [move for move in lost if move.missed == MISSED_BLOCK]
    if at_once and at_once[-1].ply not in [point.ply for point in points]:
        points.append(_point(review, AT_ONCE, at_once[-1]))
    return sorted(points, key=lambda point: point.ply)


def _point(review: Review, kind: str, move: ReviewedMove) -> TurningPoint:
    number = sum(each.player == move.player for each in review.moves[: move.ply + 1])
    name = review.played.game.action_to_text(move.action)
    return TurningPoint(kind, move.player, move.ply, number, name)


def story(review: Review) -> str:
    """The turning points as a sentence; empty without any."""
    sides = review.played.game.declaration.player_names(marked=False)
    parts = []
    for kind, player, _, number, name in turning_points(review):
        move, side, other = f"move {number} ({name})", sides[player], sides[1 - player]
        parts.append(
            {
                LOST: f"{side} was lost from {move}",
                MOST: f"{side} lost most with {move}",
                GIVEN_AWAY: f"{side} gave a win away with {move}",
                AT_ONCE: f"{side}'s {move} let {other} win at once",
            }[kind]
        )
    return "; ".join(parts) + "." if parts else ""
