"""The base class of measurements: declared as data, with one table of results."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ....agents import make_agent
from ....agents.agent import Agent
from ....envs import __version__
from ....envs.registry import make_game
from ....evaluation.fingerprints import sources_of_agent, sources_of_rules
from ....evaluation.statistics.intervals import share_interval

Row = dict[str, Any]
FORMAT = 3  # raised when the meaning of a column changes

SOLVER = "solver"  # the exact solver, among names of agents
ALL = "all"  # the part of a table that holds all moves or positions

# The kinds of columns, which decide the format of their values.
TEXT, COUNT, SHARE, NUMBER, DIFFERENCE, SECONDS, YES, LARGE = (
    "text", "count", "share", "number", "signed", "seconds", "yes", "large",
)  # fmt: skip


class Column(NamedTuple):
    """A column of a measurement's table.

    Attributes:
        key: its name in the rows.
        heading: its heading.
        kind: the kind of its values: ``TEXT``, ``COUNT``, …
        timed: whether its values are times. They differ between runs and have a separate file.
        interval: the columns of its 95 % interval, which pages and figures show with it: two for
            its ends, one for half its width.
        detail: whether it is only in the file of the table, not on the page.
    """

    key: str
    heading: str
    kind: str = NUMBER
    timed: bool = False
    interval: tuple[str, ...] = ()
    detail: bool = False


def share_columns(key: str, heading: str) -> tuple[Column, Column, Column]:
    """The columns of a share and the ends of its interval; see :func:`share_values`."""
    low, high = f"{key}_low", f"{key}_high"
    share = Column(key, heading, SHARE, interval=(low, high))
    return share, Column(low, "from", SHARE), Column(high, "to", SHARE)


def share_values(
    hits: npt.ArrayLike, clusters: npt.ArrayLike | None = None
) -> tuple[float, float, float]:
    """The values of the three columns of :func:`share_columns`.

    Args:
        hits: whether each observation counts.
        clusters: the cluster number of each observation; None: they are independent.
    """
    counts = np.asarray(hits).astype(np.int64)
    groups = np.arange(len(counts)) if clusters is None else np.asarray(clusters, np.int64)
    return share_interval(counts, groups)


@dataclasses.dataclass(frozen=True)
class Measurement(ABC):
    """A measurement, declared by its fields. The same fields give the same rows, except times.

    Most declare their game in a field ``game``, or several games in ``boards``, and their agents in
    a field ``agents``; others override :meth:`games` and :meth:`agents_named`.
    """

    columns: ClassVar[tuple[Column, ...]] = ()
    # The columns of a cross table: row names; column names, or ALL in rows outside the table; and
    # the values shown.
    cross: ClassVar[tuple[str, str, str] | None] = None

    @abstractmethod
    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        """The rows of the table, each with a value for every column, in order.

        Args:
            path: the stem of files for partial results.
        """

    def measure(self, path: Path) -> list[Row]:
        """The rows of the table, by the keys of the columns."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows(path)]

    def games(self) -> tuple[str, ...]:
        """The specifications of its games."""
        return getattr(self, "boards", ()) or (getattr(self, "game", ""),)

    def agents_named(self) -> tuple[str, ...]:
        """The specifications of its agents, which may have blanks such as ``{depth}``."""
        return getattr(self, "agents", ())

    @property
    def repeatable(self) -> bool:
        """Whether its rows are the same on every machine: no agent depends on time."""
        return all(agent.options.get("time") is None for agent in self._agents().values())

    def _agents(self) -> dict[str, Agent]:
        """Its agents by specification."""
        return {spec: make_agent(example(spec)) for spec in self.agents_named() if spec != SOLVER}

    def versions(self) -> dict[str, Any]:
        """The versions of its agents and other files."""
        return {spec: agent.version for spec, agent in self._agents().items()}

    def pictures(self) -> list[tuple[str, str]]:
        """Boards that belong to the table, each with a caption, as SVG."""
        return []

    def to_json(self) -> dict[str, Any]:
        """The declaration as plain data."""
        return {"kind": type(self).__name__, **dataclasses.asdict(self)}

    def digest(self) -> str:
        """A hash of everything that decides the rows.

        A different network, different rules or a different search make a different measurement,
        even with the same version of plyground.
        """
        games, agents = [make_game(spec) for spec in self.games()], self._agents()
        sources = [sources_of_rules(game) for game in games]
        sources += [
            sources_of_agent(type(each), game) for each in agents.values() for game in games
        ]
        keys = [column.key for column in self.columns]
        facts = [FORMAT, __version__, keys, self.to_json(), self.versions(), sources]
        text = json.dumps(facts, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def example(spec: str) -> str:
    """A specification with example values for its blanks: depth 1, no book."""
    spec = spec.replace(",book={book}", "")
    return spec.replace("{depth}", "1").replace("{count}", "1")


def matches(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a row has these values; a tuple allows several values."""
    return all(
        row.get(key) in (value if isinstance(value, tuple) else (value,))
        for key, value in where.items()
    )
