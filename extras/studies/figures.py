"""The figures of a study: a measurement's rows as plots."""

from __future__ import annotations

from collections.abc import Sequence

from ...evaluation.report.plots import Bar, Plot, Point, Scale, bar_chart, point_chart
from .declaration import Figure
from .measurements.measurement import ALL, SECONDS, SHARE, TEXT, Column, Measurement, Row, matches


def draw(figure: Figure, measurement: Measurement, rows: Sequence[Row]) -> Plot | None:
    """The figure; None without data."""
    columns = {column.key: column for column in measurement.columns}
    where = {measurement.cross[1]: ALL} if measurement.cross else {}
    where |= dict(figure.where)
    rows = [
        row
        for row in rows
        if matches(row, where) and row.get(figure.y) is not None and row.get(figure.x) is not None
    ]
    if not rows:
        return None
    return (_bars if figure.kind == "bars" else _points)(figure, columns, rows)


def _bars(figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> Plot:
    """A bar for each row, grouped by category."""
    categories = list(dict.fromkeys(row[figure.x] for row in rows))
    parts = [columns[key] for key in (figure.y, *figure.stacked)]
    bars: list[Bar] = []
    for row in sorted(rows, key=lambda row: categories.index(row[figure.x])):
        label = str(row[figure.x])
        if figure.series:
            column = columns[figure.series]
            label += f", {'' if column.kind == TEXT else f'{column.heading} '}{row[column.key]}"
        lengths = tuple(_value(row, part) for part in parts)
        bars.append((label, lengths, _interval(row, parts[0], columns)))
    scale = _scale(parts[0], bool(figure.logarithmic))
    if figure.stacked:
        scale = scale._replace(heading="share, %")
    return bar_chart(figure.title, bars, scale, [part.heading for part in parts[len(parts) == 1 :]])


def _points(figure: Figure, columns: dict[str, Column], rows: Sequence[Row]) -> Plot:
    """A point for each row; lines join the points of a series."""
    x, y = columns[figure.x], columns[figure.y]
    lines = figure.kind == "lines"
    names = [str(row[figure.series]) if figure.series else y.heading for row in rows]
    series = list(dict.fromkeys(names)) if lines else names
    points = []
    for number, (row, name) in enumerate(zip(rows, names)):
        height = _value(row, y)
        low, high = _interval(row, y, columns) or (height, height)
        points.append(
            Point(_value(row, x), height, low, high, series.index(name) if lines else number)
        )
    scales = _scale(x, "x" in figure.logarithmic), _scale(y, "y" in figure.logarithmic)
    return point_chart(figure.title, points, scales, series, lines, front="front" in columns)


def _scale(column: Column, logarithmic: bool) -> Scale:
    unit = ", %" if column.kind == SHARE else ""
    return Scale(f"{column.heading}{unit}", logarithmic, column.kind == SECONDS)


def _value(row: Row, column: Column) -> float:
    value = float(row[column.key])
    return 100 * value if column.kind == SHARE else value


def _interval(row: Row, column: Column, columns: dict[str, Column]) -> tuple[float, float] | None:
    """The ends of the interval of a value."""
    if any(row[key] is None for key in column.interval):
        return None
    ends = [_value(row, columns[key]) for key in column.interval]
    if len(ends) == 1:  # half the width
        middle = _value(row, column)
        return middle - ends[0], middle + ends[0]
    return (ends[0], ends[1]) if ends else None
