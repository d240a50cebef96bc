"""What the algorithms of stable-baselines3 share: they learn against a curriculum of opponents.

A checkpoint holds everything that decides the course of a run: weights, optimiser, counters, the
games under way with their random streams, the generators of torch and numpy, the curriculum and the
learner's past versions. Its values are tensors, numbers, texts, lists and dictionaries, so reading
one executes nothing.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from ..agents.judges import make_judge
from ..agents.opponents import MakeAgent
from ..agents.registry import make_agent
from ..envs.game import Game
from .checkpoints import initial_learner
from .curriculum import Curriculum
from .export import PolicyExporter
from .folder import TrainingError
from .players import NetworkPlayer, Snapshots
from .run import TrainingRun, run_training
from .sb3 import BoardVecEnv
from .settings import OpposedSettings

CPU = torch.device("cpu")


class EpisodeCollector(BaseCallback):
    """Collects the games that end during a rollout: opponents, returns and lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.opponents: list[int] = []
        self.returns: list[float] = []
        self.lengths: list[int] = []

    def _on_rollout_start(self) -> None:
        self.opponents, self.returns, self.lengths = [], [], []

    def _on_step(self) -> bool:
        state = self.locals["env"].games.state
        games = np.flatnonzero(state.terminated)
        self.opponents += state.final_opponents[games].tolist()
        self.returns += state.final_returns[games].tolist()
        self.lengths += state.final_lengths[games].tolist()
        return True


class Sb3Trainer(ABC):
    """The :class:`~plyground.training.run.Trainer` of a model of stable-baselines3.

    Args:
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
        make: makes the opponents, see :func:`~plyground.agents.opponents.make_opponents`.
        device: where the network plays and learns.

    Attributes:
        env: the games, N at once.
        model: the model that learns from them.
        curriculum: its opponents.
    """

    # What the environment shows: planes, or a dictionary with the mask.
    observation: ClassVar[Literal["planes", "dict"]] = "planes"

    def __init__(
        self,
        game: Game,
        settings: Any,
        seed: int,
        make: MakeAgent = make_agent,
        device: torch.device = CPU,
    ) -> None:
        self.game: Game = game
        self.settings: Any = settings
        self.device: torch.device = device
        self.progress: float = 0.0
        self.env: BoardVecEnv = BoardVecEnv(
            game,
            settings.games,
            "random",
            opening_plies=settings.opening_plies,
            long_openings=settings.long_openings,
            long_opening_plies=settings.long_opening_plies,
            regret=settings.regret or None,
            symmetries=settings.symmetries,
            observation=self.observation,
        )
        self.env.seed(seed)
        self.model: Any = self.make_model(seed)
        if settings.initial:
            self._load_initial(Path(settings.initial))
        self.model.set_logger(Logger(None, []))
        self._collector = EpisodeCollector()
        _: Any
        self.callback: Any
        _, self.callback = self.model._setup_learn(self.steps_in_all, self._collector)
        self._exporter = self.make_exporter()
        self.snapshots: Snapshots = Snapshots(self.policy, settings.snapshots, seed)
        self.curriculum: Curriculum = make_curriculum(settings, game, self.snapshots, make)
        self.env.games.set_opponents(self.curriculum.opponents)
        self._snapshot_step = 0  # of the newest snapshot

    # -- the algorithm --

    @abstractmethod
    def make_model(self, seed: int) -> Any:
        """The model on ``env``, with its initial weights."""

    @abstractmethod
    def learn(self) -> None:
        """Play a rollout and learn."""

    @abstractmethod
    def make_exporter(self) -> PolicyExporter:
        """Writes the policy as policy files."""

    def full_precision(self) -> AbstractContextManager[None]:
        """The policy computes in float32 meanwhile, as it is exported."""
        return contextlib.nullcontext()

    @property
    def steps_in_all(self) -> int:
        """The steps of the whole run: those asked for, or as many as it will make in its time."""
        if self.progress <= 0.0 or not self.settings.time_limit:
            return int(self.settings.steps)
        return min(round(self.step / self.progress), int(self.settings.steps))

    def learning_rate(self, remaining: float) -> float:
        """The learning rate while this share of the steps remains: it falls to 0."""
        rate: float = self.settings.learning_rate * max(remaining, 0.0)
        return rate

    def _load_initial(self, run: Path) -> None:
        """Begin with the newest weights of a run.

        Raises:
            TrainingError: the folder holds no run of this algorithm, or its weights do not fit.
        """
        try:
            self.policy.load_state_dict(initial_learner(run)["policy"])
        except (KeyError, RuntimeError):
            raise TrainingError(
                f"initial={run} is not possible: it is a run of another algorithm, or its network "
                f"has another shape; the game and the settings channels, layers, dense and hidden "
                f"must agree"
            ) from None

    # -- the trainer --

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""
        return int(self.model.num_timesteps)

    @property
    def updates(self) -> int:
        """Minibatches or passes that the network has learnt from, as the algorithm counts them."""
        return int(self.model._n_updates)

    @property
    def policy(self) -> Any:
        """What plays: it has ``get_distribution(observations, masks)``."""
        return self.model.policy

    @property
    def stage(self) -> str:
        """The stage of the curriculum."""
        return str(self.curriculum)

    def update(self) -> dict[str, float]:
        """Play a rollout and learn from it; returns what is logged.

        Raises:
            TrainingError: a loss or a weight is no longer a number.
        """
        began = self.step
        self.learn()
        values = self._take_log(began)
        if self.curriculum.add_results(self._collector.opponents, self._collector.returns):
            self.env.games.set_opponents(self.curriculum.opponents)
        if self.curriculum.uses_snapshots:
            if self.step - self._snapshot_step >= self.settings.snapshot_every:
                self.snapshots.add(self.policy)
                self._snapshot_step = self.step
            self.snapshots.draw()
        return values | {"curriculum/stage": self.curriculum.stage}

    def _take_log(self, began: int) -> dict[str, float]:
        """What the model logged since the step ``began``, and the means of the games that ended."""
        log = self.model.logger.name_to_value
        values = {name: float(value) for name, value in log.items()}
        log.clear()
        loss = values.get("train/loss", 0.0)
        if not math.isfinite(loss) or not all(
            bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()
        ):
            raise TrainingError(
                f"the loss is no number any more after step {began} (train/loss is {loss}); a "
                f"lower learning_rate may help"
            )
        if self._collector.returns:
            values["rollout/mean_return"] = float(np.mean(self._collector.returns))
            values["rollout/mean_length"] = float(np.mean(self._collector.lengths))
        return values

    @contextlib.contextmanager
    def evaluation_player(self) -> Iterator[NetworkPlayer]:
        """The learner playing its most probable actions, computed as its policy file does."""
        with self.full_precision():
            yield NetworkPlayer(self.policy)

    def export(self, path: Path) -> None:
        """Write the present policy as a policy file."""
        with self.full_precision():
            self._exporter.write(path)

    def close(self) -> None:
        """End the games' threads."""
        self.env.close()

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state of the learner, its games and its opponents, for a checkpoint."""
        return {
            "learner": self.learner_state(),
            "curriculum": self.curriculum.state(),
            "snapshots": self.snapshots.state() if self.curriculum.uses_snapshots else None,
            "snapped": self._snapshot_step,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        self.curriculum.load_state(state["curriculum"])
        self.env.games.set_opponents(self.curriculum.opponents)
        self.load_learner_state(state["learner"])
        if state["snapshots"] is not None:
            self.snapshots.load_state(state["snapshots"])
        self._snapshot_step = state["snapped"]

    def learner_state(self) -> dict[str, Any]:
        """The state of the model and its games."""
        model = self.model
        kind, keys, *rest = np.random.get_state()  # noqa: NPY002 - the one SB3 draws its minibatches with
        position, has_gauss, gauss = rest
        return {
            "step": self.step,
            "updates": model._n_updates,
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else None,
            "numpy": [
                str(kind),
                torch.from_numpy(np.asarray(keys).astype(np.int64)),
                int(position),
                int(has_gauss),
                float(gauss),
            ],
            "games": {
                name: to_bytes(values) for name, values in self.env.games.state._asdict().items()
            },
            "observations": _convert(model._last_obs, lambda array: torch.from_numpy(array.copy())),
        }

    def load_learner_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`learner_state` returned."""
        model = self.model
        model.num_timesteps, model._n_updates = state["step"], state["updates"]
        model._update_current_progress_remaining(self.step, self.steps_in_all)
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        for name, values in self.env.games.state._asdict().items():
            from_bytes(state["games"][name], values)
        self.env.observations()  # brings the view through the symmetries up to date
        model._last_obs = _convert(state["observations"], lambda tensor: tensor.numpy())
        kind, keys, *rest = state["numpy"]
        np.random.set_state((kind, keys.numpy().astype(np.uint32), *rest))  # noqa: NPY002
        torch.set_rng_state(state["torch"])
        if self.device.type == "cuda" and state.get("cuda") is not None:
            torch.cuda.set_rng_state(state["cuda"], self.device)


def to_bytes(values: np.ndarray) -> torch.Tensor:
    """An array as a tensor of bytes."""
    return torch.from_numpy(values.view(np.uint8).copy())


def from_bytes(tensor: torch.Tensor, values: np.ndarray) -> None:
    """Write what :func:`to_bytes` returned into an array of the same shape and type."""
    values.view(np.uint8)[...] = tensor.numpy().reshape(values.view(np.uint8).shape)


def _convert(observations: Any, convert: Callable[[Any], Any]) -> Any:
    """Observations, one array or a dictionary of them, each converted."""
    if isinstance(observations, dict):
        return {name: convert(values) for name, values in observations.items()}
    return convert(observations)


def make_curriculum(
    settings: OpposedSettings, game: Game, snapshots: Snapshots | None, make: MakeAgent = make_agent
) -> Curriculum:
    """The curriculum of a run; SpecificationError if its opponents cannot play the game."""
    return Curriculum(
        settings.opponent,
        game,
        snapshots,
        threshold=settings.threshold,
        window=settings.window,
        rehearsal=settings.rehearsal,
        make=make,
    )


def train_sb3(
    trainer_type: type[Sb3Trainer],
    game: Game,
    settings: OpposedSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device = CPU,
    *,
    make: MakeAgent = make_agent,
    **callbacks: Any,
) -> TrainingRun:
    """Begin or resume a run, see :func:`~plyground.training.run.run_training`.

    ``trainer_type`` is the algorithm, whose network plays and learns on ``device``; ``make`` makes
    its opponents, see :func:`~plyground.agents.opponents.make_opponents`.

    Raises:
        SpecificationError: opponents or a judge that do not exist or cannot play the game; no
            folder is made.
    """
    make_curriculum(settings, game, None, make)
    if settings.regret:
        make_judge(settings.regret, game)

    def make_trainer() -> Sb3Trainer:
        return trainer_type(game, settings, seed, make, device)

    return run_training(make_trainer, game, settings, seed, out, facts, **callbacks)
