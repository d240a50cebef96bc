"""A training run: resumes, evaluates and saves a learner in a folder.

A learner is one function that reads from top to bottom: it creates games and a network, and plays
and learns in a loop. The run is a context around that loop. It decides when to evaluate the
learner, which policy is kept as the best, and what a checkpoint contains.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..envs.game import Game
from ..envs.loading.interruption import DelayedInterrupt
from ..envs.loading.locks import locked
from ..envs.specification import Parameter
from ..envs.workers.processors import available_processors
from .checkpoints import pack, restore_newest
from .folder import RunFolder, TrainingError, ratings_in
from .settings import RunSettings
from .trackers import USUAL, Trackers

CHECKPOINT_SECONDS = Parameter(  # an environment variable
    "PLYGROUND_CHECKPOINT_SECONDS", float, 20.0,
    "Training time between checkpoints, the most an interruption loses.", low=0,
)  # fmt: skip
EVEN = 1e-9  # tolerance of a snapshot's share for rounding
RATING_SHARE = 0.03  # maximum share of the run's time, apart from one pair between any two agents


class Progress(NamedTuple):
    """The progress of a run.

    Attributes:
        step, total: actions taken, and their final number.
        rate: actions per second in this process.
        stage: the learner's opponents.
        mean_return: mean return of the games that ended in the last update, or None.
        scores: the last evaluation: opponent and score.
        evaluated: the step of that evaluation; 0 before the first.
        share: the completed share of the run, by steps or by time.
        values: the values logged by the last update.
        rating: the newest snapshot's, see :data:`Rate`; None if there is none yet.
        intervals: the 95 % interval of each score.
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
    intervals: dict[str, tuple[float, float]] = {}


# Plays the learner (an object with `act_batch`) against opponents; returns a row for each of them,
# a dictionary or a named tuple, with "opponent", "score", "low" and "high" at least.
Evaluate = Callable[[Any], Sequence[Any]]
# Rates the snapshots in the run's folder, playing for the given seconds; returns the newest one's
# rating, with "elo", "low", "high", "games" and "anchor", or None.
Rate = Callable[[float], dict[str, Any] | None]


class RunClock:
    """The elapsed time of a run, and its completed share.

    Args:
        settings: when it ends.

    Attributes:
        seconds, cpu_seconds: training time: wall time, and CPU time of all processes.
        cores: the most cores that the run used.
        has_limit: whether a time limit ends the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self.seconds = self.cpu_seconds = self.cores = 0.0
        self.has_limit: bool = settings.time_limit > 0
        self._steps, self._limit = settings.steps, settings.time_limit
        self._counts_processor_time = settings.counts_processor_time
        self._processors = min(settings.processes, available_processors())
        self._began = self._cpu_began = self._started = 0.0

    def start(self) -> None:
        """Count from now on."""
        self._started, self._began = self.seconds, time.monotonic() - self.seconds
        self._cpu_began = time.process_time() - self.cpu_seconds

    def tick(self, other_cpu_seconds: float) -> None:
        """Read the time after an update, with its CPU time in other processes."""
        before = self.seconds, self.cpu_seconds
        self._cpu_began -= other_cpu_seconds
        self.seconds = time.monotonic() - self._began
        self.cpu_seconds = time.process_time() - self._cpu_began
        interval = self.seconds - before[0]
        self.cores = max(self.cores, (self.cpu_seconds - before[1]) / max(interval, 1.0))

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {"seconds": [self.seconds, self.cpu_seconds], "cores": self.cores}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`."""
        self.seconds, self.cpu_seconds = state["seconds"]
        self.cores = state["cores"]

    @property
    def seconds_here(self) -> float:
        """Seconds of training since :meth:`start`."""
        return self.seconds - self._started

    @property
    def seconds_that_count(self) -> float:
        """Seconds of the run, by the clock of its time limit."""
        return self.cpu_seconds if self._counts_processor_time else self.seconds

    def share(self, step: int) -> float:
        """The completed share of the run."""
        by_time = self.seconds_that_count / self._limit if self._limit else 0.0
        return min(max(step / self._steps, by_time), 1.0)

    def work_share(self, step: int) -> float:
        """The completed share of the run's work, 1 at its end.

        Work is CPU time: wall time would count the load of others on a busy machine. The remaining
        work is the time left on all processors that the run can use.
        """
        if not self._limit or self._counts_processor_time:
            return self.share(step)
        cores = max(self.cores, self._processors)
        to_come = cores * max(self._limit - self.seconds, 0.0)
        by_work = self.cpu_seconds / max(self.cpu_seconds + to_come, 1e-9)
        return max(min(step / self._steps, 1.0), by_work)


class Measurements:
    """Evaluates the learner, and keeps its best policy and its snapshots.

    Args:
        settings: how often to evaluate.
        clock: the clock of the run.
        folder: the folder of the run.
        trackers: the trackers to log to.
        evaluate, rate, on_note: as for :class:`~plyground.training.TrainingRun`.

    Attributes:
        best_rows: the scores of the best policy against each opponent.
        scores, intervals: the last evaluation: opponent and score, and its 95 % interval.
        evaluated: the step of that evaluation; 0 before the first.
        rating: the newest snapshot's, or None.
    """

    def __init__(
        self,
        settings: RunSettings,
        clock: RunClock,
        folder: RunFolder,
        trackers: Trackers,
        evaluate: Evaluate | None,
        rate: Rate | None,
        on_note: Callable[[str], None],
    ) -> None:
        self.best_rows: list[dict[str, Any]] = []
        self.scores: dict[str, float] = {}
        self.intervals: dict[str, tuple[float, float]] = {}
        self.evaluated: int = 0
        self.rating: dict[str, Any] | None = None
        self._clock, self._folder, self._on_note = clock, folder, on_note
        self._trackers = trackers
        self._evaluate, self._rate = evaluate, rate
        self._evaluations, self._snapshots = settings.evaluations, settings.keep
        self._interval = settings.steps_between_evaluations
        self._best: float | None = None
        self._evaluated_share = 0.0
        self._snapshot_share = 0.0  # of the work, when the newest snapshot was taken
        self._rating_seconds = 0.0

    def is_due(self, step: int) -> bool:
        """Whether an evaluation is due."""
        share = self._clock.share(step)
        by_time = share >= self._evaluated_share + 1.0 / self._evaluations
        by_steps = step >= self.evaluated + self._interval
        return share >= 1.0 or (by_time if self._clock.has_limit else by_steps)

    def measure(self, step: int, player: Any, export: Callable[[Path], None]) -> None:
        """Evaluate the learner; keep its policy if the mean score is the best so far."""
        self.evaluated, self._evaluated_share = step, self._clock.share(step)
        results = self._evaluate(player) if self._evaluate is not None else ()
        rows = [dict(row) if isinstance(row, dict) else row._asdict() for row in results]
        self.scores = {row["opponent"]: row["score"] for row in rows}
        self.intervals = {row["opponent"]: (row["low"], row["high"]) for row in rows}
        for row in rows:
            self._folder.add_metrics({"step": step, "kind": "evaluation", **row})
            self._log(f"evaluation/{row['opponent']}", ("score", "low", "high"), row, step)
        mean = sum(self.scores.values()) / len(rows) if rows else 0.0
        if self._best is None or mean >= self._best or not rows:
            self._best, self.best_rows = mean, rows
            export(self._folder.path / "best.onnx")
            self._folder.write_best({"step": step, "mean_score": mean, "scores": rows})

    def take_snapshot(self, step: int, export: Callable[[Path], None]) -> None:
        """Keep and rate the present policy, if a snapshot is due."""
        share, count = self._clock.work_share(step), self._snapshots
        if int(share * count + EVEN) <= int(self._snapshot_share * count + EVEN):
            return
        self._snapshot_share = share
        export(self._folder.snapshot_path(step))
        if self._rate is None:
            return
        budget = RATING_SHARE * self._clock.seconds - self._rating_seconds
        began = time.monotonic()
        rating = self.rating = self._rate(max(budget, 0.0))
        self._rating_seconds += time.monotonic() - began
        if rating is None:
            return
        self._on_note(
            f"step {step:,}: Elo {rating['elo']:.0f} ± {rating['high'] - rating['elo']:.0f} "
            f"({rating['anchor']}, {rating['games']} games)"
        )
        self._log("rating", ("elo", "low", "high"), rating, step)

    def _log(self, what: str, names: Sequence[str], row: dict[str, Any], step: int) -> None:
        self._trackers.log({f"{what}/{name}": row[name] for name in names}, step)

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {
            "best": self._best,
            "best_rows": self.best_rows,
            "scores": self.scores,
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "evaluated": self.evaluated,
            "evaluated_share": self._evaluated_share,
            "snapshot": [self._snapshot_share, self._rating_seconds],
        }

    def load_state(self, state: dict[str, Any], step: int) -> None:
        """Go on where :meth:`state` was taken, at a step of a run that may have become longer."""
        self._best, self.best_rows = state["best"], state["best_rows"]
        self.scores, self.evaluated = state["scores"], state["evaluated"]
        self.intervals = {name: (low, high) for name, (low, high) in state["intervals"].items()}
        # a run that has become longer has done a smaller share
        self._evaluated_share = min(state["evaluated_share"], self._clock.share(step))
        share, self._rating_seconds = state["snapshot"]
        self._snapshot_share = min(share, self._clock.work_share(step))
        ratings = ratings_in(self._folder.path).values()
        self.rating = max(ratings, key=lambda row: int(row["step"]), default=None)


class TrainingRun:
    """One run, from its start or its newest checkpoint to its end.

    A learner uses it as a context::

        with TrainingRun(game, settings, seed, out, facts) as run:
            run.resume(learner)
            while run.goes_on():
                values = ...  # play and learn
                run.log(values)
                run.measure(player, export)
                run.save()

    Torch's number of threads is set during the run and restored at its end: many threads would
    mostly wait for each other, and their number decides how sums are rounded.

    Ctrl-C writes a checkpoint after the current update, and then raises KeyboardInterrupt. A second
    Ctrl-C ends the run at once.

    Args:
        game: the game.
        settings: when the run ends, and how often the learner is evaluated.
        seed: seed of all random choices.
        out: the folder of the run.
        facts: further entries of ``run.json`` (command, versions).
        threads: torch threads.
        log: names of the trackers, see :class:`~plyground.training.trackers.Trackers`; like
            ``threads``, not part of the run's identity.
        evaluate: evaluates the learner, or None.
        rate: rates its snapshots, or None.
        on_progress: called after every update.
        on_note: called with every message, one sentence.

    Attributes:
        learner: the learner.
        progress: the completed share of the run's work, for schedules such as the learning rate's.
        finished_now: whether the run has finished in this process.

    Raises:
        TrainingError: the folder is not this run's, or the run cannot continue, for example because
            a file cannot be written; the last good checkpoint stays.
        SpecificationError: another process trains in the folder; ``threads`` is below 1; the
            environment variable for the time between checkpoints is invalid.
    """

    def __init__(
        self,
        game: Game,
        settings: RunSettings,
        seed: int,
        out: Path,
        facts: dict[str, Any],
        *,
        threads: int = 1,
        log: str | Sequence[str] = USUAL,
        evaluate: Evaluate | None = None,
        rate: Rate | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self.settings: RunSettings = settings
        self.progress: float = 0.0
        self.finished_now: bool = False
        self.learner: Any = None
        self.folder: RunFolder
        self._identity = out, game, settings, seed, facts | {"threads": threads}
        self._trackers: Trackers = Trackers(log, on_note)
        self._threads, self._judges = threads, (self._trackers, evaluate, rate, on_note)
        self._on_progress, self._on_note = on_progress, on_note
        self._clock = RunClock(settings)
        self._stack = contextlib.ExitStack()
        self._interrupt = DelayedInterrupt()
        self._measurements: Measurements
        self._is_finished = False  # before anything was done
        seconds = os.environ.get(CHECKPOINT_SECONDS.name, CHECKPOINT_SECONDS.default)
        self._checkpoint_seconds = CHECKPOINT_SECONDS.convert(seconds, "a training run")
        self._first, self._last_save = 0, 0.0  # the first step in this process; the time
        # Of the last update.
        self._stage, self._rate, self._values = "", 0.0, dict[str, float]()

    def __enter__(self) -> Self:
        from .devices import torch_threads

        out = self._identity[0]
        is_new = not out.exists()
        with self._stack as stack:
            stack.enter_context(torch_threads(self._threads))
            with contextlib.suppress(OSError):  # the folder reports its faults
                out.mkdir(parents=True, exist_ok=True)
            if is_new:
                stack.callback(_remove_if_empty, out)
            stack.enter_context(locked(out, "trained"))
            self.folder = RunFolder(*self._identity)
            self._measurements = Measurements(
                self.settings, self._clock, self.folder, *self._judges
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        stops = self._interrupt.came and self._share < 1.0
        with self._stack:
            if isinstance(error, TrainingError) and self._last_save:
                raise TrainingError(f"{error}. {self.folder.newest_text()}") from error
        if error is None and stops:
            raise KeyboardInterrupt

    # -- the loop --

    def resume(self, learner: Any) -> None:
        """Resume a learner in its initial state from the newest checkpoint, if there is one.

        Args:
            learner: the object that a checkpoint restores. ``state()`` returns everything that
                decides its further course (tensors, numbers, texts, containers), and ``load_state``
                restores it. ``step`` is the number of its actions, ``updates`` the number of
                updates of its network, ``stage`` a short text about its opponents.
        """
        self.learner = learner
        state = restore_newest(self.folder, learner, self._on_note)
        if state is None:
            self._write_checkpoint()  # from now on a run without a checkpoint is damaged
        else:
            self._load_state(state)
        if self._share >= 1.0 and self._measurements.evaluated >= learner.step:
            self._is_finished = True
            self._on_note(f"the run is finished: {learner.step:,} steps; there is nothing to do")
            return
        self._stack.callback(self._trackers.close)
        self._trackers.open(self.folder.path, learner.step, self.folder.description)
        # An interrupted update leaves a learner that cannot be saved.
        self._stack.enter_context(self._interrupt)
        self._first, self._last_save = learner.step, time.monotonic()
        self._clock.start()

    def goes_on(self) -> bool:
        """Whether there is another update: steps and time are left, and no Ctrl-C came."""
        if self._share < 1.0 and not self._interrupt.came:
            self.progress = self._clock.work_share(self.step)
            self._stage = self.learner.stage
            return True
        if not self._is_finished:
            self._write_checkpoint()
            self.finished_now = self.learner.updates > 0
        if self._share >= 1.0 and not (self._is_finished or self.finished_now):
            self._on_note(
                "the network has not learnt yet: the run ended before its first update. The same "
                "command with more steps or hours resumes it"
            )
        return False

    def log(self, values: dict[str, float]) -> None:
        """Log the values of an update, by name.

        ``time/other_cpu_seconds`` is its CPU time in other processes.
        """
        self._clock.tick(values.pop("time/other_cpu_seconds", 0.0))
        step, self._values = self.learner.step, values
        if self.learner.stage != self._stage:
            self._on_note(f"step {step:,}: {self.learner.stage}")
        self._rate = (step - self._first) / self._clock.seconds_here
        times = {
            "time/steps_per_second": self._rate,
            "time/seconds": self._clock.seconds,
            "time/cpu_seconds": self._clock.cpu_seconds,
        }
        short = {name: round(value, 6) for name, value in (values | times).items()}
        self.folder.add_metrics({"step": step, "kind": "update", **short})
        self._trackers.log(values | times, step)

    def measure(self, player: Any, export: Callable[[Path], None]) -> None:
        """Evaluate the learner and keep its policy, if due; report the progress.

        Args:
            player: the learner for evaluations: ``act_batch(observations, masks)`` returns actions.
            export: writes its policy as a policy file.
        """
        made, step, values = self._measurements, self.step, self._values
        if made.is_due(step) and not self._interrupt.came:
            made.measure(step, player, export)
        mean, total = values.get("rollout/mean_return"), self.settings.steps
        stand = step, total, self._rate, self.learner.stage, mean
        scores = made.scores, made.evaluated
        self._on_progress(
            Progress(*stand, *scores, self._share, values, made.rating, made.intervals)
        )
        if not self._interrupt.came:
            made.take_snapshot(step, export)

    def save(self) -> None:
        """Write a checkpoint if one is due; the end of the loop writes one in any case."""
        if time.monotonic() - self._last_save >= self._checkpoint_seconds:
            self._write_checkpoint()
            self._last_save = time.monotonic()

    # -- when --

    @property
    def step(self) -> int:
        """Actions that the learner has taken."""
        return int(self.learner.step)

    @property
    def best_rows(self) -> list[dict[str, Any]]:
        """The scores of the best policy against each opponent."""
        return self._measurements.best_rows

    @property
    def _share(self) -> float:
        return self._clock.share(self.step) if self.learner is not None else 0.0

    # -- checkpoints --

    def _write_checkpoint(self) -> None:
        state = {
            **self.learner.state(),
            "description": json.dumps(self.folder.description),
            **self._clock.state(),
            **self._measurements.state(),
        }
        self.folder.save_checkpoint(self.step, pack(state))

    def _load_state(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint."""
        self._clock.load_state(state)
        self.folder.cut_metrics(self.step)
        self.folder.cut_snapshots(self.step)
        self._measurements.load_state(state, self.step)
        if self._share < 1.0:
            hours = f"after {self._clock.seconds_that_count / 3600:.2f} hours"
            of = hours if self._clock.has_limit else f"of {self.settings.steps:,}"
            self._on_note(f"resumed at step {self.step:,} {of} from {self.folder.path}")


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
