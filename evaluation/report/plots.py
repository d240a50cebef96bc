"""Plots as SVG and PDF, drawn by matplotlib: bars with intervals, points, lines between two axes.

They use the text colour of their page. Numbers, names and dashes distinguish series where colours
do not.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

from ...envs.loading.texts import show_plainly, visible
from ...envs.specification import refusing
from ..statistics.cross_table import AgentRow
from ..statistics.ratings import Ratings
from .pairs import SequentialTest

WIDTH, LINE = 760, 17  # width of a plot and height of a text line in pixels
LETTER = 6.8  # mean width of a letter in pixels
MOST_LETTERS, MOST_NAMED = 40, 12  # letters of a name at a point; points with names
# Four colours of Okabe and Ito, brown and grey: all are visible on white and on black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A6761D", "#808080")
DASHES = ("-", (0, (7, 3)), (0, (2, 2)), (0, (9, 3, 2, 3)), (0, (12, 4)), (0, (1, 4)))
PARTS = (1.0, 0.6, 0.35, 0.12)  # opacity of the parts of a bar
INK = "#010203"  # placeholder for the text colour of the page
SCHEME = "<style>svg{color:#1c2127}@media (prefers-color-scheme:dark){svg{color:#e4e8ec}}</style>"
INKED = tuple(
    f"{part}color" for part in ("text.", "grid.", "xtick.", "ytick.", "axes.edge", "axes.label")
)
STYLE: Any = dict.fromkeys(INKED, INK) | {
    "svg.fonttype": "none", "svg.hashsalt": "plyground", "font.size": 12, "pdf.fonttype": 42,
    "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False,
    "text.parse_math": False,  # a name may contain dollar signs
}  # fmt: skip
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


class Plot(NamedTuple):
    """A plot.

    Attributes:
        title: the title.
        elements: its SVG elements.
        height: height in pixels.
        draw: draws it on matplotlib's axes.
    """

    title: str
    elements: str
    height: int
    draw: Callable[[Any], None]

    def inline(self) -> str:
        """The plot within a page, in the page's colours."""
        title = f'aria-label="{escape(self.title)}"'
        return (
            f'<div class="plot" tabindex="0" role="region" {title}><svg role="img" {title} '
            f'viewBox="0 0 {WIDTH} {self.height}">{self.elements}</svg></div>'
        )

    def file(self) -> str:
        """The plot as a standalone file with its title; it follows the reader's colour scheme."""
        height = self.height + 2 * LINE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">{SCHEME}'
            f'<text y="14" fill="currentColor" style="font: bold 12px sans-serif">'
            f'{escape(self.title)}</text><g transform="translate(0 {2 * LINE})">{self.elements}'
            f"</g></svg>"
        )

    def pdf(self) -> bytes:
        """The plot as a PDF file without its title, with fonts that journals accept."""
        return _render(self.draw, self.height, "pdf", dict.fromkeys(("Creator", "CreationDate")))


def _draw_plot(title: str, height: int, draw: Callable[[Any], None]) -> Plot:
    """The plot that ``draw`` draws on matplotlib's axes.

    Raises:
        SpecificationError: matplotlib is not installed.
    """
    text = _render(draw, height, "svg", NO_METADATA).decode()
    text = re.sub(r"\s*\n\s*", " ", text).replace(INK, "currentColor")
    # matplotlib's style would apply to all pictures on the page
    elements = text[text.index("</defs>") + len("</defs>") : text.rindex("</svg>")]
    return Plot(title, f'<g stroke-linejoin="round">{elements}</g>', height, draw)


def _render(
    draw: Callable[[Any], None], height: int, form: str, metadata: dict[str, None]
) -> bytes:
    with refusing(ImportError, 'a plot needs matplotlib: pip install "plyground[report]"'):
        import matplotlib as mpl
        from matplotlib.figure import Figure
    with mpl.rc_context(STYLE), io.BytesIO() as stream:
        figure = Figure((WIDTH / 72, height / 72), dpi=72, layout="constrained")
        draw(figure.add_subplot(axisbelow=True))
        show_plainly(figure)
        figure.savefig(stream, format=form, transparent=True, metadata=metadata)
        return stream.getvalue()


class Scale(NamedTuple):
    """An axis: its label, whether it is logarithmic, whether its unit is seconds."""

    heading: str
    logarithmic: bool = False
    seconds: bool = False

    def set_on(self, axes: Any, which: str) -> None:
        """Set the ticks and the label of the axis ``x`` or ``y``, once all is drawn."""
        from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

        axis = getattr(axes, f"{which}axis")
        axis.set_label_text(self.heading)
        if self.logarithmic:
            axes.set(**{f"{which}scale": "log"})
            low, high = axis.get_view_interval()
            subs = (1,) if high / low > 1500 else (1, 3) if high / low > 30 else (1, 2, 5)
            axis.set_major_locator(LogLocator(subs=subs))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}")
        if self.seconds:
            axis.set_major_formatter(EngFormatter("s"))


# A bar: the label above it, the lengths of its parts, and the ends of its interval.
Bar = tuple[str, tuple[float, ...], tuple[float, float] | None]


def bar_chart(title: str, bars: Sequence[Bar], scale: Scale, names: Sequence[str] = ()) -> Plot:
    """Horizontal bars below their labels, which can be of any length.

    Args:
        title: what it shows.
        bars: from top to bottom.
        scale: of the lengths.
        names: of the parts, where bars have several.
    """

    def draw(axes: Any) -> None:
        for place, (label, parts, interval) in enumerate(bars):
            above = axes.get_yaxis_transform()
            axes.text(0, place - 0.3, label, transform=above, in_layout=False)
            for number, end in enumerate(itertools.accumulate(parts)):
                look = {"facecolor": COLOURS[0], "alpha": PARTS[number], "edgecolor": INK}
                axes.barh(place, parts[number], 0.34, end - parts[number], linewidth=0.4, **look)
            if interval is not None:
                axes.hlines(place, *interval, colors=INK, linewidth=1.5)
        for density, name in zip(PARTS, names):
            axes.barh(0, 0, color=COLOURS[0], alpha=density, label=name)
        if names:
            axes.figure.legend(loc="outside lower left", frameon=False)
        axes.set_ylim(len(bars) - 0.7, -0.8)
        axes.set_yticks([])
        scale.set_on(axes, "x")

    return _draw_plot(title, 2 * LINE * (len(bars) + 2) + (LINE + 4) * len(names), draw)


class Dot(NamedTuple):
    """A value with the ends of its interval, its name, and the value in words."""

    name: str
    value: float
    low: float
    high: float
    words: str


def dot_chart(title: str, dots: Sequence[Dot], scale: Scale) -> Plot:
    """Values with intervals, their names in a column on the left, in words on the right.

    A value far below all others is cut off: an arrow at the edge points to it.
    """
    lowest = _least_shown([dot.value for dot in dots])
    names = [_wrapped(visible(dot.name)) for dot in dots]  # ticks are written when drawn

    def draw(axes: Any) -> None:
        for place, dot in enumerate(dots):
            right = {"transform": axes.get_yaxis_transform(), "va": "center"}
            axes.text(1.02, place, dot.words, **right)
            if lowest is not None and dot.value < lowest:
                axes.plot(lowest, place, "<", color=COLOURS[0], markersize=9, clip_on=False)
                continue
            axes.plot(dot.value, place, "o", color=COLOURS[0])
            axes.hlines(place, dot.low, dot.high, colors=INK, linewidth=1.5)
        axes.set_ylim(len(dots) - 0.5, -0.5)
        axes.set_yticks(range(len(dots)), names)
        axes.tick_params(axis="y", length=0, pad=9)  # beside an arrow
        axes.grid(visible=False, axis="y")
        if lowest is not None:
            axes.set_xlim(left=lowest)
        scale.set_on(axes, "x")

    lines = sum(1 + name.count("\n") for name in names)
    return _draw_plot(title, LINE * (lines + 3) + 10 * len(names), draw)


def _wrapped(name: str) -> str:
    """A name on lines of at most MOST_LETTERS letters, which end with commas and colons."""
    lines = [""]
    for part in re.findall(rf"[^,:]{{1,{MOST_LETTERS - 1}}}[,:]?|[,:]", name):
        if len(lines[-1]) + len(part) > MOST_LETTERS:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _least_shown(values: Sequence[float]) -> float | None:
    """Where to cut an axis: below all values but one that would take half of it; or None."""
    lowest, *rest = sorted(values)
    if len(rest) < 2 or rest[0] - lowest <= rest[-1] - rest[0]:
        return None
    return rest[0] - 0.25 * (rest[-1] - rest[0])


class Point(NamedTuple):
    """A point, with the ends of its vertical interval, and the number of its series."""

    x: float
    y: float
    low: float
    high: float
    series: int


def point_chart(
    title: str,
    points: Sequence[Point],
    scales: tuple[Scale, Scale],
    names: Sequence[str],
    lines: bool = False,
    front: bool = False,
    named: bool = False,
) -> Plot:
    """Points marked by the numbers of their series, with a legend below.

    Args:
        title: what it shows.
        points: the points.
        scales: from left to right, and upwards.
        names: of the series.
        lines: whether the points of a series are joined.
        front: whether the Pareto front is drawn: nothing left of it is as high.
        named: whether to write the names at the points instead. A point far below all others is
            then cut off: an arrow at the edge points to it.
    """
    lowest = _least_shown([point.y for point in points]) if named else None
    if lowest is not None:
        points = [
            point if point.y >= lowest else point._replace(y=lowest, low=lowest, high=lowest)
            for point in points
        ]

    def draw(axes: Any) -> None:
        for number in range(len(names)):
            own = sorted(point for point in points if point.series == number)
            colour = COLOURS[number % len(COLOURS)]
            dash = DASHES[number // 2 % len(DASHES)] if lines else "none"
            axes.vlines([p.x for p in own], [p.low for p in own], [p.high for p in own], colour)
            axes.plot([p.x for p in own], [p.y for p in own], "o", linestyle=dash, color=colour)
            for point in () if named else own[-1:] if lines else own:
                axes.annotate(
                    str(number + 1), (point.x, point.y), (4, 4), textcoords="offset points"
                )
        for scale, which in zip(scales, "xy"):
            scale.set_on(axes, which)
        if front:
            best = pareto_front(points)
            right = axes.get_xlim()[1]
            xs, ys = [*(p.x for p in best), right], [*(p.y for p in best), best[-1].y]
            axes.step(xs, ys, where="post", color=COLOURS[1], linestyle=(0, (5, 4)), zorder=1)
            axes.set_xlim(right=right)
        if named:
            _name_points(axes, points, names, lowest)
            return
        below = "\n".join(f"{number} {name}" for number, name in enumerate(names, 1))
        axes.figure.text(0.01, 0.01, below, in_layout=False)
        axes.figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))

    height = 320 + (0 if named else LINE * len(names))
    share = LINE * len(names) / height
    return _draw_plot(title, height, draw)


def _name_points(
    axes: Any, points: Sequence[Point], names: Sequence[str], lowest: float | None
) -> None:
    """Write each name next to its point, without overlaps; mark a point that is cut off."""
    if lowest is not None:
        axes.plot([p.x for p in points if p.y == lowest], lowest, "v", color=INK, clip_on=False)
    axes.figure.draw_without_rendering()
    left, right = axes.bbox.x0, axes.bbox.x1
    written: list[tuple[float, float, float]] = []  # left and right end, height
    for point in sorted(points, key=lambda each: each.y):
        x, y = axes.transData.transform((point.x, point.y))
        name = names[point.series]
        width = LETTER * len(name)
        start = x + 7 if x + 7 + width <= right else max(x - 7 - width, left)
        height = y + 4
        while any(
            start < end and begin < start + width and abs(height - other) < LINE - 3
            for begin, end, other in written
        ):
            height += 2
        written.append((start, start + width, height))
        link = {"arrowstyle": "-", "linewidth": 0.5} if height > y + 12 else None
        offset = start - x, height - y
        axes.annotate(name, (point.x, point.y), offset, textcoords="offset pixels", arrowprops=link)


def pareto_front(points: Sequence[Point]) -> list[Point]:
    """The points higher than all points to their left, from left to right."""
    front: list[Point] = []
    for point in sorted(points, key=lambda each: (each.x, -each.y)):
        if not front or point.y > front[-1].y:
            front.append(point)
    return front


def forest(ratings: Ratings) -> Plot:
    """The ratings with their 95 % intervals, the strongest first."""
    dots = []
    for number in ratings.order():
        elo, margin = float(ratings.elo[number]), ratings.margin(number)
        words = f"{elo:.0f} ± {margin:.0f}".replace("-", "−")
        words += " (anchor)" if number == ratings.anchor else ""
        dots.append(Dot(ratings.labels[number], elo, elo - margin, elo + margin, words))
    return dot_chart(
        "Ratings with 95 % intervals; the table holds the same figures", dots, Scale("Elo")
    )


def speed_plot(order: Sequence[AgentRow], ratings: Ratings | None) -> Plot | None:
    """Strength against seconds per move, with the Pareto front; points are numbered by rank.

    Strength is the rating, or the score in percent without ratings. None if no agent used a
    measurable time.
    """
    points = []
    for place, row in enumerate(order):
        seconds, score = row.seconds_per_move, row.total.score
        if not seconds or score is None:
            continue
        strength = 100 * score if ratings is None else float(ratings.elo[row.number])
        margin = 0.0 if ratings is None else ratings.margin(row.number)
        points.append(Point(seconds, strength, strength - margin, strength + margin, place))
    if not points:
        return None
    scales = Scale("time a move", True, True), Scale("score in %" if ratings is None else "Elo")
    title = "Strength against seconds a move; the ratings table holds the same figures"
    names = [row.label for row in order]
    named = len(points) <= MOST_NAMED and max(map(len, names)) <= MOST_LETTERS
    return point_chart(title, points, scales, names, front=True, named=named)


def sequential_plot(test: SequentialTest) -> Plot | None:
    """The log-likelihood ratio of a sequential test, pair by pair; None before the first pair."""
    if not test.course:
        return None
    (lower, upper), hypotheses = test.hypotheses.bounds, test.hypotheses
    elo0, elo1 = hypotheses.elo0, hypotheses.elo1

    def draw(axes: Any) -> None:
        axes.plot(*zip((0, 0.0), *test.course), color=COLOURS[0])
        for height, name in ((upper, f"H1: {elo1:g} Elo"), (lower, f"H0: {elo0:g} Elo")):
            axes.axhline(height, color=COLOURS[1], linestyle=(0, (5, 4)))
            right = axes.get_yaxis_transform()
            axes.annotate(name, (1, height), (0, 3), right, "offset points", ha="right")
        axes.set(xlabel="pairs", ylabel="log-likelihood ratio", xlim=(0, None))

    return _draw_plot(f"Sequential test of {elo1:g} against {elo0:g} Elo", 320, draw)
