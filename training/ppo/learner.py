"""MaskablePPO as a run uses it: its settings, its updates and its checkpoints.

Every update checks its numbers. A checkpoint holds everything that decides the course of a run:
weights, optimiser, counters, the games under way with their random streams, the generators of torch
and numpy. Its values are tensors, numbers, texts, lists and dictionaries, so reading one executes
nothing.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.game import Game
from ..folder import TrainingError
from ..run import initial_learner
from ..sb3 import BoardVecEnv
from .settings import PPOSettings

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
except ImportError as error:
    raise ImportError(
        'training needs stable-baselines3 and sb3-contrib: pip install -e ".[train]"'
    ) from error

from ..network import BoardPolicy, action_places, processor_has_bfloat16


class EpisodeCollector(BaseCallback):
    """Collects the returns of the games that end during a rollout."""

    def __init__(self) -> None:
        super().__init__()
        self.opponents: list[int] = []
        self.returns: list[float] = []
        self.lengths: list[int] = []

    def _on_rollout_start(self) -> None:
        for kept in (self.opponents, self.returns, self.lengths):
            kept.clear()

    def _on_step(self) -> bool:
        state = self.locals["env"].games.state
        ended = np.flatnonzero(state.terminated)
        self.opponents += state.final_opponents[ended].tolist()
        self.returns += state.final_returns[ended].tolist()
        self.lengths += state.final_lengths[ended].tolist()
        return True


class Learner:
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
            learning_rate=lambda remaining: settings.learning_rate * max(remaining, 0.0),
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
        if settings.initial:
            self._begin_with(Path(settings.initial))
        self.model.set_logger(Logger(None, []))
        self.collector = EpisodeCollector()
        _, self._callback = self.model._setup_learn(settings.steps, self.collector)

    def _begin_with(self, run: Path) -> None:
        """Take over the newest weights of a run.

        Raises:
            TrainingError: the folder holds no run of PPO, or its weights do not fit.
        """
        held = initial_learner(run)
        try:
            self.policy.load_state_dict(held["policy"])
        except (KeyError, RuntimeError):
            raise TrainingError(
                f"initial={run} is not possible: it is no run of PPO, or its network has another "
                f"shape; the game and the settings channels, layers, dense and hidden must agree"
            ) from None

    @property
    def step(self) -> int:
        """How many actions have been taken."""
        return int(self.model.num_timesteps)

    @property
    def policy(self) -> Any:
        return self.model.policy

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
        values = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        if not math.isfinite(values["train/loss"]) or not all(
            bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()
        ):
            raise TrainingError(
                f"the loss is no number any more after step {began} (train/loss is "
                f"{values['train/loss']}); a lower learning_rate may help"
            )
        if self.collector.returns:
            values["rollout/mean_return"] = float(np.mean(self.collector.returns))
            values["rollout/mean_length"] = float(np.mean(self.collector.lengths))
        return values

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state of the learner and its games, for a checkpoint."""
        model: Any = self.model
        kind, keys, position, has_gauss, cached = np.random.get_state()  # noqa: NPY002 - the one SB3 draws its minibatches with
        return {
            "step": self.step,
            "updates": model._n_updates,
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "torch": torch.get_rng_state(),
            "numpy": [
                str(kind),
                torch.from_numpy(np.asarray(keys).astype(np.int64)),
                int(position),
                int(has_gauss),
                float(cached),
            ],
            "games": {
                name: _to_bytes(values) for name, values in self.env.games.state._asdict().items()
            },
            "observations": torch.from_numpy(model._last_obs.copy()),
            "starts": torch.from_numpy(model._last_episode_starts.copy()),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        model = self.model
        model.num_timesteps, model._n_updates = state["step"], state["updates"]
        model._update_current_progress_remaining(self.step, self.settings.steps)
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        for name, values in self.env.games.state._asdict().items():
            values.view(np.uint8)[...] = (
                state["games"][name].numpy().reshape(values.view(np.uint8).shape)
            )
        self.env.observations()  # brings the view through the symmetries up to date
        model._last_obs, model._last_episode_starts = (
            state["observations"].numpy(),
            state["starts"].numpy(),
        )
        kind, keys, *rest = state["numpy"]
        np.random.set_state((kind, keys.numpy().astype(np.uint32), *rest))  # noqa: NPY002
        torch.set_rng_state(state["torch"])


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


def _to_bytes(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values.view(np.uint8).copy())


def use_threads(count: int) -> None:
    """Let torch use this many threads."""
    torch.set_num_threads(count)
