"""A training run: updates, curriculum, snapshots, checkpoints, evaluations, all in a folder from
which it resumes after any interruption.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..envs.game import Game
from .curriculum import Curriculum
from .export import export_policy
from .folder import RunFolder, TrainingError
from .learner import Learner, pack, unpack
from .network import full_precision
from .players import NetworkPlayer, Snapshots
from .sb3 import BoardVecEnv
from .settings import Settings

# what an interruption costs at most
CHECKPOINT_SECONDS = float(os.environ.get("PLYGROUND_CHECKPOINT_SECONDS", "20"))


class Progress(NamedTuple):
    """Where a run stands.

    Attributes:
        step, total: actions taken, and how many there will be.
        rate: actions a second in this process.
        curriculum: whom the learner meets.
        mean_return: of the games that ended in the last rollout, or None.
        scores: the last evaluation: opponent and score.
    """

    step: int
    total: int
    rate: float
    curriculum: str
    mean_return: float | None
    scores: dict[str, float]


# Measures the learner in a gauntlet; gets an object with `act_batch` and returns a row for each
# opponent with at least "opponent" and "score".
Evaluate = Callable[[Any], Sequence[dict[str, Any]]]


class TrainingRun:
    """One run of MaskablePPO.

    Args:
        game: the game.
        settings: the settings.
        seed: decides everything that is random.
        folder: where the run lives; if there are checkpoints in it, the run goes on from the newest
            that is whole.
        evaluate: measures the learner, or None.
        evaluate_every: steps between two evaluations; there is one at the end in any case.
        on_progress: told after every update.
        on_note: told, in a sentence, what else there is to say.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        seed: int,
        folder: RunFolder,
        *,
        evaluate: Evaluate | None = None,
        evaluate_every: int = 100_000,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self.game, self.settings, self.folder = game, settings, folder
        self._evaluate, self._evaluate_every, self._on_progress, self._on_note = (
            evaluate,
            evaluate_every,
            on_progress,
            on_note,
        )
        self.env = BoardVecEnv(
            game,
            settings.games,
            "random",
            opening_plies=settings.opening_plies,
            symmetries=settings.symmetries,
        )
        self.learner = Learner(self.env, settings, seed)
        self.snapshots = Snapshots(self.learner.policy, settings.snapshots, seed)
        self.curriculum = Curriculum(
            settings.opponent,
            game,
            self.snapshots,
            threshold=settings.threshold,
            window=settings.window,
            rehearsal=settings.rehearsal,
        )
        self.env.games.set_opponents(self.curriculum.opponents)
        self._seconds = self._cpu_seconds = 0.0  # of training, in all processes
        self._best: float | None = None
        self._scores: dict[str, float] = {}
        # what the best policy reached against each opponent
        self.best_rows: list[dict[str, Any]] = []
        self.finished_now = False
        self._snapped = 0
        self._evaluated = 0
        self._tensorboard: Any = None

    def run(self) -> None:
        """Train to the end, from the newest checkpoint if there is one.

        Raises:
            TrainingError: a loss that is no number, or a disk that takes no more; the last good
                checkpoint stays.
        """
        self._resume()
        if self.learner.step >= self.settings.steps and self._evaluated >= self.learner.step:
            self._on_note(
                f"the run is finished: {self.learner.step:,} steps; there is nothing to do"
            )
            return
        self._open_tensorboard()
        saved = began = time.monotonic()
        cpu_began, cpu_before = time.process_time(), self._cpu_seconds
        first, seconds_before = self.learner.step, self._seconds
        try:
            while self.learner.step < self.settings.steps:
                values = self._update()
                self._seconds = seconds_before + time.monotonic() - began
                rate = (self.learner.step - first) / (time.monotonic() - began)
                self._cpu_seconds = cpu_before + time.process_time() - cpu_began
                times = {
                    "time/steps_per_second": rate,
                    "time/seconds": self._seconds,
                    "time/cpu_seconds": self._cpu_seconds,
                }
                self._log(values | times | {"curriculum/stage": self.curriculum.stage})
                if (
                    self.learner.step - self._evaluated >= self._evaluate_every
                    or self.learner.step >= self.settings.steps
                ):
                    self._measure()
                self._on_progress(self._progress(rate, values))
                if time.monotonic() - saved >= CHECKPOINT_SECONDS:
                    self._save()
                    saved = time.monotonic()
            self._save()
            self.finished_now = True
        except TrainingError as error:
            raise TrainingError(f"{error}. {self._left_in_words()}") from error
        finally:
            self._tensorboard.close()
            self.env.close()

    def _update(self) -> dict[str, float]:
        values = self.learner.update()
        collector = self.learner.collector
        if self.curriculum.note(collector.opponents, collector.returns):
            self.env.games.set_opponents(self.curriculum.opponents)
            self._on_note(f"step {self.learner.step:,}: {self.curriculum}")
        if self.curriculum.uses_snapshots:
            if self.learner.step - self._snapped >= self.settings.snapshot_every:
                self.snapshots.add(self.learner.policy)
                self._snapped = self.learner.step
            self.snapshots.draw()
        return values

    def _progress(self, rate: float, values: dict[str, float]) -> Progress:
        return Progress(
            self.learner.step,
            self.settings.steps,
            rate,
            str(self.curriculum),
            values.get("rollout/mean_return"),
            self._scores,
        )

    # -- evaluation --

    def _measure(self) -> None:
        """Play the gauntlet; keep the policy if its mean score is the best so far."""
        self._evaluated = self.learner.step
        with full_precision(self.learner.policy):
            rows = (
                list(self._evaluate(NetworkPlayer(self.learner.policy))) if self._evaluate else []
            )
        self._scores = {row["opponent"]: row["score"] for row in rows}
        for row in rows:
            self.folder.add_metrics({"step": self.learner.step, "kind": "evaluation", **row})
            for name in ("score", "low", "high"):
                self._tensorboard.add_scalar(
                    f"evaluation/{row['opponent']}/{name}", row[name], self.learner.step
                )
        mean = sum(self._scores.values()) / len(rows) if rows else 0.0
        if self._best is None or mean >= self._best or not rows:
            self._best, self.best_rows = mean, rows
            path = self.folder.path / "best.onnx"
            with full_precision(self.learner.policy):
                export_policy(self.learner.model, path, self.game)
            self.folder.note_best({"step": self.learner.step, "mean_score": mean, "scores": rows})

    def _log(self, values: dict[str, float]) -> None:
        step = self.learner.step
        self.folder.add_metrics(
            {
                "step": step,
                "kind": "update",
                **{name: round(value, 6) for name, value in values.items()},
            }
        )
        for name, value in values.items():
            self._tensorboard.add_scalar(name, value, step)

    def _open_tensorboard(self) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._tensorboard = SummaryWriter(
            str(self.folder.path / "tensorboard"), purge_step=self.learner.step + 1
        )

    # -- checkpoints --

    def _save(self) -> None:
        state = {
            "learner": self.learner.state(),
            "curriculum": self.curriculum.state(),
            "snapshots": self.snapshots.state() if self.curriculum.uses_snapshots else None,
            "seconds": [self._seconds, self._cpu_seconds],
            "best": self._best,
            "best_rows": self.best_rows,
            "scores": self._scores,
            "snapped": self._snapped,
            "evaluated": self._evaluated,
        }
        self.folder.save_checkpoint(self.learner.step, pack(state))

    def _resume(self) -> None:
        payload, notes = self.folder.load_checkpoint()
        for note in notes:
            self._on_note(note)
        if payload is None:
            if not self.folder.is_new:
                self._on_note(
                    f"{self.folder.path} holds no checkpoint yet; starting from the beginning"
                )
            self.folder.cut_metrics(-1)
            return
        state = unpack(payload)
        self.curriculum.restore(state["curriculum"])
        self.env.games.set_opponents(self.curriculum.opponents)
        self.learner.restore(state["learner"])
        if state["snapshots"] is not None:
            self.snapshots.restore(state["snapshots"])
        self._seconds, self._cpu_seconds = state["seconds"]
        self._best, self.best_rows, self._scores = (
            state["best"],
            state["best_rows"],
            state["scores"],
        )
        self._snapped, self._evaluated = state["snapped"], state["evaluated"]
        self.folder.cut_metrics(self.learner.step)
        if self.learner.step < self.settings.steps:
            self._on_note(
                f"resumed at step {self.learner.step:,} of {self.settings.steps:,} from "
                f"{self.folder.path}"
            )

    def _left_in_words(self) -> str:
        step = self.folder.last_step()
        return (
            "There is no checkpoint yet"
            if step is None
            else f"The last good checkpoint, of step {step:,}, is in {self.folder.path}"
        )


def train(
    game: Game, settings: Settings, seed: int, out: Path, facts: dict[str, Any], **options: Any
) -> TrainingRun:
    """Begin or resume the run in the folder ``out`` and bring it to its end; options as for
    :class:`TrainingRun`.
    """
    # A folder is made only for a run that can begin.
    Curriculum(
        settings.opponent,
        game,
        None,
        threshold=settings.threshold,
        window=settings.window,
        rehearsal=settings.rehearsal,
    )
    description = {
        "algorithm": "ppo",
        "game": game.spec,
        "game_version": game.declaration.version,
        "seed": seed,
        **dataclasses.asdict(settings),
    }
    run = TrainingRun(game, settings, seed, RunFolder(out, description, facts), **options)
    run.run()
    return run
