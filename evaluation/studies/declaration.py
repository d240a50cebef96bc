"""What a study is: experiments, each with the lines it answers and what is measured for it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from ..report.display import duration, percent
from .measurements.measurement import SECONDS, SHARE, YES, Measurement, Row, matches

NO_TEST, HOLDS = "The claim is not tested", "The claim holds ("  # how verdicts begin
# How a verdict writes the values of a column.
FORMATS: dict[str, Callable[[float], str]] = {
    SHARE: lambda value: f"{percent(value)} %",
    SECONDS: duration,
    YES: lambda value: "yes" if value else "no",
}


@dataclasses.dataclass(frozen=True)
class Claim:
    """A claim of the original, with the range that a column must keep to for it to hold.

    Attributes:
        text: the claim in words.
        column: the column that tells; empty where the claim is only shown beside the numbers.
        low: the least value with which it holds.
        high: the greatest.
        where: values of other columns that a row must have to count.
        measurement: the number of the measurement whose rows count.
    """

    text: str
    column: str = ""
    low: float = -math.inf
    high: float = math.inf
    where: tuple[tuple[str, Any], ...] = ()
    measurement: int = 0

    def verdict(self, measurement: Measurement, rows: list[Row]) -> str:
        """Whether it holds, in one sentence with the numbers; empty where nothing is tested."""
        if not self.column:
            return ""
        values = [
            float(row[self.column])
            for row in rows
            if matches(row, dict(self.where)) and row.get(self.column) is not None
        ]
        if not values:
            return f"{NO_TEST} by this run."
        column = next(each for each in measurement.columns if each.key == self.column)
        texts = map(FORMATS.get(column.kind, "{:,.6g}".format), (min(values), max(values)))
        span = " to ".join(dict.fromkeys(texts))
        count = sum(self.low <= value <= self.high for value in values)
        outcome = {0: "does not hold", len(values): "holds"}.get(
            count, f"holds in {count} of {len(values)} cases"
        )
        return f"The claim {outcome} ({span})."


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
        measurement: the number of the measurement.
        stacked: for bars, further columns that are drawn at the end of the first.
    """

    kind: str
    x: str
    y: str
    title: str
    series: str = ""
    where: tuple[tuple[str, Any], ...] = ()
    logarithmic: str = ""
    measurement: int = 0
    stacked: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        lines: the numbered lines that it answers, see :mod:`.lines`.
        title: its heading.
        question: what is asked.
        full: what is measured.
        quick: the same with less work.
        claims: what the original claims.
        figures: what is drawn.
    """

    lines: tuple[str, ...]
    title: str
    question: str
    full: tuple[Measurement, ...]
    quick: tuple[Measurement, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()

    def measurements(self, quick: bool) -> tuple[Measurement, ...]:
        """What is measured."""
        return self.quick if quick else self.full


@dataclasses.dataclass(frozen=True)
class Study:
    """A study: its name, title, what it is about, and its experiments."""

    name: str
    title: str
    about: str
    experiments: tuple[Experiment, ...]


def with_seed(measurement: Measurement, seed: int | None) -> Measurement:
    """The measurement with another seed, if it has one."""
    if seed is None or not hasattr(measurement, "seed"):
        return measurement
    return dataclasses.replace(measurement, seed=seed)  # type: ignore[call-arg]
