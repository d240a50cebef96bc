"""The evaluation bar: a score as a number from −1 to 1."""

from __future__ import annotations

import math

from ..agents.score import Score
from ..agents.search.mcts_kernels import SQUASH
from ..envs.game import Position

FORESEEN_RESULT = 0.97  # of a result that a search has seen without proving it
WIDEST_ESTIMATE = 0.94


def bar_value(position: Position, score: Score | None) -> float | None:
    """A score from the side to move as a place on the bar, from player_0's side.

    Returns:
        1 for a win of player_0, −1 for a win of player_1, 0 for a draw; estimates lie between
        them. None where there is no score.
    """
    if score is None:
        return None
    if score.unit == "return":
        share = score.value / position.game.facts.max_return
        if position.game.facts.max_return > 1:
            share = math.tanh(2 * share)  # a lead of a few units is seen on the bar
        if score.is_exact:
            share = math.copysign(1.0, share) if share else 0.0
        elif score.plies is not None and share:
            share = math.copysign(FORESEEN_RESULT, share)
        else:
            share *= WIDEST_ESTIMATE
    else:
        share = WIDEST_ESTIMATE * score.value / (abs(score.value) + SQUASH)  # as in reviews
    return round(share if position.to_move == 0 else -share, 4)
