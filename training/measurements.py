"""The clock of a training run, and what its learner reaches: evaluations, snapshots, ratings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..envs.workers.processors import available_processors
from .folder import RunFolder, ratings_in
from .settings import RunSettings

EVEN = 1e-9  # what a share may lack of a snapshot's by rounding
RATING_SHARE = 0.03  # of the run's time, at most, apart from one pair of each meeting

# Plays the learner (an object with `act_batch`) against opponents; returns a row for each of them,
# a dictionary or a named tuple, with "opponent", "score", "low" and "high" at least.
Evaluate = Callable[[Any], Sequence[Any]]
# Rates the snapshots in the run's folder by games of so many seconds; returns the newest one's
# rating, with "elo", "low", "high", "games" and "anchor", or None.
Rate = Callable[[float], dict[str, Any] | None]


class RunClock:
    """The time that a run has taken, and the share of it that is done.

    Args:
        settings: when it ends.

    Attributes:
        seconds, cpu_seconds: of training, by the clock and of all processes together.
        cores: that the run had at best.
        has_limit: whether a time ends the run.
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
        """Read the time after an update, which took so much in other processes."""
        before = self.seconds, self.cpu_seconds
        self._cpu_began -= other_cpu_seconds
        self.seconds = time.monotonic() - self._began
        self.cpu_seconds = time.process_time() - self._cpu_began
        interval = self.seconds - before[0]
        self.cores = max(self.cores, (self.cpu_seconds - before[1]) / max(interval, 1.0))

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds of it."""
        return {"seconds": [self.seconds, self.cpu_seconds], "cores": self.cores}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.seconds, self.cpu_seconds = state["seconds"]
        # those of an earlier version had the mean
        self.cores = state.get("cores", self.cpu_seconds / max(self.seconds, 1.0))

    @property
    def seconds_here(self) -> float:
        """Seconds of training since :meth:`start`."""
        return self.seconds - self._started

    @property
    def seconds_that_count(self) -> float:
        """Seconds of the run, on the clock that ends it."""
        return self.cpu_seconds if self._counts_processor_time else self.seconds

    def share(self, step: int) -> float:
        """The share of the run that is done."""
        by_time = self.seconds_that_count / self._limit if self._limit else 0.0
        return min(max(step / self._steps, by_time), 1.0)

    def work_share(self, step: int) -> float:
        """The share of the run's work that is done; it ends with the run.

        Work is processor time: by the clock alone, what others take on a busy machine would count.
        What is to come is the time that is left, on all the processors that the run can have.
        """
        if not self._limit or self._counts_processor_time:
            return self.share(step)
        cores = max(self.cores, self._processors)
        to_come = cores * max(self._limit - self.seconds, 0.0)
        by_work = self.cpu_seconds / max(self.cpu_seconds + to_come, 1e-9)
        return max(min(step / self._steps, 1.0), by_work)


class Measurements:
    """What the learner has reached, and which of its policies are kept.

    Args:
        settings: how often it is measured.
        clock: the time of the run.
        folder: of the run.
        evaluate, rate, on_note: as for :class:`~plyground.training.TrainingRun`.

    Attributes:
        best_rows: what the best policy reached against each opponent.
        scores: the last evaluation: opponent and score.
        evaluated: the step of that evaluation; 0 before the first.
        rating: the newest snapshot's, or None.
        writer: of TensorBoard, once the run goes on.
    """

    def __init__(
        self,
        settings: RunSettings,
        clock: RunClock,
        folder: RunFolder,
        evaluate: Evaluate | None,
        rate: Rate | None,
        on_note: Callable[[str], None],
    ) -> None:
        self.best_rows: list[dict[str, Any]] = []
        self.scores: dict[str, float] = {}
        self.evaluated: int = 0
        self.rating: dict[str, Any] | None = None
        self.writer: Any = None
        self._clock, self._folder, self._on_note = clock, folder, on_note
        self._evaluate, self._rate = evaluate, rate
        self._evaluations, self._snapshots = settings.evaluations, settings.keep
        self._interval = settings.steps_between_evaluations
        self._best: float | None = None
        self._evaluated_share = 0.0
        self._snapshot_share = 0.0  # of the work, when the newest snapshot was taken
        self._rating_seconds = 0.0

    def is_due(self, step: int) -> bool:
        """Whether the learner is to be measured."""
        share = self._clock.share(step)
        by_time = share >= self._evaluated_share + 1.0 / self._evaluations
        by_steps = step >= self.evaluated + self._interval
        return share >= 1.0 or (by_time if self._clock.has_limit else by_steps)

    def measure(self, step: int, player: Any, export: Callable[[Path], None]) -> None:
        """Measure the learner; keep its policy if the mean score is the best so far."""
        self.evaluated, self._evaluated_share = step, self._clock.share(step)
        results = self._evaluate(player) if self._evaluate is not None else ()
        rows = [dict(row) if isinstance(row, dict) else row._asdict() for row in results]
        self.scores = {row["opponent"]: row["score"] for row in rows}
        for row in rows:
            self._folder.add_metrics({"step": step, "kind": "evaluation", **row})
            for name in ("score", "low", "high"):
                self.writer.add_scalar(f"evaluation/{row['opponent']}/{name}", row[name], step)
        mean = sum(self.scores.values()) / len(rows) if rows else 0.0
        if self._best is None or mean >= self._best or not rows:
            self._best, self.best_rows = mean, rows
            export(self._folder.path / "best.onnx")
            self._folder.write_best({"step": step, "mean_score": mean, "scores": rows})

    def take_snapshot(self, step: int, export: Callable[[Path], None]) -> None:
        """Keep the present policy, if the run's work has come so far, and rate it."""
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
        for name in ("elo", "low", "high"):
            self.writer.add_scalar(f"rating/{name}", rating[name], step)

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds of it."""
        return {
            "best": self._best,
            "best_rows": self.best_rows,
            "scores": self.scores,
            "evaluated": self.evaluated,
            "evaluated_share": self._evaluated_share,
            "snapshot": [self._snapshot_share, self._rating_seconds],
        }

    def load_state(self, state: dict[str, Any], step: int) -> None:
        """Go on where :meth:`state` was taken, at a step of a run that may have become longer."""
        self._best, self.best_rows = state["best"], state["best_rows"]
        self.scores, self.evaluated = state["scores"], state["evaluated"]
        # a run that has become longer has done a smaller share
        self._evaluated_share = min(state["evaluated_share"], self._clock.share(step))
        share, self._rating_seconds = state.get("snapshot", (0.0, 0.0))
        self._snapshot_share = min(share, self._clock.work_share(step))
        ratings = ratings_in(self._folder.path).values()
        self.rating = max(ratings, key=lambda row: int(row["step"]), default=None)
