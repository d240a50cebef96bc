"""Tables and figures for a paper: the files of the command, and the links of a page to them."""

from __future__ import annotations

import base64
import csv
import itertools
import re
import time

import pytest
from command_line import done
from helpers import run
from plyground.envs.loading.version import RELEASED
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.html import report_page
from plyground.evaluation.report.paper import _latex, files_of, plots_of
from plyground.evaluation.report.plots import Dot, Point, Scale, dot_chart, point_chart
from plyground.evaluation.report.report import report_store
from plyground.evaluation.store.store import Store

AGENTS = ("random", "greedy", "alphabeta:depth=2")
TABLES = ("cross_table", "endings", "pairs", "ratings")
SCALES = Scale("time"), Scale("Elo")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "games.db"
    run(Plan("tic_tac_toe", AGENTS, pairs=4, opening="random:2"), path)
    return path


@pytest.fixture(scope="module")
def report(store):
    with Store(store) as open_store:
        return report_store(open_store)[0]


def test_the_command_writes_every_table_and_figure(store, tmp_path):
    result = done("report", store, "--out", tmp_path / "new" / "paper")
    names = {path.name for path in (tmp_path / "new" / "paper").iterdir()}
    expected = {f"{name}.{ending}" for name in TABLES for ending in ("csv", "tex")}
    expected |= {f"{name}.{ending}" for name in ("elo", "speed") for ending in ("svg", "pdf")}
    assert names == expected | {"cite.bib"}
    assert result.stderr == f"{len(names)} files in {tmp_path / 'new' / 'paper'}\n"


def test_tables_hold_the_figures_of_the_report(report):
    files = files_of(report, {})
    ratings = list(csv.DictReader(files["ratings.csv"].decode().splitlines()))
    order = report.ratings.order()
    assert [row["agent"] for row in ratings] == [report.labels[number] for number in order]
    assert [row["Elo"] for row in ratings] == [f"{report.ratings.elo[n]:.0f}" for n in order]
    for name in TABLES:
        rows = list(csv.reader(files[f"{name}.csv"].decode().splitlines()))
        latex = files[f"{name}.tex"].decode().splitlines()
        assert latex[1] == r"\toprule"
        assert latex[-2:] == [r"\bottomrule", r"\end{tabular}"]
        assert len(latex) == len(rows) + 5
        columns = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", latex[0])[1]
        assert {len(row) for row in rows} == {len(columns)}


def test_what_to_cite_has_the_year_and_the_digest_that_can_be_repeated(report):
    text = files_of(report, {})["cite.bib"].decode()
    year = time.gmtime(report.tournament.created).tm_year
    assert re.findall(r"year = {(\d+)}", text) == [RELEASED[:4], str(year)]
    assert f"@misc{{games-{report.games_digest[:8]}," in text
    assert f"{{{{Tic-tac-toe: a tournament of 3 agents, {report.table.games} games}}}}" in text
    assert f"digest of the games {report.games_digest};" in text


def test_signs_with_a_meaning_in_latex_are_written_as_they_are():
    text = _latex([["a_b", "±"], [r"100 % & \{x}#$^~", "-3"]], [True, False]).decode()
    assert r"a\_b & $\pm$ \\" in text
    cell = r"100 \% \& \textbackslash{}\{x\}\#\$\textasciicircum{}\textasciitilde{}"
    assert rf"{cell} & $-3$ \\" in text


def test_figures_have_fonts_that_journals_take(report):
    for plot in plots_of(report).values():
        content = plot.pdf()
        assert content.startswith(b"%PDF")
        assert b"CIDFontType2" in content  # of Type 42
        assert b"/Type3" not in content
        assert content == plot.pdf()  # no date in it


def test_a_page_holds_the_files_that_the_command_writes(report):
    files = files_of(report, plots_of(report))
    page = report_page([report], "games", [])
    links = re.findall(r'<a download="([\w.]+)" href="data:[\w/+-]+;base64,([\w+/=]+)"', page)
    assert {name: base64.b64decode(content) for name, content in links} == files


def test_a_figure_cuts_off_one_agent_far_below_all_others():
    elos = {"a": 100.0, "b": 60.0, "c": 40.0}
    for lowest, cut in ((-10.0, False), (-50.0, True), (-1500.0, True)):
        both = [*elos.items(), ("worst", lowest)]
        dots = dot_chart("Elo", [Dot(n, x, x - 9, x + 9, "") for n, x in both], SCALES[1])
        points = [Point(n, x, x - 9, x + 9, n) for n, (_, x) in enumerate(both, 1)]
        points = [point._replace(series=point.series - 1) for point in points]
        chart = point_chart("speed", points, SCALES, [n for n, _ in both], named=True)
        for plot in (dots, chart):
            numbers = re.findall(r">(−?\d+)</text>", plot.elements)
            least = min(int(number.replace("−", "-")) for number in numbers)
            assert (least < lowest / 2) == (not cut)
            assert ">worst</text>" in plot.elements


def test_names_at_points_do_not_overlap():
    points = [Point(1, 1 + n / 1000, 1, 1, n) for n in range(5)]
    chart = point_chart("speed", points, SCALES, ["some agent"] * 5, named=True)
    texts = re.findall(r"translate\(([\d.]+) ([\d.]+)\)[^>]*>some agent</text>", chart.elements)
    texts = texts or re.findall(r'x="([\d.]+)" y="([\d.]+)"[^>]*>some agent</text>', chart.elements)
    heights = sorted(float(y) for _, y in texts)
    assert len(heights) == 5
    assert min(b - a for a, b in itertools.pairwise(heights)) >= 12
