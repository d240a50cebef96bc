"""The declaration of a study: experiments, with the course's lines they answer and measurements."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from ...envs.loading.texts import counted
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

Where = tuple[tuple[str, Any], ...]  # values of columns; a tuple allows several values

NO_TEST, HOLDS = "Not tested", "Holds ("  # beginnings of verdicts
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
    """The rows with these values and with a value in the column."""
    return [row for row in rows if matches(row, dict(where)) and row.get(column) is not None]


@dataclasses.dataclass(frozen=True)
class Claim:
    """A claim: it holds if a column is within a range.

    Claims of the courses are data: a file for each study (:mod:`.catalogue`).

    Attributes:
        text: the claim in words.
        column: the column; empty if nothing is measured, and the note says why.
        low: the least value for which it holds.
        high: the greatest.
        where: filter of rows: values of other columns.
        measurement: the number of the measurement.
        beyond_chance: whether the 95 % interval must be within the range too; a row whose interval
            is partly outside decides nothing.
        line: the numbered line of the course with the claim; empty for the study's additional
            checks.
        source: the course's document and section, ``003 §7.2``.
        of: the agent, board and setting of the claim.
        note: a remark beside the verdict.
        command: a command that shows it in seconds; empty if only the study does.
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
        """Whether it holds, in one sentence with the numbers; empty if nothing is measured."""
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
        outcome = f"Holds in {count} of {counted(len(rows), 'case')}"
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
        where: values of other columns that identify the row.
        measurement: the number of the measurement; None for all, which must have the same columns.
    """

    column: str
    where: Where = ()
    measurement: int | None = 0

    def text(self, measurement: Measurement, rows: list[Row]) -> str:
        """The value as in tables.

        Raises:
            ValueError: there is no such column, or not exactly one row with a value in it.
        """
        kinds = {column.key: column.kind for column in measurement.columns}
        rows = _rows_with(rows, self.column, self.where)
        if self.column not in kinds or len(rows) != 1:
            raise ValueError(
                f"{len(rows)} rows have a value in {self.column!r} where {dict(self.where)}; a "
                f"blank needs exactly one"
            )
        return CELLS[kinds[self.column]](rows[0][self.column])


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A sentence about the result of an experiment.

    Attributes:
        text: its words, with ``{}`` for each blank.
        blanks: the blanks, in order.
        quick: whether it is true of the quick run too.
    """

    text: str
    blanks: tuple[Blank, ...] = ()
    quick: bool = True


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of a measurement's rows, with the intervals of the column if it has them.

    Attributes:
        kind: ``bars``, ``lines`` or ``points``.
        x: the column of the x axis; for bars the categories.
        y: the column of the y axis.
        series: the column that names the series; empty for one series.
        title: the title.
        where: filter of rows: values of other columns.
        logarithmic: the axes with a logarithmic scale: ``x``, ``y`` or ``xy``.
        measurement: the number of the measurement; None for all, which must have the same columns.
        stacked: for bars, columns stacked on the first.
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
        lines: the numbered lines of the course that it answers, ``D7``.
        title: its heading.
        question: its question.
        full: the measurements.
        quick: reduced measurements; empty if the full ones are quick enough.
        claims: the claims; claims of the courses come from their files.
        figures: the figures.
        lead: sentences for the beginning of the page, about three in all experiments.
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
        """The full or the reduced measurements."""
        return self.quick if quick and self.quick else self.full


@dataclasses.dataclass(frozen=True)
class Study:
    """A study: its name, title, description and experiments.

    ``only`` names the selected lines; empty for all.
    """

    name: str
    title: str
    about: str
    experiments: tuple[Experiment, ...]
    only: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The stem of its files; a selection of lines has different files."""
        return "-".join((self.name, *self.only))

    @property
    def lines(self) -> list[str]:
        """The numbered lines of the course that it answers."""
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
