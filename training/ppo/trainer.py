"""PPO against a curriculum of opponents, as a training run uses it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...envs.game import Game
from ..curriculum import Curriculum
from ..export import PolicyExporter
from ..network import full_precision
from ..run import TrainingRun, open_folder
from ..sb3 import BoardVecEnv
from .learner import Learner
from .players import NetworkPlayer, Snapshots
from .settings import PPOSettings


def make_curriculum(settings: PPOSettings, game: Game, snapshots: Snapshots | None) -> Curriculum:
    """The curriculum of a run; SpecificationError if its opponents cannot play the game."""
    return Curriculum(
        settings.opponent,
        game,
        snapshots,
        threshold=settings.threshold,
        window=settings.window,
        rehearsal=settings.rehearsal,
    )


class PPOTrainer:
    """The :class:`~plyground.training.run.Trainer` of PPO.

    Args:
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
    """

    def __init__(self, game: Game, settings: PPOSettings, seed: int) -> None:
        self.game, self.settings, self.progress = game, settings, 0.0
        self.env = BoardVecEnv(
            game,
            settings.games,
            "random",
            opening_plies=settings.opening_plies,
            symmetries=settings.symmetries,
        )
        self.learner = Learner(self.env, settings, seed)
        self._exporter = PolicyExporter(self.learner.model, game)
        self.snapshots = Snapshots(self.learner.policy, settings.snapshots, seed)
        self.curriculum = make_curriculum(settings, game, self.snapshots)
        self.env.games.set_opponents(self.curriculum.opponents)
        # The step of the newest snapshot.
        self._snapped = 0

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
        with full_precision(self.learner.policy):
            yield NetworkPlayer(self.learner.policy)

    def export(self, path: Path) -> None:
        """Write the present policy as a policy file."""
        with full_precision(self.learner.policy):
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


def train(
    game: Game, settings: PPOSettings, seed: int, out: Path, facts: dict[str, Any], **options: Any
) -> TrainingRun:
    """Begin or resume the run in the folder ``out`` and bring it to its end.

    Args:
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
        out: the folder of the run.
        facts: what else ``run.json`` says (command, versions).
        **options: as for :class:`~plyground.training.run.TrainingRun`.

    Raises:
        SpecificationError: opponents that do not exist or cannot play the game; no folder is made.
        TrainingError: the folder is not this run's, or the run cannot go on.
    """
    make_curriculum(settings, game, None)
    folder = open_folder(out, game, settings, seed, facts)
    run = TrainingRun(PPOTrainer(game, settings, seed), settings, folder, **options)
    run.run()
    return run
