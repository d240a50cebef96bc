"""How often a player's moves are optimal, on a fixed sample of positions solved beforehand.

It is how a learner is measured against perfect play while it trains: the positions are drawn and
solved once, and then all asked about at the same time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.game import Game, Position
from .gauntlet import GauntletResult
from .quality import MoveJudge, sample_positions
from .statistics.intervals import share_interval

LABEL = "optimal moves"


class OptimalityTest:
    """Positions with the value of every legal action.

    Args:
        game: the game; it must have an exact solver.
        count: how many positions, as far as they are found and solved in time.
        seed: decides which.
        time_limit: seconds for solving one position.

    Raises:
        SpecificationError: the game has no solver, or no position was found and solved.
    """

    def __init__(self, game: Game, count: int, seed: int, time_limit: float) -> None:
        judge = MoveJudge(game, time_limit=time_limit)
        positions = [position for position, _ in sample_positions(judge, count, seed).positions]
        self._observations = np.stack([position.observation() for position in positions])
        self._masks = np.stack([position.action_mask() for position in positions])
        self._optimal = [_optimal_actions(judge, position) for position in positions]

    def score(self, player: Any) -> GauntletResult:
        """The share of optimal moves of an object with ``act_batch(observations, masks)``."""
        actions = player.act_batch(self._observations, self._masks).tolist()
        hits = np.array([action in best for action, best in zip(actions, self._optimal)], np.int64)
        share, low, high = share_interval(hits, np.arange(len(hits)))
        found = int(hits.sum())
        return GauntletResult(LABEL, len(hits), found, 0, len(hits) - found, share, low, high)


def _optimal_actions(judge: MoveJudge, position: Position) -> set[int]:
    values = judge.values(position)
    assert values is not None
    best = max(values.values())
    return {action for action, value in values.items() if value == best}
