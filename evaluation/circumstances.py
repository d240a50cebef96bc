"""The circumstances of a game: where it was played, how many at once, which agents were isolated.

They do not change the moves of an agent limited by nodes or simulations. They change times, and so
results where time or memory is limited or where an agent thinks for a fixed time.
"""

from __future__ import annotations

import functools
import json
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..envs.workers.processors import available_processors


class Circumstances(NamedTuple):
    """Where and how a game was played.

    Attributes:
        runner: name of the runner, such as ``local`` or ``processes``.
        concurrency: the number of games played at once.
        isolation: which agents ran in separate processes: ``never`` none, ``always`` all,
            ``auto`` some.
        machine: the processors of the machine, without its name.
    """

    runner: str
    concurrency: int
    isolation: str
    machine: str

    def __str__(self) -> str:
        return (
            f"runner {self.runner}, {self.concurrency} at once, isolation {self.isolation}, "
            f"{self.machine}"
        )


@functools.lru_cache
def text_of(circumstances: Circumstances | None) -> str:
    """Circumstances as a store keeps them: JSON, empty if they are not known."""
    if circumstances is None:
        return ""
    return json.dumps(circumstances._asdict(), sort_keys=True, separators=(",", ":"))


@functools.lru_cache
def circumstances_of(text: str) -> Circumstances | None:
    """Read circumstances from a store; ValueError or TypeError if they are invalid."""
    if not text:
        return None
    circumstances = Circumstances(**json.loads(text))
    kinds = (str, int, str, str)
    if not all(isinstance(value, kind) for value, kind in zip(circumstances, kinds)):
        raise ValueError(f"the circumstances {text} of a game")
    return circumstances


def depend_on_time(settings: Mapping[str, Any], options: list[dict[str, Any]]) -> bool:
    """Whether circumstances can change the results of a tournament.

    Args:
        settings: the settings of the tournament.
        options: the options of its agents.
    """
    limits = {"move_timeout", "game_time", "memory_limit"}
    return bool(limits & settings.keys()) or any(each.get("time") is not None for each in options)


@functools.cache
def machine_here() -> str:
    """The processors of this machine, without names of machines or users."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    model = re.search(r"^model name\s*: (.+)$", text, re.M)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{available_processors()} processors, {name}"
