"""Figures as SVG: they follow the reader's colour scheme and tell series apart without colour."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

from ...envs.specification import SpecificationError
from .declaration import Figure
from .measurements.measurement import SHARE, Column, Measurement, Row, matches

# Four colours of Okabe and Ito, brown and grey: colour-blind readers tell them apart, and all are
# seen on white and on black. Markers, dashes and hatches tell the same once more.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A6761D", "#808080")
MARKERS, DASHES = "osD^vP", ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
HATCHES = ("", "//", "--", "xx", "\\\\", "||")
INK = "#010203"  # becomes the reader's text colour
SCHEME = "<style>svg{color:#1c2127}@media (prefers-color-scheme:dark){svg{color:#e4e8ec}}</style>"
SETTINGS: Any = {  # keys that matplotlib lists one by one

    "svg.hashsalt": "plyground", "svg.fonttype": "none", "font.family": "sans-serif",
    "font.size": 10, "hatch.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
}  # fmt: skip
LONGEST_NAME = 52


def draw(figure: Figure, measurement: Measurement, rows: Sequence[Row]) -> str | None:
    """The figure as an SVG document; None where it has nothing to show.

    Raises:
        SpecificationError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise SpecificationError(
            'the figures of a study need matplotlib: pip install -e ".[study]"'
        ) from None
    columns = {column.key: column for column in measurement.columns}
    shown = [
        row
        for row in rows
        if matches(row, dict(figure.where))
        and row.get(figure.y) is not None
        and row.get(figure.x) is not None
    ]
    if not shown:
        return None
    with mpl.rc_context(SETTINGS):
        categories = len({row[figure.x] for row in shown})
        tall = figure.kind == "bars"
        series = len({row[figure.series] for row in shown}) if figure.series else 1
        height = 1.1 + 0.22 * categories * (series + 0.6) if tall else 3.8
        canvas = Canvas(figsize=(7.6, max(height, 2.2)), layout="constrained")
        axes = canvas.add_subplot()
        {"bars": _bars, "lines": _lines, "points": _points}[figure.kind](
            axes, figure, columns, shown
        )
        axes.set_title(figure.title, loc="left", fontsize=10.5, fontweight="bold")
        axes.grid(alpha=0.25, color=INK, axis="x" if tall else "both", linewidth=0.6)
        axes.set_axisbelow(True)
        stream = io.StringIO()
        canvas.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    end = text.index(">") + 1
    # A file of its own follows the scheme of the system; the name says what it shows.
    return (text[:end] + SCHEME + text[end:]).replace(INK, "currentColor")


def _groups(figure: Figure, rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The series with their rows."""
    if not figure.series:
        return [("", list(rows))]
    names = dict.fromkeys(row[figure.series] for row in rows)
    return [(str(name), [row for row in rows if row[figure.series] == name]) for name in names]


def _scaled(row: Row, column: Column) -> float:
    value = float(row[column.key])
    return 100 * value if column.kind == SHARE else value


def _label(column: Column) -> str:
    unit = {SHARE: ", %", "seconds": ", seconds"}.get(column.kind, "")
    return f"{column.heading}{unit}"


def _margins(
    figure: Figure, columns: dict[str, Column], rows: list[Row]
) -> list[list[float]] | None:
    """How far intervals reach below and above, as matplotlib takes it."""
    column = columns[figure.y]
    if not column.interval:
        return None
    middle = [_scaled(row, column) for row in rows]
    ends = [[_scaled(row, columns[end]) for row in rows] for end in column.interval]
    if len(ends) == 1:  # half the width
        return [ends[0], ends[0]]
    low, high = ends
    return [
        [max(0.0, m - value) for m, value in zip(middle, low)],
        [max(0.0, value - m) for m, value in zip(middle, high)],
    ]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _bars(axes: Any, figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> None:
    """Horizontal bars: names of any length can be read."""
    categories = list(dict.fromkeys(row[figure.x] for row in rows))
    if figure.stacked:
        several = _stack(axes, figure, columns, rows)
    else:
        several = _side_by_side(axes, figure, columns, rows, categories)
    axes.set_yticks(range(len(categories)), [_short(str(name)) for name in categories])
    axes.invert_yaxis()
    axes.set_xlabel(_label(columns[figure.y]) if not figure.stacked else "moves, %")
    if "y" in figure.logarithmic:
        axes.set_xscale("log")
    if several:
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _stack(axes: Any, figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> bool:
    """A bar for each row, with a part for each column."""
    ends = [0.0] * len(rows)
    for index, key in enumerate((figure.y, *figure.stacked)):
        parts = [_scaled(row, columns[key]) for row in rows]
        axes.barh(
            range(len(rows)), parts, 0.72, left=ends, label=columns[key].heading, **_look(index)
        )
        ends = [end + part for end, part in zip(ends, parts)]
    return True


def _look(index: int) -> dict[str, Any]:
    """What tells the bars of a series apart."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "hatch": HATCHES[index % len(HATCHES)],
        "edgecolor": INK,
        "linewidth": 0.4,
    }


def _side_by_side(
    axes: Any,
    figure: Figure,
    columns: dict[str, Column],
    rows: Sequence[Row],
    categories: Sequence[Any],
) -> bool:
    """A bar for each row, those of a category together; whether there are several series."""
    groups = _groups(figure, rows)
    thickness = 0.8 / len(groups)
    for index, (name, own) in enumerate(groups):
        places = [
            categories.index(row[figure.x]) + (index - (len(groups) - 1) / 2) * thickness
            for row in own
        ]
        axes.barh(
            places,
            [_scaled(row, columns[figure.y]) for row in own],
            thickness * 0.92,
            xerr=_margins(figure, columns, own),
            error_kw={"ecolor": INK, "elinewidth": 1, "capsize": 2},
            label=_short(name),
            **_look(index),
        )
    return len(groups) > 1


def _lines(axes: Any, figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> None:
    for index, (name, own) in enumerate(_groups(figure, rows)):
        own = sorted(own, key=lambda row: row[figure.x])
        axes.errorbar(
            [_scaled(row, columns[figure.x]) for row in own],
            [_scaled(row, columns[figure.y]) for row in own],
            _margins(figure, columns, own),
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            linestyle=DASHES[index % len(DASHES)],
            linewidth=1.6,
            capsize=2,
            label=_short(name),
        )
    _finish(axes, figure, columns)
    ticks = sorted({_scaled(row, columns[figure.x]) for row in rows})
    if len(ticks) <= 8 and all(tick == math.floor(tick) for tick in ticks):
        axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        axes.minorticks_off()
    if figure.series:
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _points(axes: Any, figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> None:
    """Points that the legend names: names beside them would cover each other.

    Those on the Pareto front are joined, where the rows tell it.
    """
    count = len(COLOURS)
    front = sorted(
        (_scaled(row, columns[figure.x]), _scaled(row, columns[figure.y]))
        for row in rows
        if row.get("front") == "yes"
    )
    if front:
        axes.plot(*zip(*front), color=INK, linewidth=0.8, alpha=0.6, label="Pareto front")
    for index, row in enumerate(rows):
        axes.errorbar(
            _scaled(row, columns[figure.x]),
            _scaled(row, columns[figure.y]),
            _margins(figure, columns, [row]),
            color=COLOURS[index % count],
            marker=MARKERS[(index + index // count) % count],
            linestyle="none",
            capsize=2,
            label=_short(str(row[figure.series])),
        )
    _finish(axes, figure, columns)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _finish(axes: Any, figure: Figure, columns: dict[str, Column]) -> None:
    axes.set_xlabel(_label(columns[figure.x]))
    axes.set_ylabel(_label(columns[figure.y]))
    if "x" in figure.logarithmic:
        axes.set_xscale("log")
    if "y" in figure.logarithmic:
        axes.set_yscale("log")
