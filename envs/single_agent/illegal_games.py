"""One warning for a learner whose games end by illegal actions, since its score says little.

Evaluations of other libraries, such as ``evaluate_policy`` of stable-baselines3, use no masks and
count such games as losses.
"""

from __future__ import annotations

import warnings
from collections import deque

import numpy as np

from ..game import Game

LATEST = 10  # games considered: as many as evaluate_policy plays by default

_latest: dict[str, deque[bool]] = {}  # whether the latest games ended this way, by game
_warned: set[str] = set()


class IllegalEnds:
    """Warns once for a game in this process if most of the latest games ended this way.

    Games are counted across environments, since each may play only a few. An environment's games
    count from the first one that an illegal action has ended.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game.spec
        self._has_illegal = False

    def note(self, illegal: np.ndarray, over: np.ndarray, before: np.ndarray | None) -> None:
        """Count the games after a step.

        Args:
            illegal: whether the learner's action was illegal, bool (N,).
            over: whether a game has ended, bool (N,).
            before: games that had ended before the step; None: none.
        """
        self._has_illegal = self._has_illegal or bool(illegal.any())
        if not self._has_illegal or self._game in _warned:
            return
        latest = _latest.setdefault(self._game, deque(maxlen=LATEST))
        latest.extend(illegal[over if before is None else over & ~before].tolist())
        if len(latest) < LATEST or 2 * sum(latest) <= LATEST:
            return
        _warned.add(self._game)
        warnings.warn(
            f"{sum(latest)} of the latest {LATEST} games of {self._game} ended by an illegal "
            f"action of the learner, which loses; the legal ones are env.action_masks() and "
            f"info['action_mask']. evaluate_policy of stable-baselines3 ignores both; "
            f"plyground.evaluate(model, {self._game!r}) and evaluate_policy of sb3_contrib with "
            f"MaskablePPO play legal actions only",
            stacklevel=2,
        )
