"""What a study is: experiments, each with the lines it answers and what is measured for it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from ...evaluation.report.display import duration, large_number, percent
from .measurements.measurement import (
    COUNT,
    DIFFERENCE,
    LARGE,
    NUMBER,
    SECONDS,
    SHARE,
    TEXT,
    YES,
    Measurement,
    Row,
    matches,
)  # fmt: skip

Where = tuple[tuple[str, Any], ...]  # values of columns; a tuple for one of several

NO_TEST, HOLDS = "Not tested", "Holds ("  # how verdicts begin
# How tables and sentences write the values of a column.
CELLS: dict[str, Callable[[Any], str]] = {
    TEXT: str,
    YES: lambda value: "yes" if value else "no",
    COUNT: "{:,.0f}".format,
    SHARE: lambda value: f"{percent(value)} %",
    SECONDS: duration,
    DIFFERENCE: lambda value: (
        f"{value:+.2f}".removesuffix(".00") if abs(value) < 10 else f"{value:+,.0f}"
    ),
    LARGE: large_number,
    NUMBER: lambda value: f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}",
}


def _rows_with(rows: list[Row], column: str, where: Where) -> list[Row]:
    """The rows with these values that have one in the column."""
    return [row for row in rows if matches(row, dict(where)) and row.get(column) is not None]


@dataclasses.dataclass(frozen=True)
class Claim:
    """A claim, with the range that a column must keep to for it to hold.

    Those of the courses are data: a file for each study (:mod:`.catalogue`).

    Attributes:
        text: the claim in words.
        column: the column that tells; empty where nothing is measured, and the note says why.
        low: the least value with which it holds.
        high: the greatest.
        where: values of other columns that a row must have to count.
        measurement: the number of the measurement whose rows count.
        beyond_chance: whether the 95 % interval must keep to the range too; a row whose interval
            goes beyond it, or is beyond it in part only, decides nothing.
        line: the numbered line of the course that says so; empty for a check of the study's own.
        source: the course's document and its section, ``003 §7.2``.
        of: the agent, board and setting that it speaks of.
        note: what there is to say beside the verdict.
        command: what shows it in seconds; empty where the study alone does.
    """

    text: str
    column: str = ""
    low: float = -math.inf
    high: float = math.inf
    where: Where = ()
    measurement: int = 0
    beyond_chance: bool = False
    line: str = ""
    source: str = ""
    of: str = ""
    note: str = ""
    command: str = ""

    def verdict(self, measurement: Measurement, rows: list[Row]) -> str:
        """Whether it holds, in one sentence with the numbers; empty where nothing is measured."""
        if not self.column:
            return ""
        column = next(each for each in measurement.columns if each.key == self.column)
        rows = _rows_with(rows, self.column, self.where)
        if not rows:
            return f"{NO_TEST} by this run."
        text = CELLS[column.kind]
        ends = sorted(row[self.column] for row in rows)[:: len(rows) - 1 or 1]
        span = " to ".join(dict.fromkeys(map(text, ends)))
        if len(rows) == 1 and len(column.interval) == 2 and rows[0][column.interval[0]] is not None:
            span += f"; {' to '.join(text(rows[0][end]) for end in column.interval)}"
        keys = column.interval if self.beyond_chance else (self.column,)
        tests = [[self.low <= row[key] <= self.high for key in keys] for row in rows]
        count = sum(map(all, tests))
        outcome = f"Holds in {count} of {len(rows)} cases"
        if count in (0, len(rows)):
            outcome = "Holds" if count else "Does not hold"
        if not count and any(map(any, tests)):
            outcome = "Not decided"
        return f"{outcome} ({span})."


@dataclasses.dataclass(frozen=True)
class Blank:
    """A blank in a sentence, for the value of a column in one row.

    Attributes:
        column: the column.
        where: values of other columns, which no other row has.
        measurement: the number of the measurement; None for the rows of all, which are of one kind.
    """

    column: str
    where: Where = ()
    measurement: int | None = 0

    def text(self, measurement: Measurement, rows: list[Row]) -> str:
        """The value as tables write it.

        Raises:
            ValueError: there is no such column, or not exactly one row with a value in it.
        """
        kinds = {column.key: column.kind for column in measurement.columns}
        rows = _rows_with(rows, self.column, self.where)
        if self.column not in kinds or len(rows) != 1:
            raise ValueError(
                f"{len(rows)} rows have a value in {self.column!r} where {dict(self.where)}; a "
                f"blank takes the value of one"
            )
        return CELLS[kinds[self.column]](rows[0][self.column])


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A sentence that says what an experiment shows.

    Attributes:
        text: its words, with ``{}`` for each blank.
        blanks: what fills them.
        quick: whether it is true of the quick run too.
    """

    text: str
    blanks: tuple[Blank, ...] = ()
    quick: bool = True


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of a measurement's rows; intervals are drawn where the column has them.

    Attributes:
        kind: ``bars``, ``lines`` or ``points``.
        x: the column along the axis; for bars the categories.
        y: the column that is drawn.
        series: the column that tells the series apart; empty for one series.
        title: what it shows.
        where: values of other columns that a row must have to be drawn.
        logarithmic: the axes with a logarithmic scale: ``x``, ``y`` or ``xy``.
        measurement: the number of the measurement; None for the rows of all, which are of one kind.
        stacked: for bars, further columns that are drawn at the end of the first.
        lead: whether the page of the study begins with it.
    """

    kind: str
    x: str
    y: str
    title: str
    series: str = ""
    where: Where = ()
    logarithmic: str = ""
    measurement: int | None = 0
    stacked: tuple[str, ...] = ()
    lead: bool = False


@dataclasses.dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        lines: the numbered lines that it answers, ``D7``.
        title: its heading.
        question: what is asked.
        full: what is measured.
        quick: the same with less work; empty where the full one is quick enough.
        claims: what is claimed; the courses' own claims come from their files.
        figures: what is drawn.
        lead: what the page of the study begins with, about three sentences in all experiments.
    """

    lines: tuple[str, ...]
    title: str
    question: str
    full: tuple[Measurement, ...]
    quick: tuple[Measurement, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    lead: tuple[Sentence, ...] = ()

    def measurements(self, quick: bool) -> tuple[Measurement, ...]:
        """What is measured."""
        return self.quick if quick and self.quick else self.full


@dataclasses.dataclass(frozen=True)
class Study:
    """A study: its name, title, what it is about, and its experiments.

    ``only`` names the lines to which it is reduced; empty for all.
    """

    name: str
    title: str
    about: str
    experiments: tuple[Experiment, ...]
    only: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """What its files are called: a part of a study takes the place of no whole one."""
        return "-".join((self.name, *self.only))

    @property
    def lines(self) -> list[str]:
        """The numbered lines that it answers."""
        return list(dict.fromkeys(line for each in self.experiments for line in each.lines))

    def part(self, lines: tuple[str, ...]) -> Study:
        """The experiments that answer some lines."""
        experiments = [each for each in self.experiments if set(each.lines) & set(lines)]
        only = tuple(line for line in self.lines if line in lines)
        return dataclasses.replace(self, experiments=tuple(experiments), only=only)


def with_seed(measurement: Measurement, seed: int | None) -> Measurement:
    """The measurement with another seed, if it has one."""
    if seed is None or not hasattr(measurement, "seed"):
        return measurement
    return dataclasses.replace(measurement, seed=seed)  # type: ignore[call-arg]
