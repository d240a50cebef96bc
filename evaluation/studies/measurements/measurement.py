"""What all measurements have in common: they are data, and they make the rows of one table."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from ....agents import make_agent
from ....envs.version import __version__

Row = dict[str, Any]
FORMAT = 1  # raised when a measurement changes what it puts into its rows

# What a column holds, which decides how a page writes it.
TEXT, COUNT, SHARE, NUMBER, SIGNED, SECONDS, YES = (
    "text", "count", "share", "number", "signed", "seconds", "yes",
)  # fmt: skip


class Column(NamedTuple):
    """A column of a measurement's table.

    Attributes:
        key: its name in the rows.
        heading: what stands above it.
        kind: what it holds: ``TEXT``, ``COUNT``, …
        timed: whether it holds times. They differ from run to run and are kept apart.
        ends: the columns of the ends of its interval, which pages show beside it.
    """

    key: str
    heading: str
    kind: str = NUMBER
    timed: bool = False
    ends: tuple[str, str] | None = None


class Workplace(NamedTuple):
    """Where a measurement is made.

    Attributes:
        folder: holds what the measurement has finished if it is stopped.
        name: the name of its files there.
    """

    folder: Path
    name: str


@dataclasses.dataclass(frozen=True)
class Measurement(ABC):
    """A measurement, declared by its fields. The same fields give the same rows, times apart."""

    columns: ClassVar[tuple[Column, ...]] = ()

    @abstractmethod
    def measure(self, workplace: Workplace) -> list[Row]:
        """Measure; a row for each line of the table, with the keys of :attr:`columns`."""

    @abstractmethod
    def finding(self, rows: list[Row]) -> str:
        """What was found, in one sentence with numbers."""

    @property
    def game_name(self) -> str:
        """The name of the game it plays most: measurements of one game share compiled code."""
        return re.split(r"[:\W]", str(next(iter(self.games()))))[0]

    @abstractmethod
    def games(self) -> tuple[str, ...]:
        """The specifications of the games it uses."""

    @property
    def repeatable(self) -> bool:
        """Whether its rows are the same on every machine."""
        return True

    def agents_named(self) -> tuple[str, ...]:
        """The specifications of the agents it uses."""
        return ()

    def pictures(self) -> list[tuple[str, str]]:
        """Boards that belong to the table, each with a caption, as SVG."""
        return []

    def to_json(self) -> dict[str, Any]:
        """The declaration as plain data."""
        return {"kind": type(self).__name__, **dataclasses.asdict(self)}

    def digest(self) -> str:
        """A hash of everything that decides the rows: another network is another measurement."""
        agents = {
            spec: make_agent(spec.replace("{depth}", "1")).version
            for spec in self.agents_named()
            if spec != "solver"
        }
        known = json.dumps([FORMAT, __version__, self.to_json(), agents], sort_keys=True)
        return hashlib.blake2b(known.encode(), digest_size=8).hexdigest()


def span(values: list[float], show: Callable[[float], str]) -> str:
    """The least and the greatest of some values, or the one that all are."""
    low, high = show(min(values)), show(max(values))
    return low if low == high else f"{low} to {high}"


def percent_text(share: float) -> str:
    """A share for a sentence."""
    return f"{100 * share:.1f} %"


def matches(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a row has these values."""
    return all(row.get(key) == value for key, value in where.items())
