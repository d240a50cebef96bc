"""The time of a training run, and how much of the run is done."""

from __future__ import annotations

import time
from typing import Any

from ..envs.workers.processors import available_processors
from .settings import RunSettings

LONG_LIMIT, LONG_SECONDS = 180.0, 60.0  # a time limit, and a duration, from which a run is long


class RunClock:
    """The elapsed time of a run, and its completed share.

    Args:
        settings: when it ends.
        on_gpu: whether it learns on a GPU.

    Attributes:
        seconds, cpu_seconds: training time: wall time, and CPU time of all processes.
        measuring_seconds: CPU time of the process that measures, a part of ``cpu_seconds``.
        cores: the most cores that the run used.
        has_limit: whether a time limit ends the run.
    """

    def __init__(self, settings: RunSettings, on_gpu: bool = False) -> None:
        self.seconds = self.cpu_seconds = self.measuring_seconds = self.cores = 0.0
        self.has_limit: bool = settings.time_limit > 0
        self._steps, self._limit = settings.steps, settings.time_limit
        self._counts_processor_time, self._on_gpu = settings.counts_processor_time, on_gpu
        self._processors = min(settings.processes, available_processors())
        self._began = self._cpu_began = self._started = 0.0

    def start(self) -> None:
        """Count from now on."""
        self._started, self._began = self.seconds, time.monotonic() - self.seconds
        self._cpu_began = time.process_time() - self.cpu_seconds

    def tick(self, other_cpu_seconds: float, measuring_seconds: float) -> None:
        """Read the time after an update, with its CPU time in other processes.

        That of a measurement comes all at once, after many updates, and is none of their work.
        """
        before = self.seconds, self._work_seconds
        self.measuring_seconds += measuring_seconds
        self._cpu_began -= other_cpu_seconds + measuring_seconds
        self.seconds = time.monotonic() - self._began
        self.cpu_seconds = time.process_time() - self._cpu_began
        interval = self.seconds - before[0]
        self.cores = max(self.cores, (self._work_seconds - before[1]) / max(interval, 1.0))

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {
            "seconds": [self.seconds, self.cpu_seconds],
            "measuring_seconds": self.measuring_seconds,
            "cores": self.cores,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`, also of a version that did not count what measures."""
        self.seconds, self.cpu_seconds = state["seconds"]
        self.measuring_seconds = state.get("measuring_seconds", 0.0)
        self.cores = state["cores"]

    @property
    def _work_seconds(self) -> float:
        """CPU time of what plays and learns."""
        return self.cpu_seconds - self.measuring_seconds

    @property
    def is_long(self) -> bool:
        """Whether the run may take three minutes, has taken one, or leaves the processors idle."""
        return self._on_gpu or self._limit >= LONG_LIMIT or self.seconds >= LONG_SECONDS

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

        Work is CPU time of what plays and learns: wall time would count the load of others on a
        busy machine. The remaining work is the time left on all processors that the run can use.
        """
        if not self._limit or self._counts_processor_time:
            return self.share(step)
        cores = max(self.cores, self._processors)
        to_come = cores * max(self._limit - self.seconds, 0.0)
        by_work = self._work_seconds / max(self._work_seconds + to_come, 1e-9)
        return max(min(step / self._steps, 1.0), by_work)
