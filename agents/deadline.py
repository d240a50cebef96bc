"""Deadlines that also hold on a busy machine.

A search checks the clock between slices. When other programs compete for the CPU, a slice takes
longer than its computation, and so does the work after the last one. The time that this process
waited is measured, and as much is kept in reserve.
"""

from __future__ import annotations

import math
import time

AFTERWARDS_SECONDS = 0.001  # CPU time for the decision after the search


class Deadline:
    """A deadline, and how long this thread has waited for the CPU so far.

    Args:
        at: seconds of ``time.perf_counter``; infinite for none.
    """

    def __init__(self, at: float = math.inf) -> None:
        self.at = at
        self.seconds: float = 0.0  # duration of the last slice
        self._longest_wait = self._slice_seconds = self._computing_seconds = 0.0
        self._slice_start = (0.0, 0.0)

    def begin(self) -> None:
        """Begin a slice."""
        self._slice_start = time.perf_counter(), time.thread_time()

    def end(self) -> bool:
        """End a slice; returns whether to stop now in order to finish by the deadline."""
        now, began = time.perf_counter(), self._slice_start
        self.seconds = now - began[0]
        computing: float = time.thread_time() - began[1]
        if self.at == math.inf:
            return False
        self._slice_seconds += self.seconds
        self._computing_seconds += computing
        self._longest_wait = max(self._longest_wait, self.seconds - computing)
        return now + self.reserve >= self.at

    def next_slice(self, size: int, seconds: float) -> int:
        """The size of the next slice for this duration, given the size of the last one.

        It shrinks as time runs out, and grows by a factor of four at most.
        """
        rate = size / max(self.seconds, 1e-6)
        return min(max(int(rate * min(seconds, self.left)), 1), 4 * size)

    @property
    def reserve(self) -> float:
        """Seconds reserved for the remaining work, and for waiting as long as before."""
        slower = max(self._slice_seconds / max(self._computing_seconds, 1e-6), 1.0)
        return self._longest_wait + AFTERWARDS_SECONDS * min(slower, 20.0)

    @property
    def left(self) -> float:
        """The seconds for the next slice."""
        return self.at - time.perf_counter() - self.reserve
