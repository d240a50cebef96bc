"""Plots of reports and studies: axes, intervals, the Pareto front."""

from __future__ import annotations

import re

import pytest
from plyground.evaluation.report.plots import (
    Axis,
    Point,
    forest,
    point_chart,
    seconds_text,
    ticks,
)
from plyground.evaluation.statistics.ratings import Meeting, rate


def test_axes_have_round_numbers_within_their_range():
    assert ticks(-12.0, 47.0) == [-10, 0, 10, 20, 30, 40]
    for low, high in ((0, 1), (-1e4, 3), (5, 5), (0.1, 0.13)):
        numbers = ticks(low, high)
        assert all(low <= value <= high for value in numbers)
        assert len(numbers) <= 7
    seconds = Axis([2e-5, 0.4], 0.1, True, seconds_text)
    labels = ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]
    assert [label for _, label in seconds.ticks()] == labels
    assert [label for _, label in Axis([1.0, 2.0], 0.1, True, seconds_text).ticks()] == [
        "1 s",
        "2 s",
    ]


def test_the_plot_of_ratings_holds_their_intervals():
    ratings = rate(["a", "b"], [Meeting(0, 1, pairs=(0, 1, 5, 4, 2))], ("b", 100.0))
    plot = forest(ratings).inline()
    labels = re.findall(r">(−?\d+) ± (\d+)( \(anchor\))?  ([ab])<", plot)
    assert [(label[0] == "100", label[2], label[3]) for label in labels] == [
        (False, "", "a"),
        (True, " (anchor)", "b"),
    ]
    assert labels[0][1] == labels[1][1] != "0"  # an anchor has an interval too
    dots = [float(x) for x in re.findall(r'<circle cx="([\d.]+)%"', plot)]
    ends = re.findall(r'<line x1="([\d.]+)%" y1="[\d.]+" x2="([\d.]+)%" [^>]*width="1.5"', plot)
    for dot, (low, high) in zip(dots, ends, strict=True):
        assert 0 < float(low) < dot < float(high) < 100
        assert dot == pytest.approx((float(low) + float(high)) / 2, abs=0.02)


def test_the_pareto_front_joins_what_nothing_quicker_beats():
    strengths = [(1.0, 10.0), (2.0, 5.0), (3.0, 20.0), (3.0, 15.0)]
    points = [Point(x, y, y, y, n, f"<{n}>") for n, (x, y) in enumerate(strengths)]
    axes = Axis([1.0, 3.0]), Axis([5.0, 20.0])
    plot = point_chart("title", points, axes, list("abcd"), front=True).inline()
    steps = re.findall(r'<line ([^>]*)stroke="#D55E00" stroke-width="1.75"', plot)
    corners = [tuple(map(float, re.findall(r'"([\d.]+)%?"', step))) for step in steps]
    assert [corner[0] for corner in corners] == [axes[0](1.0), axes[0](3.0), axes[0](3.0)]
    assert corners[1][1] > corners[1][3]  # up to the stronger one
    assert corners[-1][2] == 100
    assert "&lt;0&gt;" in plot
