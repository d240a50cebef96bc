"""PPO as a training run uses it: MaskablePPO of sb3-contrib."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

from ..devices import use_bfloat16
from ..export import PolicyExporter
from ..run import TrainingRun
from ..sb3_trainer import Sb3Trainer, train_sb3

try:
    from sb3_contrib import MaskablePPO
except ImportError as error:
    raise ImportError('training needs sb3-contrib: pip install "plyground[train]"') from error

from ..network import BoardPolicy, action_places, full_precision


class PPOTrainer(Sb3Trainer):
    """MaskablePPO against a curriculum."""

    def make_model(self, seed: int) -> MaskablePPO:
        """The model on ``env``, with its initial weights."""
        # a tenth of the time; what a NaN does is caught in `update`
        torch.distributions.Distribution.set_default_validate_args(False)
        settings = self.settings
        network = {
            "channels": settings.channels,
            "layers": settings.layers,
            "dense": settings.units,
            "hidden": settings.hidden,
            "bfloat16": use_bfloat16(settings.precision, self.device),
            "places": action_places(self.game),
        }
        return MaskablePPO(
            BoardPolicy,
            self.env,
            learning_rate=self.learning_rate,
            n_steps=settings.rollout,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            vf_coef=settings.value_weight,
            max_grad_norm=settings.gradient_norm,
            policy_kwargs=network,
            seed=seed,
            device=self.device,
        )

    def learn(self) -> None:
        """Play a rollout and learn from it."""
        model = self.model
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(self.step, self.steps_in_all)
        model.ent_coef = self.settings.entropy * max(model._current_progress_remaining, 0.0)
        model.train()

    def make_exporter(self) -> PolicyExporter:
        """Writes the policy as policy files."""
        return PolicyExporter(self.model, self.game)

    def full_precision(self) -> AbstractContextManager[None]:
        """The policy computes in float32 meanwhile, as it is exported."""
        return full_precision(self.policy)

    def learner_state(self) -> dict[str, Any]:
        """The state of the model and its games."""
        starts = torch.from_numpy(self.model._last_episode_starts.copy())
        return {**super().learner_state(), "starts": starts}

    def load_learner_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`learner_state` returned."""
        super().load_learner_state(state)
        self.model._last_episode_starts = state["starts"].numpy()


# Begins or resumes a run; see :func:`~plyground.training.sb3_trainer.train_sb3`.
train: Callable[..., TrainingRun] = functools.partial(train_sb3, PPOTrainer)
