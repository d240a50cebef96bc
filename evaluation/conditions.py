"""The conditions of games: limits of agents, where agents run, when a game ends early."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from ..envs.loading.numbers import number_text
from ..envs.loading.settings import Settings, setting
from ..envs.specification import SpecificationError

AUTO, ALWAYS, NEVER = ISOLATION = ("auto", "always", "never")
WALL, CPU = CLOCKS = ("wall", "cpu")
WITHDRAW_AFTER = 3  # crashes in a row, unless a tournament says otherwise
LEAST_SECONDS, MOST_SECONDS = 1e-6, 1e9
RESET_SECONDS = 5.0  # added to the move limit for the reset between games
MIB = 1 << 20
LEAST_MEMORY = 256 * MIB  # used by a process before it has done anything
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Conditions(Settings):
    """The conditions under which games are played; None means no limit.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "games"

    isolate: str = setting(
        AUTO,
        "Run agents in separate processes: auto isolates learned, external and Python agents.",
        choices=ISOLATION,
        no_effect="an agent decides the same wherever it runs",
    )
    move_timeout: float | None = setting(
        None,
        "Time limit per move; an agent that exceeds it forfeits the game.",
        LEAST_SECONDS,
        MOST_SECONDS,
        metavar="SECONDS",
    )
    game_time: float | None = setting(
        None,
        "Time limit per agent for all its moves in a game.",
        LEAST_SECONDS,
        MOST_SECONDS,
        metavar="SECONDS",
    )
    clock: str = setting(
        WALL,
        "Clock for time limits: wall time, or the agent's CPU time, for machines with other load.",
        choices=CLOCKS,
    )
    memory_limit: str | None = setting(
        None, "Memory limit of an isolated agent, such as 2G or 700M.", metavar="SIZE"
    )
    draw_after: int | None = setting(
        None,
        "End a game as a draw after this many plies, including the opening.",
        low=1,
        metavar="PLIES",
    )
    agreed_after: int | None = setting(
        None,
        "End a game once both agents see the same forced result in N moves each, one after "
        "another.",
        low=1,
        metavar="N",
    )
    withdraw_after: int = setting(
        WITHDRAW_AFTER,
        "Withdraw an agent whose process crashed in N games in a row (0: never).",
        low=0,
        metavar="N",
        no_effect="it decides which games are played, not how they go",
    )

    def __post_init__(self) -> None:
        """Convert and check every value; memory is normalised to one notation."""
        super().__post_init__()
        if self.memory_limit is not None:
            size = _bytes(self.memory_limit)
            object.__setattr__(self, "memory_limit", f"{number_text(size / MIB)}M")

    def identity(self) -> dict[str, Any]:
        """The conditions that can change a result; without a time limit, the clock cannot."""
        identity = super().identity()
        return identity if self.is_timed else {k: v for k, v in identity.items() if k != "clock"}

    @property
    def is_timed(self) -> bool:
        """Whether the time of agents is limited."""
        return self.move_timeout is not None or self.game_time is not None

    @property
    def is_adjudicated(self) -> bool:
        """Whether a game can end before its rules end it."""
        return self.draw_after is not None or self.agreed_after is not None

    @property
    def memory_bytes(self) -> float:
        """Memory limit of an agent's process and its children; shared memory counts once."""
        return math.inf if self.memory_limit is None else _bytes(self.memory_limit)

    @property
    def seconds_of_reset(self) -> float:
        """The time limit of a reset: the limit of the game, or else a lenient one."""
        if self.game_time is not None:
            return self.game_time
        return math.inf if self.move_timeout is None else self.move_timeout + RESET_SECONDS

    def seconds_left(self, seconds: float) -> float:
        """The time limit of the next move, given the seconds used so far."""
        move = math.inf if self.move_timeout is None else self.move_timeout
        return move if self.game_time is None else min(move, max(self.game_time - seconds, 0.0))

    def excess_text(self, seconds: float, before: float) -> str:
        """The message for a move of ``seconds`` after moves of ``before`` seconds."""
        if self.move_timeout is not None and seconds > self.move_timeout:
            took, limit = texts_that_differ(seconds, self.move_timeout)
            return f"took {took} s for a move; {limit} s are allowed"
        took, limit = texts_that_differ(before + seconds, self.game_time or 0.0)
        return f"took {took} s for its moves; {limit} s a game are allowed"


USUAL = Conditions()


def conditions_of(settings: Mapping[str, Any], isolate: str) -> Conditions:
    """The conditions of a tournament with these settings, without its limits."""
    names = ("draw_after", "agreed_after")
    return Conditions(isolate=isolate, **{n: settings[n] for n in names if n in settings})


def texts_that_differ(seconds: float, limit: float) -> tuple[str, str]:
    """Two times with as few digits as needed to show that they differ."""
    for digits in range(3, 17):
        texts = f"{seconds:.{digits}g}", f"{limit:.{digits}g}"
        if float(texts[0]) > float(texts[1]):
            break
    return texts[0], number_text(limit)


def _bytes(size: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)(?:i?B)?", size, re.IGNORECASE | re.ASCII)
    if match is None:
        raise SpecificationError(
            f"memory_limit={size} is not an amount of memory; write 2G, 700M or a number of bytes"
        )
    count = int(float(match[1]) * UNITS[match[2].upper()])
    if count < LEAST_MEMORY:
        raise SpecificationError(
            f"an agent's process needs a memory_limit of at least {LEAST_MEMORY // MIB}M, "
            f"not {size}"
        )
    return count
