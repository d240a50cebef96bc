"""Plots as SVG, without a library: bars with intervals, and points or lines between two axes.

Places across are percentages, so that a plot stretches with its page while its letters keep their
size; places down are pixels. Numbers, names and dashes tell series apart where colours do not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple

from ..statistics.cross_table import AgentRow
from ..statistics.ratings import Ratings
from .display import duration
from .pairs import SequentialTest

WIDTH = 760  # of a plot that is a file of its own; this and the following in pixels
LINE, BAR, GAP = 17, 11, 6  # heights of a line of text, of a bar, and what lies between
AREA, MARGIN = 300, 32  # the height of the area of points, and what is free above it
# Four colours of Okabe and Ito, brown and grey: all are seen on white and on black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A6761D", "#808080")
DASHES = ("", "7 3", "2 2", "9 3 2 3", "12 4", "1 4")
PARTS = (1.0, 0.6, 0.35, 0.12)  # how dense the parts of a bar are
SCHEME = "<style>svg{color:#1c2127}@media (prefers-color-scheme:dark){svg{color:#e4e8ec}}</style>"


class Plot(NamedTuple):
    """A plot: what it shows, its elements in SVG, and its height in pixels."""

    title: str
    elements: str
    height: int

    def inline(self) -> str:
        """The plot within a page, as wide as its place and in the page's colours."""
        return (
            f'<svg class="plot" width="100%" height="{self.height}" fill="currentColor" role="img" '
            f'aria-label="{escape(self.title)}">{self.elements}</svg>'
        )

    def file(self) -> str:
        """The plot as a file of its own, with its title; it follows the reader's colour scheme."""
        height = self.height + 2 * LINE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12" '
            f'fill="currentColor">{SCHEME}<text y="14" font-weight="bold">{escape(self.title)}'
            f'</text><svg y="{2 * LINE}" height="{self.height}">{self.elements}</svg></svg>'
        )


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


def number_text(value: float) -> str:
    """A number on an axis."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
    return text.replace("-", "−")


class Axis:
    """Maps a range, with some room on both sides, to 0 … 100 percent.

    Args:
        values: what must have a place on it.
        room: what is left on either side, as a share of the range.
        logarithmic: whether it maps by the logarithm.
        text: writes the numbers on it.
        heading: what it shows.
    """

    def __init__(
        self,
        values: Iterable[float],
        room: float = 0.06,
        logarithmic: bool = False,
        text: Callable[[float], str] = number_text,
        heading: str = "",
    ) -> None:
        self._scale: Callable[[float], float] = math.log10 if logarithmic else float
        self.logarithmic: bool = logarithmic
        self.text: Callable[[float], str] = text
        self.heading: str = heading
        places = [self._scale(value) for value in values]
        low, high = min(places), max(places)
        extra = (high - low) * room or (0.2 if logarithmic else 0.05 * abs(low) or 1.0)
        self.low: float = low - extra
        self.high: float = high + extra

    def __call__(self, value: float) -> float:
        return round(100 * (self._scale(value) - self.low) / (self.high - self.low), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of round numbers.

        On a logarithmic axis they are powers of ten and, where it is short, multiples of them.
        """
        values = ticks(self.low, self.high)
        if self.logarithmic:
            span = self.high - self.low
            bases = (1,) if span > 3.2 else (1, 3) if span > 1.5 else (1, 2, 5)
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            every = -(-len(powers) // 8)
            values = [base * 10.0**power for power in powers[::every] for base in bases]
        return [
            (self(value), self.text(value))
            for value in values
            if self.low <= self._scale(value) <= self.high
        ]


def seconds_text(value: float) -> str:
    """A round number of seconds in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.999 * scale:
            return f"{value / scale:g} {unit}"
    return f"{value / 1e-9:g} ns"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}%" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1}%" y1="{y1}" x2="{x2}%" y2="{y2}" {style}/>'


FAINT = 'stroke="currentColor" stroke-opacity="0.15"'
INK = 'stroke="currentColor" stroke-width="1.5"'


def _across(axis: Axis, top: int, bottom: int) -> str:
    """The lines, numbers and heading of an axis from left to right; 2 lines of text high."""
    marks = [
        _line(at, top, at, bottom, FAINT)
        + _text(at, bottom + LINE, label, "end" if at > 96 else "start" if at < 4 else "middle")
        for at, label in axis.ticks()
    ]
    return "".join(marks) + _text(100, bottom + 2 * LINE, axis.heading, "end")


class Bar(NamedTuple):
    """A bar, or a dot with an interval.

    Attributes:
        label: what stands above it.
        parts: lengths, one after the other.
        interval: the ends of its interval.
    """

    label: str
    parts: tuple[float, ...]
    interval: tuple[float, float] | None = None


def bar_chart(
    title: str, bars: Sequence[Bar], axis: Axis, names: Sequence[str] = (), dots: bool = False
) -> Plot:
    """Horizontal bars under their labels, which may be of any length.

    Args:
        title: what it shows.
        bars: from top to bottom.
        axis: of the lengths.
        names: of the parts, where bars have several.
        dots: whether dots stand for the bars.
    """
    elements, y = "", 0
    for bar in bars:
        y += LINE
        elements += _text(0, y - 4, bar.label)
        ends = [*itertools.accumulate(bar.parts)]
        start = 0.0 if axis.logarithmic else min(max(axis(0), 0.0), 100.0) if not dots else 0.0
        for density, end in zip(PARTS, ends if not dots else []):
            low, high = sorted((start, axis(end)))
            elements += (
                f'<rect x="{low}%" y="{y}" width="{high - low:.2f}%" height="{BAR}" '
                f'fill="{COLOURS[0]}" fill-opacity="{density}" stroke="currentColor" '
                f'stroke-width="0.4"/>'
            )
            start = axis(end)
        middle = y + BAR / 2
        if bar.interval is not None:
            elements += _line(axis(bar.interval[0]), middle, axis(bar.interval[1]), middle, INK)
        if dots:
            elements += f'<circle cx="{axis(ends[-1])}%" cy="{middle}" r="5" fill="{COLOURS[0]}"/>'
        y += BAR + GAP
    elements = _across(axis, 0, y) + elements
    y += 2 * LINE
    for density, name in zip(PARTS, names):
        y += LINE
        elements += (
            f'<rect x="0" y="{y - BAR}" width="{BAR}" height="{BAR}" fill="{COLOURS[0]}" '
            f'fill-opacity="{density}" stroke="currentColor" stroke-width="0.4"/>'
            f'<text x="{2 * BAR}" y="{y - 1}">{escape(name)}</text>'
        )
    return Plot(title, elements, y + GAP)


class Point(NamedTuple):
    """A point, with the ends of its interval upwards, the number of its series, and its name."""

    x: float
    y: float
    low: float
    high: float
    series: int
    name: str = ""


def point_chart(
    title: str,
    points: Sequence[Point],
    axes: tuple[Axis, Axis],
    names: Sequence[str],
    lines: bool = False,
    front: bool = False,
) -> Plot:
    """Points under the numbers of their series, which are named below.

    Args:
        title: what it shows.
        points: what is drawn.
        axes: from left to right, and upwards.
        names: of the series.
        lines: whether the points of a series are joined.
        front: whether the Pareto front is drawn: nothing left of it is as high.
    """
    across, up = axes

    def down(value: float) -> float:
        return round(MARGIN + (100 - up(value)) / 100 * AREA, 1)

    bottom = MARGIN + AREA
    elements = _text(0, 12, up.heading) + _across(across, MARGIN, bottom)
    for at, label in up.ticks():
        y = MARGIN + (100 - at) / 100 * AREA
        elements += _line(0, y, 100, y, FAINT) + _text(0, y - 3, label)
    if front:
        elements += _front(points, across, down)
    for number in range(len(names)):
        own = sorted(point for point in points if point.series == number)
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // 2 % len(DASHES)]
        for one, two in itertools.pairwise(own if lines else []):
            style = f'stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"'
            elements += _line(across(one.x), down(one.y), across(two.x), down(two.y), style)
        for point in own:
            x, y = across(point.x), down(point.y)
            label = "" if lines and point is not own[-1] else str(number + 1)
            style = f'stroke="{colour}" stroke-width="1.5" stroke-opacity="0.6"'
            elements += _line(x, down(point.low), x, down(point.high), style)
            elements += (
                f'<g><title>{escape(point.name or names[number])}</title><circle cx="{x}%" '
                f'cy="{y}" r="4" fill="{colour}"/>{_text(x, y - 6, label)}</g>'
            )
    y = bottom + 2 * LINE
    for number, name in enumerate(names, 1):
        y += LINE
        elements += _text(0, y, f"{number} {name}")
    return Plot(title, elements, int(y) + GAP)


def _front(points: Sequence[Point], across: Axis, down: Callable[[float], float]) -> str:
    """The Pareto front in steps to the right edge."""
    corners: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda each: (each.x, -each.y)):
        x, y = across(point.x), down(point.y)
        if not corners or y < corners[-1][1]:
            corners += [(x, corners[-1][1])] if corners else []
            corners.append((x, y))
    style = f'stroke="{COLOURS[1]}" stroke-width="1.75" stroke-dasharray="5 4"'
    return "".join(
        _line(*one, *two, style)
        for one, two in itertools.pairwise([*corners, (100.0, corners[-1][1])])
    )


def course_chart(
    title: str,
    course: Sequence[tuple[float, float]],
    levels: Sequence[tuple[float, str]],
    axes: tuple[Axis, Axis],
) -> Plot:
    """A line through points, and named levels that it may reach.

    Args:
        title: what it shows.
        course: the points, from left to right.
        levels: heights and what they are.
        axes: from left to right, and upwards.
    """
    across, up = axes

    def down(value: float) -> float:
        return round(MARGIN + (100 - up(value)) / 100 * AREA, 1)

    bottom = MARGIN + AREA
    elements = _text(0, 12, up.heading) + _across(across, MARGIN, bottom)
    for at, label in up.ticks():
        y = MARGIN + (100 - at) / 100 * AREA
        elements += _line(0, y, 100, y, FAINT) + _text(0, y - 3, label)
    for height, name in levels:
        style = f'stroke="{COLOURS[1]}" stroke-width="1.75" stroke-dasharray="5 4"'
        elements += _line(0, down(height), 100, down(height), style)
        elements += _text(100, down(height) - 4, name, "end")
    style = f'stroke="{COLOURS[0]}" stroke-width="1.75"'
    for one, two in itertools.pairwise(course):
        elements += _line(across(one[0]), down(one[1]), across(two[0]), down(two[1]), style)
    return Plot(title, elements, bottom + 2 * LINE + GAP)


def forest(ratings: Ratings) -> Plot:
    """The ratings with their 95 % intervals, the strongest first."""
    bars = []
    for number in ratings.order():
        elo, margin = float(ratings.elo[number]), ratings.margin(number)
        text = f"{elo:.0f} ± {margin:.0f}".replace("-", "−")
        text += " (anchor)" if number == ratings.anchor else ""
        bars.append(Bar(f"{text}  {ratings.labels[number]}", (elo,), (elo - margin, elo + margin)))
    axis = Axis([end for bar in bars for end in bar.interval or ()], 0.04, heading="Elo")
    title = "Ratings with 95 % intervals; the table holds the same figures"
    return bar_chart(title, bars, axis, dots=True)


def speed_plot(order: Sequence[AgentRow], ratings: Ratings | None) -> Plot | None:
    """Strength against seconds a move, with the Pareto front; points are numbered by rank.

    Strength is the rating, or the score in percent where there are no ratings. None where no agent
    has thought a measurable time.
    """
    points = []
    for place, row in enumerate(order):
        seconds, score = row.seconds_per_move, row.total.score
        if not seconds or score is None:
            continue
        strength = 100 * score if ratings is None else float(ratings.elo[row.number])
        margin = 0.0 if ratings is None else ratings.margin(row.number)
        unit = " %" if ratings is None else " Elo"
        name = f"{row.label}: {strength:.0f}{unit}, {duration(seconds)} a move"
        points.append(Point(seconds, strength, strength - margin, strength + margin, place, name))
    if not points:
        return None
    heading = "score in %" if ratings is None else "Elo"
    across = Axis([point.x for point in points], 0.1, True, seconds_text, "time a move")
    up = Axis([end for point in points for end in (point.low, point.high)], heading=heading)
    title = "Strength against seconds a move; the ratings table holds the same figures"
    return point_chart(title, points, (across, up), [row.label for row in order], front=True)


def sequential_plot(test: SequentialTest) -> Plot | None:
    """The log-likelihood ratio of a sequential test, pair by pair; None before the first pair."""
    if not test.course:
        return None
    (lower, upper), (elo0, elo1, _, _) = test.hypotheses.bounds, test.hypotheses
    course: list[tuple[float, float]] = [(0, 0.0), *test.course]
    across = Axis([pairs for pairs, _ in course], 0.0, heading="pairs")
    up = Axis([lower, upper, *(ratio for _, ratio in course)], heading="log-likelihood ratio")
    levels = [(upper, f"H1: {elo1:g} Elo"), (lower, f"H0: {elo0:g} Elo")]
    title = f"Sequential test of {elo1:g} against {elo0:g} Elo"
    return course_chart(title, course, levels, (across, up))
