"""MaskablePPO as a run uses it: its settings, its updates and its checkpoints."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ...envs.game import Game
from ..export import PolicyExporter
from ..sb3 import BoardVecEnv
from ..sb3_learner import Sb3Learner
from .settings import PPOSettings

try:
    import torch
    from sb3_contrib import MaskablePPO
except ImportError as error:
    raise ImportError(
        'training needs stable-baselines3 and sb3-contrib: pip install -e ".[train]"'
    ) from error

from ..network import BoardPolicy, action_places, full_precision, processor_has_bfloat16


class Learner(Sb3Learner):
    """A MaskablePPO model on a :class:`~plyground.training.sb3.BoardVecEnv`, one update at a time.

    Args:
        env: the games.
        settings: everything else.
        seed: of the weights, the games and the choices.
    """

    def __init__(self, env: BoardVecEnv, settings: PPOSettings, seed: int) -> None:
        # a tenth of the time; what a NaN does is caught in `update`
        torch.distributions.Distribution.set_default_validate_args(False)
        self.env, self.settings = env, settings
        env.seed(seed)
        self.model = MaskablePPO(
            BoardPolicy,
            env,
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
            policy_kwargs=network_options(env.game, settings),
            seed=seed,
            device="cpu",
        )
        self.set_up()

    def update(self) -> dict[str, float]:
        """Play a rollout and learn from it; returns what is to be logged.

        Raises:
            TrainingError: a loss or a weight is no longer a number.
        """
        model = self.model
        began = self.step
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(self.step, self.settings.steps)
        model.ent_coef = self.settings.entropy * max(model._current_progress_remaining, 0.0)
        model.train()
        return self.checked_values(began)

    def exporter(self, game: Game) -> PolicyExporter:
        """Writes the policy as policy files."""
        return PolicyExporter(self.model, game)

    def full_precision(self) -> AbstractContextManager[None]:
        """The policy computes in float32 meanwhile, as it is exported."""
        return full_precision(self.policy)

    def state(self) -> dict[str, Any]:
        """The state of the learner and its games, for a checkpoint."""
        starts = torch.from_numpy(self.model._last_episode_starts.copy())
        return {**super().state(), "starts": starts}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        super().load_state(state)
        self.model._last_episode_starts = state["starts"].numpy()


def network_options(game: Game, settings: PPOSettings) -> dict[str, Any]:
    """The network's settings as :class:`~plyground.training.network.BoardPolicy` takes them."""
    return {
        "channels": settings.channels,
        "layers": settings.layers,
        "dense": settings.units,
        "hidden": settings.hidden,
        "bfloat16": settings.precision == "bfloat16"
        or (settings.precision == "auto" and processor_has_bfloat16()),
        "places": action_places(game),
    }
