"""Common parts of the stable-baselines3 algorithms, which learn against a curriculum.

A checkpoint contains everything that decides the course of a run: weights, optimiser, counters, the
games in progress with their random streams, the generators of torch and numpy, the curriculum and
the learner's past versions. Its values are tensors, numbers, texts, lists and dictionaries, so
reading one executes no code.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from ..agents.opponents import MakeAgent
from ..agents.registry import make_agent
from ..envs.game import Game
from ..envs.single_agent.game_batch import GameBatch
from ..envs.single_agent.opponents import index_of_learner
from .checkpoints import initial_learner
from .curriculum import Curriculum
from .folder import TrainingError
from .players import Snapshots
from .sb3 import BoardVecEnv
from .settings import OpposedSettings

CPU = torch.device("cpu")
LONG_OPENING_PLIES = 30  # at most: measured in docs/training.md, "Both kinds of openings"
PAST_VERSIONS = 10  # of the learner, the newest ones, as opponents


class _EpisodeCollector(BaseCallback):
    """Collects the games against others that end during a rollout: opponents, returns, lengths.

    Attributes:
        began: the step at which the rollout began.
    """

    def _on_rollout_start(self) -> None:
        self.began: int = self.model.num_timesteps
        self.opponents: list[int] = []
        self.returns: list[float] = []
        self.lengths: list[int] = []

    def _on_step(self) -> bool:
        batch = self.locals["env"].games
        state = batch.state
        others = state.final_opponents != index_of_learner(batch.opponents)
        games = np.flatnonzero(state.terminated & others)
        self.opponents += state.final_opponents[games].tolist()
        self.returns += state.final_returns[games].tolist()
        self.lengths += state.final_lengths[games].tolist()
        return True


def open_games(
    game: Game,
    settings: OpposedSettings,
    seed: int,
    observation: Literal["planes", "dict"] = "planes",
) -> BoardVecEnv:
    """The N parallel games of a run; observations are planes, or a dictionary with the mask.

    Raises:
        SpecificationError: a judge that does not exist or cannot play the game.
    """
    env = BoardVecEnv(
        game,
        settings.games,
        "random",
        opening_plies=settings.opening_plies,
        long_openings=settings.long_openings,
        long_opening_plies=LONG_OPENING_PLIES,
        regret=settings.regret or None,
        symmetries=settings.symmetries,
        observation=observation,
    )
    env.seed(seed)
    return env


class OpposedLearner:
    """What learners against a curriculum have in common, wherever their games are played.

    Args:
        settings: the settings.
        policy: the policy, with its initial weights.
        games: the batch of its games.

    Attributes:
        policy: the policy.
        curriculum: its opponents.
    """

    curriculum: Curriculum

    def __init__(self, settings: Any, policy: Any, games: GameBatch) -> None:
        self.settings: Any = settings
        self.policy: Any = policy
        self.games: GameBatch = games
        if settings.initial:
            self.load_initial(settings.initial)

    def load_initial(self, run: str) -> None:
        """Start from the newest weights of a run.

        Raises:
            TrainingError: the folder has no run of this algorithm, or its weights do not fit.
        """
        try:
            self.policy.load_state_dict(initial_learner(Path(run))["policy"])
        except (KeyError, RuntimeError):
            raise TrainingError(
                f"initial={run} is not possible: it is a run of another algorithm, or its network "
                f"has another shape; the game and the settings channels, layers and dense must "
                f"agree"
            ) from None

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""
        raise NotImplementedError

    @property
    def updates(self) -> int:
        """The number of updates of the network, as the algorithm counts them."""
        raise NotImplementedError

    @property
    def stage(self) -> str:
        """The stage of the curriculum."""
        return str(self.curriculum)

    def steps_in_all(self, progress: float) -> int:
        """The steps of the whole run: the set number, or an estimate from its time.

        They are a multiple of an update's steps, since a run ends with a whole update.
        """
        steps = int(self.settings.steps)
        if progress > 0.0 and self.settings.time_limit:
            steps = min(round(self.step / progress), steps)
        update = self.settings.games * self.settings.rollout
        return int(update * max(math.ceil(steps / update), self.step // update + 1))

    def share_left(self, progress: float) -> float:
        """The remaining share of the run, for learning rates: 1 − k/n before update k of n.

        It is constant during an update, so the last one learns too.
        """
        return 1.0 - self.step / self.steps_in_all(progress)

    def add_results(self, opponents: list[int], returns: list[float]) -> None:
        """Choose the next opponents by the finished games."""
        if self.curriculum.add_results(opponents, returns):
            self.games.set_opponents(self.curriculum.opponents)

    def check_finite(self, loss: float, began: int) -> None:
        """Refuse to continue after an update, of steps from ``began`` on, that went wrong.

        Raises:
            TrainingError: the loss or a weight is NaN or infinite.
        """
        if not math.isfinite(loss) or not all(
            bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()
        ):
            raise TrainingError(
                f"the loss is NaN or infinite after step {began} (train/loss is {loss}); a lower "
                f"learning_rate may help"
            )


class Sb3Learner(OpposedLearner):
    """A stable-baselines3 model, its games and its opponents, as restored by a checkpoint.

    Args:
        settings: the settings.
        seed: the seed of all random choices.
        model: the model, on games of :func:`open_games`, with its initial weights.
        make: creates the opponents, see :func:`~plyground.agents.opponents.make_opponents`.
        versions: whether ``self`` among its opponents is a past version of it; otherwise it plays
            itself, in both seats.

    Attributes:
        env: its games.
        callback: the callback for the model's ``collect_rollouts``.
    """

    def __init__(
        self,
        settings: Any,
        seed: int,
        model: Any,
        make: MakeAgent = make_agent,
        *,
        versions: bool = False,
    ) -> None:
        self.model: Any = model
        self.env: BoardVecEnv = model.env
        super().__init__(settings, model.policy, self.env.games)
        model.set_logger(Logger(None, []))
        self._collector = _EpisodeCollector()
        self.callback: Any = model._setup_learn(settings.steps, self._collector)[1]
        self.snapshots = Snapshots(self.policy, PAST_VERSIONS, seed) if versions else None
        self.curriculum = Curriculum(settings, self.env.game, self.snapshots, make)
        self.games.set_opponents(self.curriculum.opponents)
        self._snapshot_step = 0  # of the newest snapshot

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""
        return int(self.model.num_timesteps)

    @property
    def updates(self) -> int:
        """The number of updates of the network, as the algorithm counts them."""
        return int(self.model._n_updates)

    def finish_update(self) -> dict[str, float]:
        """Choose the next opponents by the finished games; returns the values to log.

        Raises:
            TrainingError: a loss or a weight is NaN or infinite.
        """
        values = self._take_log()
        self.add_results(self._collector.opponents, self._collector.returns)
        if self.snapshots is not None and self.curriculum.uses_self:
            if self.step - self._snapshot_step >= self.settings.snapshot_every:
                self.snapshots.add(self.policy)
                self._snapshot_step = self.step
            self.snapshots.draw()
        return values | {"curriculum/stage": self.curriculum.stage}

    def _take_log(self) -> dict[str, float]:
        """The values logged by the model, and the means of the finished games."""
        log = self.model.logger.name_to_value
        values = {name: float(value) for name, value in log.items()}
        log.clear()
        self.check_finite(values.get("train/loss", 0.0), self._collector.began)
        if self._collector.returns:
            values["rollout/mean_return"] = float(np.mean(self._collector.returns))
            values["rollout/mean_length"] = float(np.mean(self._collector.lengths))
        return values

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state of the learner, its games and its opponents, for a checkpoint."""
        snapshots = self.snapshots if self.curriculum.uses_self else None
        return {
            "learner": self.model_state(),
            "curriculum": self.curriculum.state(),
            "snapshots": snapshots.state() if snapshots else None,
            "snapped": self._snapshot_step,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        self.curriculum.load_state(state["curriculum"])
        self.env.games.set_opponents(self.curriculum.opponents)
        self.load_model_state(state["learner"])
        if self.snapshots is not None and state["snapshots"] is not None:
            self.snapshots.load_state(state["snapshots"])
        self._snapshot_step = state["snapped"]

    def model_state(self) -> dict[str, Any]:
        """The state of the model and its games."""
        return {
            "step": self.step,
            "updates": self.updates,
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            **generators(self.model.device),
            "games": {
                name: to_bytes(values) for name, values in self.games.state._asdict().items()
            },
        }

    def load_model_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`model_state` returned."""
        model = self.model
        model.num_timesteps, model._n_updates = state["step"], state["updates"]
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        for name, values in self.games.state._asdict().items():
            from_bytes(state["games"][name], values)
        model._last_obs = self.env.observations()  # through the same symmetries
        set_generators(state, model.device)


def generators(device: torch.device) -> dict[str, Any]:
    """The states of torch's generators and of numpy's, with which SB3 draws its minibatches."""
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    position, has_gauss, gauss = rest
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
        "numpy": [
            str(kind),
            torch.from_numpy(np.asarray(keys).astype(np.int64)),
            int(position),
            int(has_gauss),
            float(gauss),
        ],
    }


def set_generators(state: dict[str, Any], device: torch.device) -> None:
    """Restore what :func:`generators` returned; a state of another device has none for this one."""
    kind, keys, *rest = state["numpy"]
    np.random.set_state((kind, keys.numpy().astype(np.uint32), *rest))  # noqa: NPY002
    torch.set_rng_state(state["torch"])
    if device.type == "cuda" and state.get("cuda") is not None:
        torch.cuda.set_rng_state(state["cuda"], device)


def to_bytes(values: np.ndarray) -> torch.Tensor:
    """An array as a tensor of bytes."""
    return torch.from_numpy(values.view(np.uint8).copy())


def from_bytes(tensor: torch.Tensor, values: np.ndarray) -> None:
    """Write what :func:`to_bytes` returned into an array of the same shape and type."""
    values.view(np.uint8)[...] = tensor.numpy().reshape(values.view(np.uint8).shape)
