"""Measuring a learner: its evaluations, its best policy, and its snapshots with their ratings.

What is measured is always a policy file that the learner has exported. In long runs a process of
its own measures it while the learner goes on. What it finds decides nothing in the run's course.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..agents.policies.policy_file import Network, load_policy_file
from ..agents.registry import modules_of
from ..envs.game import Game
from ..envs.specification import first_line
from ..envs.workers.jobs import PROCESSES, Answer, JobPlace, Jobs, LocalJobs, Needs, Work
from .clock import RunClock
from .folder import EVALUATION, MEASURING, SNAPSHOTS, RunFolder, policies_in, ratings_in
from .settings import RunSettings
from .trackers import Trackers

EVEN = 1e-9  # tolerance of a snapshot's share for rounding
NICE = 5  # of the process that measures: what learns comes first
MEASURING_SHARE = 0.05  # maximum share of a long run's CPU time
RATING_SHARE = 0.03  # maximum share of the run's time, apart from one pair between any two agents
SCRIPT = b"__main__"  # another process cannot import what a script defines

# Plays the learner (an object with `act_batch`) against opponents; returns a row for each of them,
# a dictionary or a named tuple, with "opponent", "score", "low" and "high" at least.
Evaluate = Callable[[Any], Sequence[Any]]
# Rates the snapshots in the run's folder, playing for the given seconds; returns the newest one's
# rating, with "elo", "low", "high", "games" and "anchor", or None.
Rate = Callable[[float], dict[str, Any] | None]


class SnapshotPlayer:
    """Plays the most probable actions of a policy file.

    Args:
        path: the file, which is loaded when it first plays.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    @functools.cached_property
    def _network(self) -> Network:
        return load_policy_file(self._path)

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose actions for many positions: int64, (n,).

        Args:
            observations: (n, rows, columns, planes), int8, as the side to move sees them.
            masks: (n, actions), int8.
        """
        logits, _ = self._network.evaluate(observations)
        actions: np.ndarray = np.where(masks != 0, logits, -np.inf).argmax(axis=1)
        return actions


class _Outcome(NamedTuple):
    """A result, the seconds that it took, and CPU seconds of the process that measures.

    The latter are those of the result, and those before, in which the process started.
    """

    result: Any
    seconds: float
    cpu_seconds: float
    start_seconds: float


class _Lost(NamedTuple):
    """The process that measures has ended; how, in words after its name."""

    reason: str


class _OwnProcess:
    """The process that measures."""

    def __init__(self) -> None:
        os.nice(NICE)
        self._counted = 0.0

    def cpu_seconds(self) -> float:
        """The CPU time since the last call, with that of its ended children."""
        before, self._counted = self._counted, sum(os.times()[:4])
        return self._counted - before


def _call(process: _OwnProcess | None, function: Callable[..., Any], *arguments: Any) -> _Outcome:
    start = 0.0 if process is None else process.cpu_seconds()
    began = time.monotonic()
    result = function(*arguments)
    seconds = time.monotonic() - began
    return _Outcome(result, seconds, 0.0 if process is None else process.cpu_seconds(), start)


def _nothing() -> None:
    """What this process prepares for measuring."""


def _rows(evaluate: Evaluate | None, path: str) -> list[dict[str, Any]]:
    """The scores of the policy in a file."""
    results = () if evaluate is None else evaluate(SnapshotPlayer(path))
    return [dict(row) if isinstance(row, dict) else row._asdict() for row in results]


class Measurements:
    """Evaluates the learner, and keeps its best policy and its snapshots.

    One measurement follows the other. A run is long if its time limit is at least three minutes,
    once it has taken a minute, or if it learns on a GPU: then they are made in a process of its
    own, and begin only if measuring takes no more than :data:`MEASURING_SHARE` of the run. That
    process's first evaluation also compiles, and solves positions; it counts as the cheapest of the
    others. They are made here in other runs, where ``evaluate`` or ``rate`` cannot be imported or
    pickled (a lambda, a function of the main script), and after that process has failed.

    Args:
        game: the game.
        settings: how often to evaluate.
        clock: the clock of the run.
        folder: the folder of the run.
        trackers: the trackers to log to.
        evaluate, rate, on_note: as for :class:`~plyground.training.TrainingRun`.

    Attributes:
        best_rows: the scores of the best policy against each opponent.
        scores, intervals: the last evaluation: opponent and score, and its 95 % interval.
        evaluated: the step of its snapshot; 0 before the first.
        rating: the newest snapshot's, or None.
        has_news: whether the scores have not been reported yet.
    """

    def __init__(
        self,
        game: Game,
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
        self._game, self._settings = game, settings
        self._clock, self._folder, self._on_note = clock, folder, on_note
        self._trackers = trackers
        self._evaluate, self._rate = evaluate, rate
        self._best: float | None = None
        # The step of the newest policy to evaluate, its updates, and the share of the run.
        self._taken = (0, 0, 0.0)
        self._waiting: list[int] = []  # the steps of policies that are not evaluated yet
        # The share of the work when the newest snapshot was taken, and its updates.
        self._snapshot: tuple[float, int] = (0.0, 0)
        self._unrated: int | None = None  # the step of the newest snapshot, until it is rated
        self._rating_seconds = 0.0
        # of the process that measures: without evaluations, not counted by the run, of evaluations
        self._cpu_seconds, self._uncounted = 0.0, 0.0
        self._prices: list[float] = []
        self._can_leave = _can_be_sent(evaluate, rate)
        self._here: Jobs = LocalJobs(Work(_call, _nothing))
        self._process: Jobs | None = None
        self._running: tuple[Answer, Callable[[_Outcome], None]] | None = None
        self.has_news: bool = False

    # -- what to measure --

    def take(self, step: int, updates: int, export: Callable[[Path], None]) -> None:
        """Keep the present policy for an evaluation or as a snapshot, if one is due.

        Nothing is due if the network has not learnt since the last one.
        """
        share = self._clock.share(step)
        is_new = updates != self._taken[1] or (share >= 1.0 and self._nothing_taken)
        if is_new and self._is_due(step, share):
            export(self._folder.policy_path(MEASURING, step))
            self._waiting.append(step)
            self._taken = step, updates, share
        work, count = self._clock.work_share(step), self._settings.keep
        crosses = int(work * count + EVEN) > int(self._snapshot[0] * count + EVEN)
        if crosses and updates != self._snapshot[1]:
            export(self._folder.policy_path(SNAPSHOTS, step))
            self._snapshot = work, updates
            self._unrated = None if self._rate is None else step

    @property
    def _nothing_taken(self) -> bool:
        return self._best is None and not self._waiting

    def _is_due(self, step: int, share: float) -> bool:
        """Whether an evaluation is due, and a long run has the time for it."""
        if share >= 1.0:
            return True
        if self._leaves and (self._waiting or self._cpu_seconds_left < self._price):
            return False
        by_time = share >= self._taken[2] + 1.0 / self._settings.evaluations
        by_steps = step >= self._taken[0] + self._settings.steps_between_evaluations
        return by_time if self._clock.has_limit else by_steps

    def covers(self, updates: int) -> bool:
        """Whether the policy after these updates is measured, and nothing waits."""
        return self.is_done and self._best is not None and self._taken[1] == updates

    @property
    def is_done(self) -> bool:
        """Whether no measurement waits."""
        return not self._waiting and self._unrated is None

    # -- measuring --

    def advance(self, patience: float = 0.0) -> bool:
        """Take what was found and begin what waits; returns whether nothing is left.

        Args:
            patience: seconds to wait for the process that measures.
        """
        while self._running is not None or self._begin():
            assert self._running is not None
            answer, keep = self._running
            if answer.future is not None and not wait([answer.future], patience).done:
                return False
            self._running = None
            outcome = self._read(answer)
            if outcome is not None:
                self._count(outcome)
                keep(outcome)
        return True

    def take_cpu_seconds(self) -> float:
        """The CPU time of the process that measures since the last call."""
        before, self._uncounted = self._uncounted, 0.0
        return before

    def close(self) -> None:
        """End the process that measures; what it has not finished waits for the next run."""
        if self._process is not None:
            self._process.close()
        self._process = self._running = None

    @property
    def _leaves(self) -> bool:
        return self._can_leave and self._clock.is_long

    @property
    def _price(self) -> float:
        """CPU seconds of an evaluation, 0 before the second."""
        return min(self._prices[1:], default=0.0)

    @property
    def _cpu_seconds_spent(self) -> float:
        return self._cpu_seconds + sum(self._prices[1:], self._price)

    @property
    def _cpu_seconds_left(self) -> float:
        """CPU seconds for more than the evaluation at the end."""
        return MEASURING_SHARE * self._clock.cpu_seconds - self._cpu_seconds_spent - self._price

    def _begin(self) -> bool:
        """Begin the next measurement, if there is one."""
        call: tuple[Any, ...]
        if self._waiting:
            step = self._waiting[0]
            path = self._folder.policy_path(MEASURING, step)
            call, keep = (_rows, self._evaluate, str(path)), self._keep_scores
        elif self._unrated is not None:
            step = self._unrated
            left = RATING_SHARE * self._clock.seconds - self._rating_seconds
            left = min(left, self._cpu_seconds_left) if self._leaves else left
            call, keep = (self._rate, max(left, 0.0)), self._keep_rating
        else:
            return False
        self._running = self._place().submit(*call), functools.partial(keep, step)
        return True

    def _place(self) -> Jobs:
        """Where the next measurement is made."""
        if self._leaves and self._process is None:
            try:
                opponents = self._settings.opponents_to_measure
                modules = [type(self._game.rules).__module__]
                modules += [each for name in opponents for each in modules_of(name, self._game)]
                needs = Needs(tuple(dict.fromkeys(modules)))
                place = JobPlace(PROCESSES, concurrency=1)
                self._process = place.open(Work(_call, _OwnProcess, needs, _Lost))
            except Exception as error:
                self._stay(f"cannot be started: {first_line(error)}")
        return self._process if self._leaves and self._process else self._here

    def _read(self, answer: Answer) -> _Outcome | None:
        """What a measurement found; None if it is to be made again, here."""
        try:
            outcome: _Outcome | _Lost = answer.read()
        except Exception as error:
            if answer.future is None:
                raise
            outcome = _Lost(f"failed: {first_line(error)}")
        if isinstance(outcome, _Lost):
            self._stay(outcome.reason)
            return None
        return outcome

    def _stay(self, reason: str) -> None:
        """Measure here from now on."""
        self._on_note(f"the process that measures {reason}; from now on the run measures by itself")
        self._can_leave = False
        self.close()

    # -- what was found --

    def _count(self, outcome: _Outcome) -> None:
        self._cpu_seconds += outcome.start_seconds
        self._uncounted += outcome.start_seconds + outcome.cpu_seconds

    def _keep_scores(self, step: int, outcome: _Outcome) -> None:
        """Record the scores of a policy, and keep it if their mean is the best so far."""
        rows: list[dict[str, Any]] = outcome.result
        self._prices.append(outcome.cpu_seconds)
        self.has_news = bool(rows)
        self.evaluated = step
        self.scores = {row["opponent"]: row["score"] for row in rows}
        self.intervals = {row["opponent"]: (row["low"], row["high"]) for row in rows}
        for row in rows:
            self._folder.add_metrics({"step": step, "kind": EVALUATION, **row})
            self._log(f"evaluation/{row['opponent']}", ("score", "low", "high"), row, step)
        mean = sum(self.scores.values()) / len(rows) if rows else 0.0
        if self._best is None or mean >= self._best or not rows:
            self._best, self.best_rows = mean, rows
            facts = {"step": step, "mean_score": mean, "scores": rows}
            self._folder.write_best(self._folder.policy_path(MEASURING, step), facts)
        self._waiting.remove(step)

    def _keep_rating(self, step: int, outcome: _Outcome) -> None:
        self._rating_seconds += outcome.seconds
        self._cpu_seconds += outcome.cpu_seconds
        if self._unrated == step:  # no later one was taken meanwhile
            self._unrated = None
        rating = outcome.result
        if rating is None:
            return
        self.rating, step = rating, rating.get("step", step)
        self._on_note(
            f"step {step:,}: Elo {rating['elo']:.0f} ± {rating['high'] - rating['elo']:.0f} "
            f"({rating['anchor']}, {rating['games']} games)"
        )
        self._log("rating", ("elo", "low", "high"), rating, step)

    def _log(self, what: str, names: Sequence[str], row: dict[str, Any], step: int) -> None:
        self._trackers.log({f"{what}/{name}": row[name] for name in names}, step)

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {
            "best": self._best,
            "best_rows": self.best_rows,
            "scores": self.scores,
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "evaluated": self.evaluated,
            "taken": list(self._taken),
            "waiting": list(self._waiting),
            "snapshot": list(self._snapshot),
            "unrated": [] if self._unrated is None else [self._unrated],
            "measuring": [self._cpu_seconds_spent, self._rating_seconds],
        }

    def load_state(self, state: dict[str, Any], step: int) -> None:
        """Go on where :meth:`state` was taken, at a step of a run that may have become longer."""
        self._best, self.best_rows = state["best"], state["best_rows"]
        self.scores, self.evaluated = state["scores"], state["evaluated"]
        self.intervals = {name: (low, high) for name, (low, high) in state["intervals"].items()}
        # a run that has become longer has done a smaller share
        *taken, share = state["taken"]
        self._taken = *taken, min(share, self._clock.share(step))
        share, updates = state["snapshot"]
        self._snapshot = min(share, self._clock.work_share(step)), updates
        self._cpu_seconds, self._rating_seconds = state["measuring"]
        self._unrated = next(iter(state["unrated"]), None)
        there = policies_in(self._folder.path / MEASURING)
        self._waiting = [waiting for waiting in state["waiting"] if waiting in there]
        if len(self._waiting) < len(state["waiting"]):  # a later policy is measured instead
            self._taken = 0, 0, 0.0
        ratings = ratings_in(self._folder.path).values()
        self.rating = max(ratings, key=lambda row: int(row["step"]), default=None)


def _can_be_sent(*functions: Callable[..., Any] | None) -> bool:
    """Whether a process of its own can call these functions."""
    if os.name != "posix" or not any(functions):
        return False
    with contextlib.suppress(Exception):  # whatever cannot be pickled says so in its own way
        return SCRIPT not in pickle.dumps(functions)
    return False
