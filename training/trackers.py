"""Trackers: libraries that store and show the logs of runs, such as TensorBoard.

Extras and other packages register them as
:data:`~plyground.envs.loading.packages.TRACKERS`, by the names that ``--log`` takes. Each is called
with the run's folder, the step from which the run continues, and the run's description; it returns
a :class:`Tracker`. Importing its module imports the library. Its method ``prepare()``, if any,
creates what several runs share, such as a store, before they start in parallel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..envs.loading.packages import TRACKERS
from ..envs.loading.registry import Registry
from ..envs.specification import check_names, first_line, refusing

USUAL, NONE = "tensorboard", "none"
MAKERS: Registry[str, Callable[..., Tracker]] = Registry("there is no tracker", TRACKERS)


class Tracker(Protocol):
    """Logs the numbers of one run."""

    def log(self, values: dict[str, float], step: int) -> None:
        """Log numbers of a step, by names such as ``evaluation/random/score``."""

    def close(self) -> None:
        """Flush; the run ends, or stops for now."""


class Trackers:
    """The trackers of a run.

    Args:
        log: their names, separated by commas or as a list; ``none`` for no tracker.
        on_note: called with every message, one sentence.

    Raises:
        SpecificationError: an unknown tracker.
        ImportError: its library is not installed; the message says what to install.
    """

    def __init__(
        self, log: str | Sequence[str], on_note: Callable[[str], None] = lambda note: None
    ) -> None:
        names = [name.strip() for name in (log.split(",") if isinstance(log, str) else log)]
        if names == [NONE] or (names == [USUAL] and USUAL not in MAKERS):
            names = []
        check_names("there is no tracker", names, (*MAKERS, NONE))
        self._makers = {name: MAKERS.get(name) for name in names}
        self._open: dict[str, Tracker] = {}
        self._on_note = on_note

    def prepare(self) -> None:
        """Create what parallel runs share, before they start.

        Raises:
            SpecificationError: a library cannot create it.
        """
        for name, make in self._makers.items():
            with refusing(Exception, f"{name} cannot log the runs"):
                getattr(make, "prepare", lambda: None)()

    def open(self, folder: Path, step: int, description: dict[str, Any]) -> None:
        """Start or resume each tracker's log of the run.

        Raises:
            SpecificationError: a library cannot start.
        """
        for name, make in self._makers.items():
            with refusing(Exception, f"{name} cannot log the run"):
                self._open[name] = make(folder, step, description)

    def log(self, values: dict[str, float], step: int) -> None:
        """Log numbers of a step. A failing tracker is reported and dropped; the run continues."""
        for name, tracker in list(self._open.items()):
            try:
                tracker.log(values, step)
            except Exception as error:
                del self._open[name]
                self._on_note(f"{name} stops logging the run: {first_line(error)}")

    def close(self) -> None:
        """Close them all."""
        for tracker in self._open.values():
            tracker.close()


def name_in(path: Path, make: Callable[[], str]) -> str:
    """The name that a library gave a run, saved in a file in the run's folder.

    Args:
        path: the file.
        make: creates the name when the run begins.
    """
    if not path.exists():
        path.write_text(make(), encoding="utf-8")
    return path.read_text(encoding="utf-8")
