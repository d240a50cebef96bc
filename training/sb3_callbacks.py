"""Callbacks for stable-baselines3: self-play against past versions, ratings against a ladder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..envs.game import Game
from ..envs.single_agent.opponents import Opponent
from .export import PolicyExporter

try:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
except ImportError as error:
    raise ImportError(
        'plyground.training.sb3_callbacks needs stable-baselines3: pip install "plyground[train]"'
    ) from error


def set_opponent(env: VecEnv, opponent: Any) -> None:
    """Replace the opponents in an SB3 vector environment of plyground environments."""
    while isinstance(env, VecEnvWrapper):
        env = env.venv
    if hasattr(env, "set_opponent"):
        env.set_opponent(opponent)
    else:
        env.env_method("set_opponent", opponent)


class OpponentSource(Protocol):
    """A source of opponents, such as a learner's past versions."""

    @property
    def members(self) -> Sequence[str]:
        """The names of all members; empty at first if they are all versions of the learner."""

    def add(self, policy: Any) -> Any:
        """Add the learner, a model, in its present state."""

    def draw(self, count: int) -> Sequence[Opponent]:
        """The opponents of the next games, from ``count`` draws; a member's name is its label."""

    def add_result(self, name: str, learner_return: float) -> None:
        """Count a finished game against a member: above 0 if the learner won, below if it lost."""

    def save(self) -> None:
        """Save what must outlast the training."""


class SelfPlayCallback(BaseCallback):
    """Trains a model against a source of opponents, adding versions of the model to it.

    Args:
        source: the opponents; the model is added at once if there are none.
        every: steps between two versions.
        draws: the number of opponents drawn for each rollout.
    """

    def __init__(self, source: OpponentSource, every: int = 50_000, draws: int = 4) -> None:
        super().__init__()
        self.source: OpponentSource = source
        self._every: int = every
        self._draws: int = draws
        self._added = 0
        self._labels: list[str] = []

    def _on_training_start(self) -> None:
        if not self.source.members:
            self.source.add(self.model)
        self._added = self.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self._added >= self._every:
            self.source.add(self.model)
            self._added = self.num_timesteps
        opponents = self.source.draw(self._draws)
        self._labels = [opponent.label for opponent in opponents]
        set_opponent(self.training_env, opponents)

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.source.add_result(self._labels[int(info["opponent"])], info["episode"]["r"])
        return True

    def _on_training_end(self) -> None:
        self.source.save()


class LadderCallback(BaseCallback):
    """Rates a model during training, and logs the ratings to SB3's logger (TensorBoard, W&B).

    Args:
        game: the game.
        folder: the folder of the rated policy files, such as ``000000050000.onnx``.
        rate: rates a policy file, such as :meth:`plyground.evaluation.ladder.Ladder.rate`. It
            returns numbers by name, which are logged as ``ladder/NAME``.
        every: steps between two ratings.
    """

    def __init__(
        self,
        game: Game | str,
        folder: str | Path,
        rate: Callable[[Path], dict[str, float]],
        every: int = 100_000,
    ) -> None:
        super().__init__()
        self._game, self._folder, self._rate, self._every = game, Path(folder), rate, every
        self._rated = 0
        # Of each rating, by the step.
        self.history: dict[int, dict[str, float]] = {}

    def _on_training_start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._exporter = PolicyExporter(self.model, self._game)
        self._rated = self.num_timesteps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self._rated >= self._every:
            self._rate_now()

    def _on_training_end(self) -> None:
        if self._rated < self.num_timesteps:
            self._rate_now()

    def _rate_now(self) -> None:
        step = self._rated = self.num_timesteps
        path = self._folder / f"{step:012d}.onnx"
        self._exporter.write(path)
        self.history[step] = self._rate(path)
        for name, value in self.history[step].items():
            self.logger.record(f"ladder/{name}", value)
        self.logger.dump(step)
