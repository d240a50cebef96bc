"""A training run: what a learner uses to go on, to be measured, and to be kept in a folder.

A learner is one function that reads from top to bottom: it makes games and a network, and plays and
learns in a loop. The run is a context around that loop. It decides when the learner is measured,
which policy is kept as the best, and what a checkpoint holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..envs.game import Game
from ..envs.loading.interruption import DelayedInterrupt
from ..envs.loading.locks import locked
from ..envs.specification import Parameter
from .checkpoints import pack, restore_newest
from .folder import RunFolder, TrainingError
from .measurements import Evaluate, Measurements, Rate, RunClock
from .settings import RunSettings

CHECKPOINT_SECONDS = Parameter(  # an environment variable
    "PLYGROUND_CHECKPOINT_SECONDS", float, 20.0,
    "The training time between checkpoints: an interruption loses no more.", low=0,
)  # fmt: skip


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


class TrainingRun:
    """One run, from its beginning or its newest checkpoint to its end.

    A learner uses it as a context::

        with TrainingRun(game, settings, seed, out, facts) as run:
            run.resume(learner)
            while run.goes_on():
                values = ...  # play and learn
                run.log(values)
                run.measure(player, export)
                run.save()

    Torch's number of threads is the run's meanwhile, and is put back however it ends: many would
    mostly wait for each other, and they decide how sums are rounded.

    Ctrl-C writes a checkpoint after the update that is under way, and is then raised as
    KeyboardInterrupt. Pressed again, it ends the run at once.

    Args:
        game: the game.
        settings: when the run ends, and how often the learner is measured.
        seed: decides everything that is random.
        out: the folder of the run.
        facts: what else ``run.json`` says (command, versions).
        threads: threads of torch.
        evaluate: measures the learner, or None.
        rate: rates its snapshots, or None.
        on_progress: called after every update.
        on_note: called with every remark, one sentence.

    Attributes:
        learner: what learns.
        progress: the share of the run's work that is done, which schedules follow, such as that of
            the learning rate.
        finished_now: whether the run has come to its end in this process.

    Raises:
        TrainingError: the folder is not this run's, or the run cannot go on, such as by a file that
            cannot be written; the last good checkpoint stays.
        SpecificationError: another process trains in the folder; ``threads`` is below 1; the
            environment's time between checkpoints is not possible.
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
        self._threads, self._judges = threads, (evaluate, rate, on_note)
        self._on_progress, self._on_note = on_progress, on_note
        self._clock = RunClock(settings)
        self._stack = contextlib.ExitStack()
        self._interrupt = DelayedInterrupt()
        self._writer: Any = None  # of TensorBoard
        self._measurements: Measurements
        self._is_finished = False  # before anything was done
        seconds = os.environ.get(CHECKPOINT_SECONDS.name, CHECKPOINT_SECONDS.default)
        self._checkpoint_seconds = CHECKPOINT_SECONDS.convert(seconds, "a training run")
        self._first, self._last_save = 0, 0.0  # the step that it began with here; the time
        # Of the last update.
        self._stage, self._rate, self._values = "", 0.0, dict[str, float]()

    def __enter__(self) -> Self:
        from .devices import torch_threads

        out = self._identity[0]
        is_new = not out.exists()
        with self._stack as stack:
            stack.enter_context(torch_threads(self._threads))
            with contextlib.suppress(OSError):  # the folder says what is wrong with it
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
            if isinstance(error, TrainingError) and self._writer is not None:
                raise TrainingError(f"{error}. {self.folder.newest_text()}") from error
        if error is None and stops:
            raise KeyboardInterrupt

    # -- the loop --

    def resume(self, learner: Any) -> None:
        """Let a learner in its initial state go on from the newest checkpoint, if there is one.

        Args:
            learner: what a checkpoint restores. ``state()`` returns everything that decides how it
                goes on (tensors, numbers, texts, containers), and ``load_state`` takes it back.
                ``step`` is the number of its actions, ``updates`` how often its network has learnt,
                ``stage`` names its opponents in a few words.
        """
        self.learner = learner
        state = restore_newest(self.folder, learner, self._on_note)
        if state is None:
            self._write_checkpoint()  # from now on a run without any was damaged
        else:
            self._load_state(state)
        if self._share >= 1.0 and self._measurements.evaluated >= learner.step:
            self._is_finished = True
            self._on_note(f"the run is finished: {learner.step:,} steps; there is nothing to do")
            return
        from torch.utils.tensorboard import SummaryWriter

        self._writer = self._measurements.writer = SummaryWriter(
            str(self.folder.path / "tensorboard"), purge_step=learner.step + 1
        )
        self._stack.callback(self._writer.close)
        # An update that is broken off leaves a learner that no checkpoint can hold.
        self._stack.enter_context(self._interrupt)
        self._first, self._last_save = learner.step, time.monotonic()
        self._clock.start()

    def goes_on(self) -> bool:
        """Whether there is another update: there are steps and time left, and no Ctrl-C came."""
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
                "command with more steps or hours goes on"
            )
        return False

    def log(self, values: dict[str, float]) -> None:
        """Keep what an update says of itself, by name.

        ``time/other_cpu_seconds`` is the processor time that other processes spent on it.
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
        for name, value in (values | times).items():
            self._writer.add_scalar(name, value, step)

    def measure(self, player: Any, export: Callable[[Path], None]) -> None:
        """Measure the learner and keep its policy, where that is due; report the progress.

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
        self._on_progress(Progress(*stand, *scores, self._share, values, made.rating))
        if not self._interrupt.came:
            made.take_snapshot(step, export)

    def save(self) -> None:
        """Write a checkpoint, where one is due; the end of the loop writes one in any case."""
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
        """What the best policy reached against each opponent."""
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
        """Go on where a checkpoint was written."""
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
