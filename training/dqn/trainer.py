"""DQN against a curriculum of opponents, as a training run uses it."""

from __future__ import annotations

import functools

from ..opposed import OpposedTrainer, train_against
from .learner import DQNLearner


class DQNTrainer(OpposedTrainer):
    """DQN against a curriculum; it is shown the mask beside the planes."""

    shown = {"observation": "dict"}

    def make_learner(self, seed: int) -> DQNLearner:
        """The learner on ``env``."""
        return DQNLearner(self.env, self.settings, seed)


# Begins or resumes a run; see :func:`~plyground.training.opposed.train_against`.
train = functools.partial(train_against, DQNTrainer)
