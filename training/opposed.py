"""Learning against a curriculum of opponents: what the algorithms of stable-baselines3 share."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from ..agents.opponents import MakeAgent
from ..agents.registry import make_agent
from ..envs.game import Game
from .curriculum import Curriculum
from .players import NetworkPlayer, Snapshots
from .run import TrainingRun, open_folder
from .sb3 import BoardVecEnv
from .settings import OpposedSettings


class OpposedLearner(Protocol):
    """An algorithm of stable-baselines3 that learns from a :class:`BoardVecEnv`."""

    collector: Any

    @property
    def step(self) -> int:
        """How many actions have been taken."""

    @property
    def policy(self) -> Any:
        """What plays: it has ``get_distribution(observations, masks)``."""

    def update(self) -> dict[str, float]:
        """Play and learn; returns what is logged."""

    def exporter(self, game: Game) -> Any:
        """Writes the policy as policy files."""

    def full_precision(self) -> AbstractContextManager[None]:
        """The policy computes as it is exported meanwhile."""

    def state(self) -> dict[str, Any]:
        """Its state, for a checkpoint."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state."""


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


class OpposedTrainer(ABC):
    """The :class:`~plyground.training.run.Trainer` of a learner against a curriculum.

    Args:
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
        make: makes the opponents, see :func:`~plyground.agents.opponents.make_opponents`.
    """

    def __init__(self, game: Game, settings: Any, seed: int, make: MakeAgent = make_agent) -> None:
        self.game, self.settings, self.progress = game, settings, 0.0
        self.env = BoardVecEnv(
            game,
            settings.games,
            "random",
            opening_plies=settings.opening_plies,
            symmetries=settings.symmetries,
            **self.shown,
        )
        self.learner = self.make_learner(seed)
        self._exporter = self.learner.exporter(game)
        self.snapshots = Snapshots(self.learner.policy, settings.snapshots, seed)
        self.curriculum = make_curriculum(settings, game, self.snapshots, make)
        self.env.games.set_opponents(self.curriculum.opponents)
        # The step of the newest snapshot.
        self._snapped = 0

    # What the learner is shown, as options of the environment.
    shown: dict[str, Any] = {}

    @abstractmethod
    def make_learner(self, seed: int) -> OpposedLearner:
        """The learner on ``env``."""

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""
        return self.learner.step

    @property
    def stage(self) -> str:
        """The stage of the curriculum."""
        return str(self.curriculum)

    def update(self) -> dict[str, float]:
        """Play a rollout and learn from it; returns what is logged."""
        values = self.learner.update()
        collector = self.learner.collector
        if self.curriculum.note(collector.opponents, collector.returns):
            self.env.games.set_opponents(self.curriculum.opponents)
        if self.curriculum.uses_snapshots:
            if self.step - self._snapped >= self.settings.snapshot_every:
                self.snapshots.add(self.learner.policy)
                self._snapped = self.step
            self.snapshots.draw()
        return values | {"curriculum/stage": self.curriculum.stage}

    @contextlib.contextmanager
    def evaluation_player(self) -> Iterator[NetworkPlayer]:
        """The learner playing its most probable actions, computed as its policy file does."""
        with self.learner.full_precision():
            yield NetworkPlayer(self.learner.policy)

    def export(self, path: Path) -> None:
        """Write the present policy as a policy file."""
        with self.learner.full_precision():
            self._exporter.write(path)

    def state(self) -> dict[str, Any]:
        """The state of the learner, its games and its opponents, for a checkpoint."""
        return {
            "learner": self.learner.state(),
            "curriculum": self.curriculum.state(),
            "snapshots": self.snapshots.state() if self.curriculum.uses_snapshots else None,
            "snapped": self._snapped,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        self.curriculum.load_state(state["curriculum"])
        self.env.games.set_opponents(self.curriculum.opponents)
        self.learner.load_state(state["learner"])
        if state["snapshots"] is not None:
            self.snapshots.load_state(state["snapshots"])
        self._snapped = state["snapped"]

    def close(self) -> None:
        """End the games' threads."""
        self.env.close()


def train_against(
    make_trainer: Callable[[Game, Any, int, MakeAgent], OpposedTrainer],
    game: Game,
    settings: OpposedSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    make: MakeAgent = make_agent,
    **options: Any,
) -> TrainingRun:
    """Begin or resume the run in the folder ``out`` and bring it to its end.

    Args:
        make_trainer: the algorithm.
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
        out: the folder of the run.
        facts: what else ``run.json`` says (command, versions).
        make: makes the opponents, see :func:`~plyground.agents.opponents.make_opponents`.
        **options: as for :class:`~plyground.training.run.TrainingRun`.

    Raises:
        SpecificationError: opponents that do not exist or cannot play the game; no folder is made.
        TrainingError: the folder is not this run's, or the run cannot go on.
    """
    make_curriculum(settings, game, None, make)
    folder = open_folder(out, game, settings, seed, facts)
    run = TrainingRun(make_trainer(game, settings, seed, make), settings, folder, **options)
    run.run()
    return run
