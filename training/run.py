"""A training run: updates, checkpoints and evaluations, all in a folder from which it resumes.

The run knows nothing of the algorithm. A :class:`Trainer` plays and learns; the run decides when it
is measured, which policy is kept as the best, and what a checkpoint holds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..envs.game import Game
from ..envs.loading.interruption import DelayedInterrupt
from ..envs.loading.locks import locked
from ..envs.loading.records import check_likeness, check_value
from ..envs.specification import Parameter
from ..envs.workers.processors import available_processors
from .checkpoints import RunState, pack, refusing_checkpoint, unpack
from .folder import Checkpoint, RunFolder, TrainingError, ratings_in
from .settings import RunSettings

CHECKPOINT_SECONDS = Parameter(  # an environment variable
    "PLYGROUND_CHECKPOINT_SECONDS", float, 20.0,
    "The training time between checkpoints: an interruption loses no more.", low=0,
)  # fmt: skip
EVEN = 1e-9  # what a share may lack of a snapshot's by rounding


class Trainer(Protocol):
    """An algorithm that learns one game, one update at a time.

    Attributes:
        progress: the share of the run's work that is done, which schedules follow, such as that of
            the learning rate; the run sets it before each update.
    """

    progress: float

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""

    @property
    def updates(self) -> int:
        """How often the network has learnt; 0: not yet."""

    @property
    def stage(self) -> str:
        """The present opponents, in a few words."""

    def update(self) -> dict[str, float]:
        """Play and learn once; returns what is logged, by name.

        ``time/other_cpu_seconds`` is the processor time that other processes spent on it.

        Raises:
            TrainingError: a loss or a weight is no longer a number.
        """

    def evaluation_player(self) -> AbstractContextManager[Any]:
        """The learner for evaluations: an object with ``act_batch(observations, masks)``."""

    def export(self, path: Path) -> None:
        """Write the present policy as a policy file."""

    def state(self) -> dict[str, Any]:
        """Everything that decides how the training goes on: tensors, numbers, texts, containers."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""

    def close(self) -> None:
        """Free threads and processes."""


class Progress(NamedTuple):
    """The progress of a run.

    Attributes:
        step, total: actions taken, and how many there will be.
        rate: actions a second in this process.
        stage: what the learner plays against.
        mean_return: of the games that ended in the last update, or None.
        scores: the last evaluation: opponent and score.
        evaluated: the step of that evaluation; 0 before the first.
        share: the share of the run that is done, by steps or by time.
        values: what the last update logged.
        rating: the newest snapshot's, see :data:`Rate`; None: there is none yet.
    """

    step: int
    total: int
    rate: float
    stage: str
    mean_return: float | None
    scores: dict[str, float]
    evaluated: int
    share: float
    values: dict[str, float]
    rating: dict[str, Any] | None = None


# Plays the learner (an object with `act_batch`) against opponents; returns a row for each of them,
# with "opponent", "score", "low" and "high" at least.
Evaluate = Callable[[Any], Sequence[dict[str, Any]]]
# Rates the snapshots in the run's folder by games of so many seconds; returns the newest one's
# rating, with "elo", "low", "high", "games" and "anchor", or None.
Rate = Callable[[float], dict[str, Any] | None]
RATING_SHARE = 0.03  # of the run's time, at most, apart from one pair of each meeting


class TrainingRun:
    """One run, from its beginning or its newest checkpoint to its end.

    Args:
        trainer: the algorithm, in its initial state.
        settings: when the run ends, and how often the learner is measured.
        folder: the folder of the run.
        evaluate: measures the learner, or None.
        rate: rates its snapshots, or None.
        on_progress: called after every update.
        on_note: called with every remark, one sentence.
    """

    def __init__(
        self,
        trainer: Trainer,
        settings: RunSettings,
        folder: RunFolder,
        *,
        evaluate: Evaluate | None = None,
        rate: Rate | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self.trainer: Trainer = trainer
        self.settings: RunSettings = settings
        self.folder: RunFolder = folder
        self._evaluate, self._on_progress, self._on_note = evaluate, on_progress, on_note
        self._rate = rate
        self._rating: dict[str, Any] | None = None
        self._snapshot_share = 0.0  # of the work, when the newest snapshot was taken
        self._rating_seconds = 0.0
        self._checkpoint_seconds = checkpoint_seconds()
        # Of training, in all processes.
        self._seconds = self._cpu_seconds = 0.0
        self._cores = 0.0  # that the run had at best
        self._best: float | None = None
        self._scores: dict[str, float] = {}
        # What the best policy reached against each opponent.
        self.best_rows: list[dict[str, Any]] = []
        self.finished_now: bool = False
        self._evaluated = 0
        self._evaluated_share = 0.0
        self._tensorboard: Any = None

    def run(self) -> None:
        """Train to the end, from the newest checkpoint if there is one.

        Ctrl-C writes a checkpoint after the update that is under way, and is then raised as
        KeyboardInterrupt. Pressed again, it ends the run at once.

        Raises:
            TrainingError: a loss that is no number, or a file that cannot be written; the last good
                checkpoint stays.
        """
        try:
            self._resume()
            step = self.trainer.step
            if self._share() >= 1.0 and self._evaluated >= step:
                self._on_note(f"the run is finished: {step:,} steps; there is nothing to do")
                return
            self._open_tensorboard()
            # An update that is broken off leaves a learner that no checkpoint can hold.
            with DelayedInterrupt() as interrupt:
                self._train(interrupt)
                self._save()
            if interrupt.came and self._share() < 1.0:
                raise KeyboardInterrupt
            self.finished_now = self.trainer.updates > 0
            if not self.finished_now:
                self._on_note(
                    "the network has not learnt yet: the run ended before its first update. The "
                    "same command with more steps or hours goes on"
                )
        except TrainingError as error:
            if self._tensorboard is None:
                raise
            raise TrainingError(f"{error}. {self._last_checkpoint_text()}") from error
        finally:
            if self._tensorboard is not None:
                self._tensorboard.close()
            self.trainer.close()

    @property
    def _clock(self) -> float:
        """Seconds of the run, on the clock that ends it."""
        return self._cpu_seconds if self.settings.counts_processor_time else self._seconds

    def _share(self) -> float:
        """The share of the run that is done."""
        limit = self.settings.time_limit
        by_time = self._clock / limit if limit else 0.0
        return min(max(self.trainer.step / self.settings.steps, by_time), 1.0)

    def _work_share(self) -> float:
        """The share of the run's work that is done; it ends with the run.

        Work is processor time: by the clock alone, what others take on a busy machine would count.
        What is to come is the time that is left, on all the processors that the run can have.
        """
        limit = self.settings.time_limit
        if not limit or self.settings.counts_processor_time:
            return self._share()
        cores = max(self._cores, min(self.settings.processes, available_processors()))
        to_come = cores * max(limit - self._seconds, 0.0)
        by_work = self._cpu_seconds / max(self._cpu_seconds + to_come, 1e-9)
        return max(min(self.trainer.step / self.settings.steps, 1.0), by_work)

    def _is_measurement_due(self) -> bool:
        share, settings = self._share(), self.settings
        by_time = share >= self._evaluated_share + 1.0 / settings.evaluations
        by_steps = self.trainer.step >= self._evaluated + settings.steps_between_evaluations
        return share >= 1.0 or (by_time if settings.time_limit else by_steps)

    def _train(self, interrupt: DelayedInterrupt) -> None:
        """Update, measure, report and save until all steps are taken, or the time is up.

        Ctrl-C ends it after the update that is under way.
        """
        trainer = self.trainer
        last_save = began = time.monotonic()
        cpu_began, cpu_before = time.process_time(), self._cpu_seconds
        first, seconds_before = trainer.step, self._seconds
        while self._share() < 1.0 and not interrupt.came:
            stage = trainer.stage
            trainer.progress = self._work_share()
            before = self._seconds, self._cpu_seconds
            values = trainer.update()
            cpu_before += values.pop("time/other_cpu_seconds", 0.0)
            if trainer.stage != stage:
                self._on_note(f"step {trainer.step:,}: {trainer.stage}")
            seconds = time.monotonic() - began
            rate = (trainer.step - first) / seconds
            self._seconds = seconds_before + seconds
            self._cpu_seconds = cpu_before + time.process_time() - cpu_began
            interval = self._seconds - before[0]
            self._cores = max(self._cores, (self._cpu_seconds - before[1]) / max(interval, 1.0))
            times = {
                "time/steps_per_second": rate,
                "time/seconds": self._seconds,
                "time/cpu_seconds": self._cpu_seconds,
            }
            self._log(values | times)
            if self._is_measurement_due() and not interrupt.came:
                self._measure()
            self._report(rate, values)
            if not interrupt.came:
                self._take_snapshot()
            if time.monotonic() - last_save >= self._checkpoint_seconds:
                self._save()
                last_save = time.monotonic()

    def _report(self, rate: float, values: dict[str, float]) -> None:
        """Say where the run stands."""
        trainer, total = self.trainer, self.settings.steps
        mean = values.get("rollout/mean_return")
        stand = trainer.step, total, rate, trainer.stage, mean, self._scores, self._evaluated
        self._on_progress(Progress(*stand, self._share(), values, self._rating))

    # -- evaluation --

    def _measure(self) -> None:
        """Measure the learner; keep its policy if the mean score is the best so far."""
        step = self._evaluated = self.trainer.step
        self._evaluated_share = self._share()
        rows: list[dict[str, Any]] = []
        if self._evaluate is not None:
            with self.trainer.evaluation_player() as player:
                rows = list(self._evaluate(player))
        self._scores = {row["opponent"]: row["score"] for row in rows}
        for row in rows:
            self.folder.add_metrics({"step": step, "kind": "evaluation", **row})
            for name in ("score", "low", "high"):
                self._tensorboard.add_scalar(
                    f"evaluation/{row['opponent']}/{name}", row[name], step
                )
        mean = sum(self._scores.values()) / len(rows) if rows else 0.0
        if self._best is None or mean >= self._best or not rows:
            self._best, self.best_rows = mean, rows
            self.trainer.export(self.folder.path / "best.onnx")
            self.folder.write_best({"step": step, "mean_score": mean, "scores": rows})

    def _take_snapshot(self) -> None:
        """Keep the present policy, if the run's work has come so far, and rate it."""
        share, count, step = self._work_share(), self.settings.keep, self.trainer.step
        if int(share * count + EVEN) <= int(self._snapshot_share * count + EVEN):
            return
        self._snapshot_share = share
        self.trainer.export(self.folder.snapshot_path(step))
        if self._rate is None:
            return
        began, budget = time.monotonic(), RATING_SHARE * self._seconds - self._rating_seconds
        rating = self._rating = self._rate(max(budget, 0.0))
        self._rating_seconds += time.monotonic() - began
        if rating is None:
            return
        self._on_note(
            f"step {step:,}: Elo {rating['elo']:.0f} ± {rating['high'] - rating['elo']:.0f} "
            f"({rating['anchor']}, {rating['games']} games)"
        )
        for name in ("elo", "low", "high"):
            self._tensorboard.add_scalar(f"rating/{name}", rating[name], step)

    def _log(self, values: dict[str, float]) -> None:
        short = {name: round(value, 6) for name, value in values.items()}
        self.folder.add_metrics({"step": self.trainer.step, "kind": "update", **short})
        for name, value in values.items():
            self._tensorboard.add_scalar(name, value, self.trainer.step)

    def _open_tensorboard(self) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._tensorboard = SummaryWriter(
            str(self.folder.path / "tensorboard"), purge_step=self.trainer.step + 1
        )

    # -- checkpoints --

    def _save(self) -> None:
        self.folder.save_checkpoint(self.trainer.step, pack(self._state()))

    def _state(self) -> dict[str, Any]:
        return {
            **self.trainer.state(),
            "description": json.dumps(self.folder.description),
            "seconds": [self._seconds, self._cpu_seconds],
            "cores": self._cores,
            "best": self._best,
            "best_rows": self.best_rows,
            "scores": self._scores,
            "evaluated": self._evaluated,
            "evaluated_share": self._evaluated_share,
            "snapshot": [self._snapshot_share, self._rating_seconds],
        }

    def _load(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Restore the trainer's state of a checkpoint; returns all that it holds.

        Raises:
            TrainingError: it is another run's, or of no run.
        """
        path, trainer = checkpoint.path, self.trainer
        with refusing_checkpoint(path):
            state = unpack(checkpoint.payload)
            check_value(state, RunState, str(path), more=True)
            if "description" in state:  # not in those of earlier versions
                self.folder.check_checkpoint(path, state["description"])
            check_likeness(state, trainer.state(), str(path))
            trainer.load_state(state)
        if trainer.step != int(path.stem):
            raise TrainingError(f"{path} is no checkpoint of its step, but of {trainer.step:,}")
        return state

    def _resume(self) -> None:
        checkpoint, notes = self.folder.load_checkpoint()
        for note in notes:
            self._on_note(note)
        path = self.folder.path
        if checkpoint is None:
            if not self.folder.is_new:
                self._on_note(f"{path} holds no checkpoint yet; starting from the beginning")
            self.folder.lengthen()
            self._save()  # from now on a run without any was damaged
            return
        state = self._load(checkpoint)
        self.folder.lengthen()
        self._seconds, self._cpu_seconds = state["seconds"]
        self._best, self.best_rows = state["best"], state["best_rows"]
        self._scores, self._evaluated = state["scores"], state["evaluated"]
        # those of an earlier version had the mean
        self._cores = state.get("cores", self._cpu_seconds / max(self._seconds, 1.0))
        # a run that has become longer has done a smaller share
        self._evaluated_share = min(state["evaluated_share"], self._share())
        share, self._rating_seconds = state.get("snapshot", (0.0, 0.0))
        self._snapshot_share = min(share, self._work_share())
        step, total, limit = self.trainer.step, self.settings.steps, self.settings.time_limit
        self.folder.cut_metrics(step)
        self.folder.cut_snapshots(step)
        self._rating = max(
            ratings_in(self.folder.path).values(), key=lambda row: int(row["step"]), default=None
        )
        if self._share() < 1.0:
            of = f"after {self._clock / 3600:.2f} hours" if limit else f"of {total:,}"
            self._on_note(f"resumed at step {step:,} {of} from {path}")

    def _last_checkpoint_text(self) -> str:
        step = self.folder.last_step()
        if step is None:
            return "There is no checkpoint yet"
        return f"The last good checkpoint, of step {step:,}, is in {self.folder.path}"


def checkpoint_seconds() -> float:
    """The training time between checkpoints, as the environment has it.

    Raises:
        SpecificationError: it is no number of at least 0.
    """
    seconds = os.environ.get(CHECKPOINT_SECONDS.name, CHECKPOINT_SECONDS.default)
    return float(CHECKPOINT_SECONDS.convert(seconds, "a training run"))


def open_folder(
    out: Path, game: Game, settings: RunSettings, seed: int, facts: dict[str, Any]
) -> RunFolder:
    """The folder of the run that these settings describe: a new one, or the same run's.

    Args:
        out: where it is, or will be.
        game: the game.
        settings: the settings.
        seed: the seed of all random choices.
        facts: what else is worth knowing (command, versions).

    Raises:
        TrainingError: the folder holds another run, or something else.
        SpecificationError: no checkpoints can be written as the environment has it.
    """
    checkpoint_seconds()
    description = {
        "algorithm": settings.algorithm,
        "game": game.spec,
        "game_version": game.declaration.version,
        "seed": seed,
        **dataclasses.asdict(settings),
    }
    return RunFolder(out, description, facts, type(settings))


def run_training(
    make_trainer: Callable[[], Trainer],
    game: Game,
    settings: RunSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    *,
    threads: int = 1,
    **callbacks: Any,
) -> TrainingRun:
    """Begin or resume the run in the folder ``out`` and bring it to its end.

    Torch's number of threads is the run's meanwhile, and is put back however it ends: many would
    mostly wait for each other, and they decide how sums are rounded.

    Args:
        make_trainer: makes the algorithm in its initial state.
        game: the game.
        settings: the settings.
        seed: decides everything that is random.
        out: the folder of the run.
        facts: what else ``run.json`` says (command, versions).
        threads: threads of torch.
        **callbacks: as for :class:`TrainingRun`.

    Raises:
        TrainingError: the folder is not this run's, or the run cannot go on.
        SpecificationError: another process trains in the folder; ``threads`` is below 1.
    """
    from .devices import torch_threads

    is_new = not out.exists()
    with torch_threads(threads):
        with contextlib.suppress(OSError):  # the folder says what is wrong with it
            out.mkdir(parents=True, exist_ok=True)
        try:
            with locked(out, "trained"):
                folder = open_folder(out, game, settings, seed, facts | {"threads": threads})
                run = TrainingRun(make_trainer(), settings, folder, **callbacks)
                run.run()
                return run
        finally:
            if is_new:
                with contextlib.suppress(OSError):
                    out.rmdir()  # if it has stayed empty
