"""The time for a move, from what a manager says of its limits.

The clock of the manager runs while the engine's answer is on its way, and while the machine does
something else. A margin is left for that; it grows with the delays that have been met, and with the
number of programs that want each processor.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

DEFAULT_SECONDS = 1.0  # for a move, where neither the manager nor the agent has a limit
LEAST_SECONDS = 0.001
MARGIN_SECONDS, MARGIN_SHARE = 0.02, 0.04  # of every limit
LARGEST_MARGIN_SHARE = 0.5
DELAY_FACTOR = 2.0  # times the longest delay met
MOVES_TO_GO = 20  # among which the time left for the game is divided


def _machine_load() -> float:
    """How many programs wanted each processor in the last minute, 1 at least."""
    # the load is the whole machine's, and so are the processors
    return max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)


class Clock:
    """The limits of a game and what has been used of them; all times are in seconds.

    Args:
        cap: the most that a move may take whatever the manager allows; None for no cap.
        load: tells how many programs want each processor.
    """

    def __init__(self, cap: float | None = None, load: Callable[[], float] = _machine_load) -> None:
        self._cap, self._load = cap, load
        self._turn: float | None = None
        self._match: float | None = None
        self._left: float | None = None
        self._used_seconds = 0.0
        self._delay = 0.0

    def set_limit(self, name: str, milliseconds: int) -> None:
        """Note ``timeout_turn``, ``timeout_match`` or ``time_left``.

        A match limit of 0 is none; a turn limit of 0 asks for answers as fast as possible.
        """
        seconds = max(milliseconds, 0) / 1000
        if name == "timeout_turn":
            self._turn = seconds
        elif name == "timeout_match":
            self._match = seconds or None
        else:
            self._left = seconds

    def begin_game(self) -> None:
        """Forget what the game before has used."""
        self._used_seconds, self._left = 0.0, None

    def budget(self) -> float:
        """How long the search for the next move may take."""
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
        """Note how long a move took, from the arrival of the command to the answer."""
        self._used_seconds += seconds
        self._delay = max(self._delay, seconds - budget)
        if self._left is not None:
            self._left = max(self._left - seconds, 0.0)
