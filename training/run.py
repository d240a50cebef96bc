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
from .checkpoints import pack, restore_newest
from .clock import RunClock
from .folder import RunFolder, TrainingError
from .measurements import Evaluate, Measurements, Rate
from .settings import RunSettings
from .trackers import USUAL, Trackers

CHECKPOINT_SECONDS = Parameter(  # an environment variable
    "PLYGROUND_CHECKPOINT_SECONDS", float, 20.0,
    "Seconds between checkpoints, and as many times what one takes if that is over a second.",
    low=0,
)  # fmt: skip
POLL_SECONDS = 0.2  # between two checks for Ctrl-C at the end


class Progress(NamedTuple):
    """The progress of a run.

    Attributes:
        step, total: actions taken, and their final number.
        rate: actions per second in this process.
        stage: the learner's opponents.
        mean_return: mean return of the games that ended in the last update, or None.
        scores: the last evaluation: opponent and score.
        evaluated: the step whose policy was evaluated; 0 before the first.
        share: the completed share of the run, by steps or by time.
        values: the values logged by the last update.
        rating: the newest snapshot's, see :data:`Rate`; None if there is none yet.
        intervals: the 95 % interval of each score.
        has_news: whether the evaluation is new since the last progress.
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
    has_news: bool = False


class TrainingRun:
    """One run, from its start or its newest checkpoint to its end.

    A learner uses it as a context::

        with TrainingRun(game, settings, seed, out, facts) as run:
            run.resume(learner)
            while run.goes_on():
                values = ...  # play and learn
                run.log(values)
                run.measure(export)
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
        evaluate: evaluates the learner, or None. It receives an object with ``act_batch`` that
            plays an exported policy. A run of at least three minutes, one that has taken a minute,
            or one on a GPU calls it in a process of its own if that can import it; what it changes
            there is not seen here.
        rate: rates its snapshots, or None; called where ``evaluate`` is.
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
        self._clock = RunClock(settings, facts.get("device", "cpu") != "cpu")
        self._stack = contextlib.ExitStack()
        self._interrupt = DelayedInterrupt()
        self._measurements: Measurements
        self._is_finished = False  # before anything was done
        seconds = os.environ.get(CHECKPOINT_SECONDS.name, CHECKPOINT_SECONDS.default)
        self._checkpoint_seconds = CHECKPOINT_SECONDS.convert(seconds, "a training run")
        self._first, self._last_save = 0, 0.0  # the first step in this process; the time
        self._saving_seconds = 0.0  # what the last one took
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
                self._identity[1], self.settings, self._clock, self.folder, *self._judges
            )
            stack.callback(self._measurements.close)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        stops = self._interrupt.came and not (self._share >= 1.0 and self._measurements.is_done)
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
        if self._share >= 1.0 and self._measurements.covers(learner.updates):
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
            self._finish_measurements()
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
        others = values.pop("time/other_cpu_seconds", 0.0)
        self._clock.tick(others, self._measurements.take_cpu_seconds())
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

    def measure(self, export: Callable[[Path], None]) -> None:
        """Measure the learner and keep its policy, if due; report the progress.

        Args:
            export: writes its policy as a policy file.
        """
        made = self._measurements
        if self._share >= 1.0 or not self._interrupt.came:
            made.take(self.step, self.learner.updates, export)
        if not self._interrupt.came:
            made.advance()
        self._report()

    def _finish_measurements(self) -> None:
        """At the end of the run, wait for what is measured, unless Ctrl-C comes."""
        made = self._measurements
        while self._share >= 1.0 and not (self._interrupt.came or made.advance(POLL_SECONDS)):
            pass
        if made.has_news and self._values:
            self._report()

    def _report(self) -> None:
        made, values = self._measurements, self._values
        mean, total = values.get("rollout/mean_return"), self.settings.steps
        stand = self.step, total, self._rate, self.learner.stage, mean
        scores = made.scores, made.evaluated
        news, made.has_news = made.has_news, False
        self._on_progress(
            Progress(*stand, *scores, self._share, values, made.rating, made.intervals, news)
        )

    def save(self) -> None:
        """Write a checkpoint if one is due; the end of the loop writes one in any case.

        Where that takes over a second, as with thousands of games on a GPU, it comes less often.
        """
        began = time.monotonic()
        if began - self._last_save >= self._checkpoint_seconds * max(self._saving_seconds, 1.0):
            self._write_checkpoint()
            self._last_save = time.monotonic()
            self._saving_seconds = self._last_save - began

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
        self.folder.drop_measured(state["waiting"])

    def _load_state(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint."""
        self._clock.load_state(state)
        self.folder.cut_metrics(self.step, state["evaluated"])
        self.folder.cut_snapshots(self.step)
        self._measurements.load_state(state, self.step)
        if self._share < 1.0:
            hours = f"after {self._clock.seconds_that_count / 3600:.2f} hours"
            of = hours if self._clock.has_limit else f"of {self.settings.steps:,}"
            self._on_note(f"resumed at step {self.step:,} {of} from {self.folder.path}")


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
