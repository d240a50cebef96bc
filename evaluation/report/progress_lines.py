"""Progress lines for output other than a terminal, such as the log of a scheduler."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

LINE_SECONDS = 25.0  # so that a line comes at least every 30 s, also when the machine is busy


class ProgressLines:
    """Prints the newest progress from time to time during its body, even if it does not change.

    Args:
        write: prints a line.
        seconds: the time between lines, and before the first.
    """

    def __init__(self, write: Callable[[str], None], seconds: float = LINE_SECONDS) -> None:
        self._write = write
        self._seconds = seconds
        self._began = time.monotonic()
        self._first: float | None = None  # the share done at the beginning
        self._share = 0.0
        self._text = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> ProgressLines:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def show(self, share: float, text: str) -> None:
        """The progress.

        Args:
            share: the share of the work done, from 0 to 1.
            text: a short text.
        """
        if self._first is None:
            self._first, self._began = share, time.monotonic()
        self._share, self._text = share, text

    def _repeat(self) -> None:
        while not self._over.wait(self._seconds):
            if self._first is not None:
                with contextlib.suppress(OSError, ValueError):  # the output is closed
                    self._write(self._line())

    def _line(self) -> str:
        done, seconds = self._share - (self._first or 0.0), time.monotonic() - self._began
        left = "?" if done <= 0 else clock((1.0 - self._share) * seconds / done)
        return f"{100 * self._share:.0f} %  {self._text}  left {left}  spent {clock(seconds)}"


def clock(seconds: float) -> str:
    """A duration as hours, minutes and seconds: 1:02:03."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
