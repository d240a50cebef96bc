"""What learners of stable-baselines3 share: collected games, checks of numbers, checkpoints.

A checkpoint holds everything that decides the course of a run: weights, optimiser, counters, the
games under way with their random streams, the generators of torch and numpy. Its values are
tensors, numbers, texts, lists and dictionaries, so reading one executes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from .folder import TrainingError
from .run import initial_learner
from .sb3 import BoardVecEnv


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


class Sb3Learner:
    """A model of stable-baselines3 on a :class:`~plyground.training.sb3.BoardVecEnv`.

    Attributes:
        model: the model.
        env: its games.
        settings: of the run.
        collector: the games that ended in the last update.
    """

    model: Any
    env: BoardVecEnv
    settings: Any
    collector: EpisodeCollector

    @property
    def step(self) -> int:
        """How many actions have been taken."""
        return int(self.model.num_timesteps)

    @property
    def policy(self) -> Any:
        """What plays: it has ``get_distribution(observations, masks)``."""
        return self.model.policy

    def learning_rate(self, remaining: float) -> float:
        """The learning rate while this share of the steps remains: it falls to 0."""
        rate: float = self.settings.learning_rate * max(remaining, 0.0)
        return rate

    def set_up(self) -> None:
        """Make a new model ready for updates, with the weights that the settings begin with."""
        if self.settings.initial:
            self.begin_with(Path(self.settings.initial))
        self.model.set_logger(Logger(None, []))
        self.collector = EpisodeCollector()
        _, self._callback = self.model._setup_learn(self.settings.steps, self.collector)

    def begin_with(self, run: Path) -> None:
        """Take over the newest weights of a run.

        Raises:
            TrainingError: the folder holds no run of this algorithm, or its weights do not fit.
        """
        held = initial_learner(run)
        try:
            self.policy.load_state_dict(held["policy"])
        except (KeyError, RuntimeError):
            raise TrainingError(
                f"initial={run} is not possible: it is a run of another algorithm, or its network "
                f"has another shape; the game and the settings channels, layers, dense and hidden "
                f"must agree"
            ) from None

    def checked_values(self, began: int) -> dict[str, float]:
        """What the model logged since the last time, with the means of the games that ended.

        Args:
            began: the step at which the update began.

        Raises:
            TrainingError: a loss or a weight is no longer a number.
        """
        logged = self.model.logger.name_to_value
        values = {name: float(value) for name, value in logged.items()}
        logged.clear()
        loss = values.get("train/loss", 0.0)
        if not math.isfinite(loss) or not all(
            bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()
        ):
            raise TrainingError(
                f"the loss is no number any more after step {began} (train/loss is {loss}); a "
                f"lower learning_rate may help"
            )
        if self.collector.returns:
            values["rollout/mean_return"] = float(np.mean(self.collector.returns))
            values["rollout/mean_length"] = float(np.mean(self.collector.lengths))
        return values

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state of the learner and its games, for a checkpoint."""
        model = self.model
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
                name: to_bytes(values) for name, values in self.env.games.state._asdict().items()
            },
            "observations": _each(model._last_obs, lambda seen: torch.from_numpy(seen.copy())),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        model = self.model
        model.num_timesteps, model._n_updates = state["step"], state["updates"]
        model._update_current_progress_remaining(self.step, self.settings.steps)
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        for name, values in self.env.games.state._asdict().items():
            from_bytes(state["games"][name], values)
        self.env.observations()  # brings the view through the symmetries up to date
        model._last_obs = _each(state["observations"], lambda held: held.numpy())
        kind, keys, *rest = state["numpy"]
        np.random.set_state((kind, keys.numpy().astype(np.uint32), *rest))  # noqa: NPY002
        torch.set_rng_state(state["torch"])


def to_bytes(values: np.ndarray) -> torch.Tensor:
    """An array as a tensor of bytes."""
    return torch.from_numpy(values.view(np.uint8).copy())


def from_bytes(held: torch.Tensor, values: np.ndarray) -> None:
    """Write what :func:`to_bytes` returned into an array of the same shape and type."""
    values.view(np.uint8)[...] = held.numpy().reshape(values.view(np.uint8).shape)


def _each(observations: Any, convert: Callable[[Any], Any]) -> Any:
    """Observations, one array or a dictionary of them, each converted."""
    if isinstance(observations, dict):
        return {name: convert(values) for name, values in observations.items()}
    return convert(observations)
