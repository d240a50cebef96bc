"""Trackers: libraries that keep what runs log and show it, such as TensorBoard.

Extras and other packages plug them in as
:data:`~plyground.envs.loading.packages.TRACKERS`, by the names that ``--log`` takes. Each is called
with the run's folder, the step at which the run goes on, and what describes the run; it returns a
:class:`Tracker`. Importing its module imports the library. Where it has a method ``prepare()``,
that makes what several runs share, such as a store, before they begin side by side.
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
    """What keeps the numbers of one run."""

    def log(self, values: dict[str, float], step: int) -> None:
        """Keep numbers of a step, by names such as ``evaluation/random/score``."""

    def close(self) -> None:
        """Keep what is not kept yet; the run ends, or stops for now."""


class Trackers:
    """The trackers of a run.

    Args:
        log: their names, separated by commas or as a list; ``none``: there are none.
        on_note: called with every remark, one sentence.

    Raises:
        SpecificationError: there is no tracker of a name.
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
        """Make what the runs share that are about to begin side by side.

        Raises:
            SpecificationError: a library cannot make it.
        """
        for name, make in self._makers.items():
            with refusing(Exception, f"{name} cannot keep what the runs log"):
                getattr(make, "prepare", lambda: None)()

    def open(self, folder: Path, step: int, description: dict[str, Any]) -> None:
        """Begin, or go on with, what each tracker keeps of the run.

        Raises:
            SpecificationError: a library cannot begin.
        """
        for name, make in self._makers.items():
            with refusing(Exception, f"{name} cannot keep what the run logs"):
                self._open[name] = make(folder, step, description)

    def log(self, values: dict[str, float], step: int) -> None:
        """Log numbers of a step. A tracker that fails is told and left out; the run goes on."""
        for name, tracker in list(self._open.items()):
            try:
                tracker.log(values, step)
            except Exception as error:
                del self._open[name]
                self._on_note(f"{name} keeps no more of the run: {first_line(error)}")

    def close(self) -> None:
        """Close them all."""
        for tracker in self._open.values():
            tracker.close()


def name_in(path: Path, make: Callable[[], str]) -> str:
    """The name that a library gave a run, which a file in the run's folder keeps.

    Args:
        path: the file.
        make: makes the name, when the run begins.
    """
    if not path.exists():
        path.write_text(make(), encoding="utf-8")
    return path.read_text(encoding="utf-8")
