"""PPO against a curriculum of opponents, as a training run uses it."""

from __future__ import annotations

import functools

from ..opposed import OpposedTrainer, train_against
from .learner import Learner


class PPOTrainer(OpposedTrainer):
    """MaskablePPO against a curriculum."""

    def make_learner(self, seed: int) -> Learner:
        """The learner on ``env``."""
        return Learner(self.env, self.settings, seed)


# Begins or resumes a run; see :func:`~plyground.training.opposed.train_against`.
train = functools.partial(train_against, PPOTrainer)
