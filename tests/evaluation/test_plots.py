"""Plots of reports and studies: intervals, scales, the Pareto front, what a page asks of them."""

from __future__ import annotations

import re

import pytest
from plyground.evaluation.report.plots import (
    Point,
    Scale,
    bar_chart,
    forest,
    pareto_front,
    point_chart,
)
from plyground.evaluation.statistics.ratings import Meeting, rate

RATINGS = rate(["a", "$b$"], [Meeting("a", "$b$", pairs=(0, 1, 5, 4, 2))], ("$b$", 100.0))


def test_the_plot_of_ratings_holds_their_intervals():
    plot = forest(RATINGS).inline()
    assert re.findall(r">(a|\$b\$)</text>", plot) == ["a", "$b$"]
    labels = re.findall(r">(−?\d+) ± (\d+)( \(anchor\))?</text>", plot)
    assert [(label[0] == "100", label[2]) for label in labels] == [
        (False, ""),
        (True, " (anchor)"),
    ]
    assert labels[0][1] == labels[1][1] != "0"  # an anchor has an interval too
    lines = re.findall(r'd="M ([\d.]+) ([\d.]+)\s+L ([\d.]+) \2\s*"[^>]* stroke-width: 1.5"', plot)
    ends = [(float(low), float(high)) for low, _, high in lines]
    dots = [float(x) for x in re.findall(r'<use xlink:href="#\w+" x="([\d.]+)"[^>]*#0072b2', plot)]
    assert len(ends) == len(dots) == 2
    for dot, (low, high) in zip(dots, ends):
        assert low < dot < high
        assert dot == pytest.approx((low + high) / 2, abs=0.02)


def test_times_stand_on_a_logarithmic_axis_in_the_unit_that_suits_them():
    points = [Point(seconds, 1, 1, 1, 0) for seconds in (2e-5, 0.4)]
    scales = Scale("time", logarithmic=True, seconds=True), Scale("Elo")
    texts = re.findall(r">([^<>]+)</text>", point_chart("title", points, scales, ["a"]).elements)
    assert {"100 µs", "1 ms", "10 ms", "100 ms", "time", "Elo", "1 a"} <= set(texts)


def test_the_pareto_front_joins_what_nothing_quicker_beats():
    strengths = [(1.0, 10.0), (2.0, 5.0), (3.0, 20.0), (3.0, 15.0)]
    points = [Point(x, y, y, y, n) for n, (x, y) in enumerate(strengths)]
    assert [point.series for point in pareto_front(points)] == [0, 2]
    drawn = [
        point_chart("title", points, (Scale("x"), Scale("y")), list("abcd"), front=front).elements
        for front in (False, True)
    ]
    assert ["stroke-dasharray" in elements for elements in drawn] == [False, True]


@pytest.mark.parametrize(
    "plot",
    [
        forest(RATINGS),
        bar_chart("<i>", [("<b>", (1, 2), None), ("c", (3, 0), (2, 4))], Scale("x"), "de"),
    ],
    ids=["dots", "bars"],
)
def test_a_plot_has_the_colours_of_its_page_and_changes_nothing_else_on_it(plot):
    page, file = plot.inline(), plot.file()
    assert "currentColor" in page
    assert not re.search("#010203|<style|<metadata|<[bi]>", page)
    assert "prefers-color-scheme:dark" in file
    assert plot.elements in page
    assert plot.elements in file
