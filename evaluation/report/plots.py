"""Plots of the HTML report.

Places are percentages of the width and height of a plot, so that it stretches with the page while
its letters keep their size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..statistics.cross_table import AgentRow
from ..statistics.ratings import Ratings
from .display import duration


def ticks(lowest: float, highest: float, most: int = 7) -> list[float]:
    """At most ``most`` round numbers in a range.

    They are multiples of 1, 2 or 5 times a power of ten.
    """
    span = max(highest - lowest, 1e-9)
    step = next(
        base * 10**power
        for power in range(math.floor(math.log10(span)) - 1, 20)
        for base in (1, 2, 5)
        if math.floor(highest / (base * 10**power)) - math.ceil(lowest / (base * 10**power)) < most
    )
    return [
        number * step for number in range(math.ceil(lowest / step), math.floor(highest / step) + 1)
    ]


class Axis:
    """Maps a range, with some room on both sides, to 0 … 100 percent.

    ``logarithmic`` maps by the logarithm.
    """

    def __init__(self, values: Sequence[float], room: float, logarithmic: bool = False) -> None:
        self._scale: Callable[[float], float] = math.log10 if logarithmic else float
        low, high = (self._scale(value) for value in (min(values), max(values)))
        extra = max((high - low) * room, 0.2 if logarithmic else 1.0)
        self.low, self.high = low - extra, high + extra

    def __call__(self, value: float) -> float:
        return round(100 * (self._scale(value) - self.low) / (self.high - self.low), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of round numbers."""
        return [
            (self(value), f"{value:g}".replace("-", "−")) for value in ticks(self.low, self.high)
        ]

    def decades(self) -> list[tuple[float, str]]:
        """Places and labels of the powers of ten, in seconds.

        Where the axis is short, some of their multiples are added.
        """
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        span = self.high - self.low
        bases = (1,) if span > 3.2 else (1, 3) if span > 1.5 else (1, 2, 5)
        values = [base * 10.0**power for power in powers for base in bases]
        return [
            (self(value), _seconds(value))
            for value in values
            if self.low <= math.log10(value) <= self.high
        ]


def _seconds(value: float) -> str:
    """A round number of seconds in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.999 * scale:
            return f"{value / scale:g} {unit}"
    return f"{value / 1e-9:g} ns"


def forest(ratings: Ratings) -> dict[str, Any]:
    """The plot of the ratings with their 95 % intervals.

    It holds an axis and, for each agent, the strongest first, the places of its mark and of the
    ends of its interval.
    """
    elo = [float(value) for value in ratings.elo]
    margins = [ratings.margin(number) for number in range(len(elo))]
    axis = Axis(
        [*(e - m for e, m in zip(elo, margins)), *(e + m for e, m in zip(elo, margins))], 0.04
    )
    rows = []
    for number in ratings.order():
        low, high = axis(elo[number] - margins[number]), axis(elo[number] + margins[number])
        text = f"{elo[number]:.0f} ± {margins[number]:.0f}".replace("-", "−")
        text += " (anchor)" if number == ratings.anchor else ""
        rows.append(
            {
                "label": ratings.labels[number],
                "at": axis(elo[number]),
                "low": low,
                "width": round(high - low, 2),
                "text": text,
            }
        )
    return {"ticks": axis.ticks(), "rows": rows}


class _Point(NamedTuple):
    """An agent in the plot of strength against time."""

    seconds: float
    strength: float
    margin: float
    place: int
    label: str


def speed_plot(order: list[AgentRow], ratings: Ratings | None) -> dict[str, Any] | None:
    """The plot of strength against seconds a move, with the Pareto front.

    An agent is on the front if no other is at least as strong and as fast, and better in one of
    them. Strength is the rating, or the score in percent where there are no ratings. None where no
    agent has thought a measurable time.
    """
    points = _points(order, ratings)
    if not points:
        return None
    across = Axis([point.seconds for point in points], 0.1, logarithmic=True)
    up = Axis([end for p in points for end in (p.strength - p.margin, p.strength + p.margin)], 0.06)
    unit = " %" if ratings is None else " Elo"
    front: list[tuple[float, float]] = []
    marks = []
    best = -math.inf
    for point in sorted(points, key=lambda point: (point.seconds, -point.strength)):
        x, y = across(point.seconds), up(point.strength)
        on_front = point.strength > best
        if on_front:
            best = point.strength
            front.append((x, y))
        low, high = up(point.strength - point.margin), up(point.strength + point.margin)
        marks.append(
            {
                "x": x,
                "y": y,
                "low": low,
                "height": round(high - low, 2),
                "place": point.place,
                "label": point.label,
                "title": (
                    f"{point.label}: {point.strength:.0f}{unit}, {duration(point.seconds)} a move"
                    f"{', on the Pareto front' if on_front else ''}"
                ),
                "front": on_front,
            }
        )
    _place_labels(marks)
    return {
        "across": across.decades(),
        "up": up.ticks(),
        "marks": marks,
        "front": _steps(front),
        "unit": "score in %" if ratings is None else "Elo",
        "missing": len(order) - len(marks),
    }


def _points(order: list[AgentRow], ratings: Ratings | None) -> list[_Point]:
    """The agents that have played and thought a measurable time."""
    points = []
    for place, row in enumerate(order, 1):
        seconds, score = row.seconds_per_move, row.total.score
        if not seconds or score is None:
            continue
        strength = 100 * score if ratings is None else float(ratings.elo[row.number])
        margin = 0.0 if ratings is None else ratings.margin(row.number)
        points.append(_Point(seconds, strength, margin, place, row.label))
    return points


def _steps(front: list[tuple[float, float]]) -> str:
    """The corners of the Pareto front, drawn in steps to the right edge, as SVG has them."""
    corners = [f"{front[0][0]},{100 - front[0][1]:g}"]
    for (_, lower), (x, y) in itertools.pairwise(front):
        corners += [f"{x},{100 - lower:g}", f"{x},{100 - y:g}"]
    return " ".join([*corners, f"100,{100 - front[-1][1]:g}"])


def _place_labels(marks: list[dict[str, Any]]) -> None:
    """Write each agent's name beside its mark, on the side with room.

    A name that would overlap another is left out; the number remains.
    """
    taken: list[tuple[float, float, float]] = [
        (mark["x"] - 1.6, mark["x"] + 1.6, mark["y"]) for mark in marks
    ]
    for mark in marks:
        # percent of a plot of 900 pixels; narrower ones show no names
        width = 1 + 0.85 * len(mark["label"])
        mark["side"] = ""
        for side, start in (("right", mark["x"] + 1.8), ("left", mark["x"] - 1.8 - width)):
            inside = start >= 0 and start + width <= 100
            if inside and all(
                start + width < low or high < start or abs(y - mark["y"]) > 4.5
                for low, high, y in taken
            ):
                mark["side"] = side
                taken.append((start, start + width, mark["y"]))
                break
