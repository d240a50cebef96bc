"""The time for a move, from the manager's limits.

The manager's clock also runs during the transfer of the answer, and while the machine is busy with
other work. A margin covers this; it grows with the delays observed so far, and with the number of
programs per processor.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

DEFAULT_SECONDS = 1.0  # for a move, if neither the manager nor the agent has a limit
LEAST_SECONDS = 0.001
MARGIN_SECONDS, MARGIN_SHARE = 0.02, 0.04  # of every limit
LARGEST_MARGIN_SHARE = 0.5
DELAY_FACTOR = 2.0  # times the longest observed delay
MOVES_TO_GO = 20  # over which the remaining time of the game is divided


def _machine_load() -> float:
    """The load per processor in the last minute, at least 1."""
    # the load is the whole machine's, and so are the processors
    return max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)


class Clock:
    """The limits of a game and the time used; all times are in seconds.

    Args:
        cap: the maximum for a move, whatever the manager allows; None for no cap.
        load: returns the load per processor.
    """

    def __init__(self, cap: float | None = None, load: Callable[[], float] = _machine_load) -> None:
        self._cap, self._load = cap, load
        self._turn: float | None = None
        self._match: float | None = None
        self._left: float | None = None
        self._used_seconds = 0.0
        self._delay = 0.0

    def set_limit(self, name: str, milliseconds: int) -> None:
        """Set ``timeout_turn``, ``timeout_match`` or ``time_left``.

        A match limit of 0 means no limit; a turn limit of 0 means: as fast as possible.
        """
        seconds = max(milliseconds, 0) / 1000
        if name == "timeout_turn":
            self._turn = seconds
        elif name == "timeout_match":
            self._match = seconds or None
        else:
            self._left = seconds

    def begin_game(self) -> None:
        """Reset the used time for a new game."""
        self._used_seconds, self._left = 0.0, None

    def budget(self) -> float:
        """The time limit of the next search."""
        limits = [] if self._turn is None else [self._turn]
        if self._match is not None:  # without one, a manager may still send a huge time_left
            left = max(self._match - self._used_seconds, 0.0) if self._left is None else self._left
            limits.append(left / MOVES_TO_GO)
        if not limits:
            return DEFAULT_SECONDS if self._cap is None else self._cap
        limit = min(limits)
        margin = (MARGIN_SECONDS + MARGIN_SHARE * limit) * self._load()
        margin += DELAY_FACTOR * self._delay
        seconds = limit - min(margin, LARGEST_MARGIN_SHARE * limit)
        return max(min(seconds, math.inf if self._cap is None else self._cap), LEAST_SECONDS)

    def add_move(self, seconds: float, budget: float) -> None:
        """Record the time of a move, from the arrival of the command to the answer."""
        self._used_seconds += seconds
        self._delay = max(self._delay, seconds - budget)
        if self._left is not None:
            self._left = max(self._left - seconds, 0.0)
