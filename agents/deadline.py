"""Deadlines that are kept on a busy machine too.

A search looks at the clock between slices. Where other programs want the processor, a slice takes
longer than it computes, and so does what is left to do after the last one. How long this process
had to wait is measured, and as much is kept in reserve.
"""

from __future__ import annotations

import math
import time

AFTERWARDS_SECONDS = 0.001  # of computing, for the decision after the search


class Deadline:
    """A deadline, and how much the machine has kept this thread waiting so far.

    Args:
        at: seconds of ``time.perf_counter``; infinite for none.
    """

    def __init__(self, at: float = math.inf) -> None:
        self.at = at
        self.seconds: float = 0.0  # that the last slice took
        self._longest_wait = self._slice_seconds = self._computing_seconds = 0.0
        self._slice_start = (0.0, 0.0)

    def begin(self) -> None:
        """Begin a slice."""
        self._slice_start = time.perf_counter(), time.thread_time()

    def end(self) -> bool:
        """End a slice; whether it is time to stop, so that all is done by the deadline."""
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
        """How large a slice is to be that takes so long, where the last one was of this size.

        It is shorter where less time is left, and grows to four times the size at most.
        """
        rate = size / max(self.seconds, 1e-6)
        return min(max(int(rate * min(seconds, self.left)), 1), 4 * size)

    @property
    def reserve(self) -> float:
        """The seconds that are kept for what is left to do, and for waiting as long as before."""
        slower = max(self._slice_seconds / max(self._computing_seconds, 1e-6), 1.0)
        return self._longest_wait + AFTERWARDS_SECONDS * min(slower, 20.0)

    @property
    def left(self) -> float:
        """The seconds for the next slice."""
        return self.at - time.perf_counter() - self.reserve
