"""The studies as declared: complete, and true to the games, agents and columns that they name."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest
from helpers import DATA
from plyground import make_agent
from plyground.agents.policies.zoo import ZooNetworks, cards
from plyground.extras.studies.catalogue import STUDIES
from plyground.extras.studies.cells import Cell
from plyground.extras.studies.declaration import Blank, Claim, with_seed
from plyground.extras.studies.declared.searches import duels
from plyground.extras.studies.measurements import measurement
from plyground.extras.studies.measurements.games import Strength
from plyground.extras.studies.measurements.measurement import ALL, SOLVER, example
from plyground.extras.studies.measurements.quality import Answers
from plyground.extras.studies.pages import DECLARATIONS, FIRST_ROWS, MOST_ROWS
from plyground.extras.studies.results import lead
from plyground.extras.studies.runner import Findings, MeasuredExperiment

EXPERIMENTS = [
    pytest.param(experiment, id=f"{study.name}: {experiment.title}")
    for study in STUDIES.values()
    for experiment in study.experiments
]
SIZES = pytest.mark.parametrize("quick", [True, False], ids=["quick", "full"])


def all_measurements():
    return [
        measurement
        for study in STUDIES.values()
        for experiment in study.experiments
        for measurement in (*experiment.quick, *experiment.full)
    ]


def test_the_agents_exist_and_play_their_games():
    pairs = {
        (example(spec), game)
        for measurement in all_measurements()
        for spec in measurement.agents_named()
        for game in measurement.games()
        if spec != SOLVER
    }
    for spec, game in sorted(pairs):
        make_agent(spec, game)


@pytest.mark.parametrize(
    "case",
    sorted(
        {case for each in all_measurements() if isinstance(each, Answers) for case in each.cases},
        key=lambda case: (case.game, case.name),
    ),
    ids=lambda case: case.name,
)
def test_the_declared_answers_are_legal_moves(case):
    position = case.position()
    legal = {position.game.action_to_text(action) for action in position.legal_actions()}
    assert set(case.right) <= legal
    assert set(case.right) < legal


@SIZES
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_claims_and_figures_name_columns_that_are_measured(experiment, quick):
    measurements = experiment.measurements(quick)
    for claim in experiment.claims:
        columns = {column.key for column in measurements[claim.measurement].columns}
        assert {claim.column, *dict(claim.where)} - {""} <= columns
    for figure in experiment.figures:
        columns = {column.key for column in measurements[figure.measurement or 0].columns}
        if figure.measurement is None:
            assert len({type(each) for each in measurements}) == 1
        names = {figure.x, figure.y, figure.series, *figure.stacked}
        names |= set(dict(figure.where))
        assert names - {""} <= columns


@SIZES
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_claim_about_a_pool_says_against_whom(experiment, quick):
    for claim in experiment.claims:
        for pool in experiment.measurements(quick)[claim.measurement :][:1]:
            if pool.cross and claim.column == pool.cross[2]:
                assert dict(claim.where)["opponent"] in pool.labels
                assert claim.beyond_chance


EACH_STUDY = pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))


@EACH_STUDY
def test_a_study_leads_with_a_few_sentences_and_one_figure(study):
    sentences = [sentence for each in study.experiments for sentence in each.lead]
    assert 2 <= len(sentences) <= 4
    assert len(" ".join(sentence.text for sentence in sentences).split()) <= 80
    assert all(sentence.text.count("{}") == len(sentence.blanks) for sentence in sentences)
    figures = [figure for each in study.experiments for figure in each.figures]
    assert sum(figure.lead for figure in figures) == 1


@SIZES
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_blanks_name_columns_and_values_that_are_measured(experiment, quick):
    for sentence in experiment.lead:
        for blank in sentence.blanks if sentence.quick or not quick else ():
            measurements = experiment.measurements(quick)
            if blank.measurement is not None:
                measurements = measurements[blank.measurement :][:1]
            columns = {column.key for column in measurements[0].columns}
            assert {blank.column, *dict(blank.where)} <= columns
            values = {str(value).removeprefix("zoo:") for _, value in blank.where} - {ALL}
            declarations = [json.dumps(each.to_json(), ensure_ascii=False) for each in measurements]
            assert any(all(value in text for value in values) for text in declarations)


@EACH_STUDY
def test_the_lead_of_a_quick_run_is_filled_by_its_numbers(study):
    record = json.loads((DATA / "studies" / f"{study.name}.json").read_text("utf-8"))
    experiments = [
        MeasuredExperiment(
            experiment,
            [
                (measurement, Cell(each["rows"], 0.0))
                for measurement, each in zip(
                    experiment.measurements(True), numbers["measurements"], strict=True
                )
            ],
        )
        for experiment, numbers in zip(study.experiments, record["experiments"], strict=True)
    ]
    sentences = lead(Findings(study, experiments, quick=True, seed=None))
    assert sentences
    assert "{" not in "".join(sentences)
    with pytest.raises(ValueError, match="blank"):  # the quick run has no rows of the full one
        lead(Findings(study, [MeasuredExperiment(each, []) for each in study.experiments], True, 1))


PAGES = Path(__file__).resolve().parents[3] / "docs" / "extras" / "studies"


@EACH_STUDY
def test_the_page_in_the_documentation_is_that_of_the_declaration(study):
    page = " ".join((PAGES / f"{study.name}.md").read_text("utf-8").replace("\\", "").split())
    for experiment in study.experiments:
        assert f"## {', '.join(experiment.lines)}: {experiment.title}" in page
        assert f"*{experiment.question}*" in page
        for claim in experiment.claims:
            of = f" ({claim.of})" if claim.of else ""
            assert f"“{claim.text}”{of}: " in page
        for figure in experiment.figures:
            assert f'alt="{figure.title}"' in page


@EACH_STUDY
def test_the_page_in_the_documentation_begins_with_the_lead(study):
    page = (PAGES / f"{study.name}.md").read_text("utf-8")
    quick = "This is the quick run" in page
    top = " ".join(page.partition("\n## ")[0].split())
    for experiment in study.experiments:
        for sentence in experiment.lead:
            words = r"\S+(?: %)?".join(map(re.escape, sentence.text.split("{}")))
            assert bool(re.search(words, top)) == (sentence.quick or not quick)
        for figure in experiment.figures:
            assert (f'alt="{figure.title}"' in top and f": {experiment.title}*" in top) == (
                figure.lead
            )


def cells(line: str) -> list[str]:
    """The cells of a line of a table in Markdown."""
    return [cell.strip().replace("\\", "") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@EACH_STUDY
def test_the_page_shows_some_rows_of_a_long_table_and_links_all_of_them(study):
    page = (PAGES / f"{study.name}.md").read_text("utf-8")
    link = r"\[(?:All )?(\d+ rows|columns|.+ against each)\]\((.+)\)"
    tables = re.findall(rf"((?:^\|.*\n)*)\n?^{link}$", page, re.M)
    folder = PAGES / "tables" / study.name
    files = {path.relative_to(PAGES).as_posix() for path in folder.rglob("*.csv")}
    declarations = json.loads((folder / DECLARATIONS).read_text("utf-8"))
    assert f"(tables/{study.name}/{DECLARATIONS})" in page
    assert list(declarations.values()) == [
        [json.loads(json.dumps(measurement.to_json())) for measurement in experiment.full]
        for experiment in study.experiments
    ]
    assert {place for _, _, place in tables} == files
    for lines, count, place in tables:
        headings, *rows = csv.reader((PAGES / place).read_text("utf-8").splitlines())
        assert {len(row) for row in rows} == {len(headings)}
        assert (count in ("columns", f"{len(rows)} rows")) == bool(lines)
        if lines:
            head, _, *shown = map(cells, lines.splitlines())
            rest = iter(enumerate(headings))  # two may be the same
            places = [next(n for n, text in rest if text == heading) for heading in head]
            # an apostrophe keeps a spreadsheet from taking a name such as "+ order" for a formula
            rows = [[row[n].removeprefix("'") for n in places] for row in rows]
            assert (len(shown) == len(rows)) == (count == "columns")
            assert count == "columns" or len(rows) > MOST_ROWS
            assert shown[:FIRST_ROWS] == rows[:FIRST_ROWS]
            left = iter(rows)
            assert all(row in left for row in shown)
    parts = {lines for lines, _, _ in tables}
    before = page.partition("\n## How it was made")[0]
    whole = [lines for lines in re.findall(r"(?:^\|.*\n)+", before, re.M) if lines not in parts]
    assert all(lines.count("\n") - 2 <= MOST_ROWS for lines in whole)


@EACH_STUDY
def test_the_page_shows_each_row_that_its_lead_names(study):
    """The texts by which a blank finds its row stand in a row of a table of the page."""
    page = (PAGES / f"{study.name}.md").read_text("utf-8").replace("\\", "")
    rows = [cells(line) for line in re.findall(r"^\|.*$", page, re.M)]
    for experiment in study.experiments:
        for sentence in experiment.lead:
            for blank in sentence.blanks:
                against = [value for key, value in blank.where if key == "opponent"]
                texts = {str(value) for key, value in blank.where if key in ("agent", "search")}
                if against in ([], [ALL]):
                    assert any(texts <= {*row} for row in rows), texts


def test_the_pages_of_full_runs_in_the_documentation_name_the_release_that_made_them():
    """A page stands until its study changes; a study that is new comes with a later release."""
    pages = [(PAGES / f"{name}.md").read_text("utf-8") for name in STUDIES]
    pages = [page for page in pages if "This is the quick run" not in page]
    changelog = (PAGES.parents[2] / "CHANGELOG.md").read_text("utf-8")
    releases = set(re.findall(r"^## \[([0-9.]+)\]", changelog, re.M))
    versions = {re.search(r"^plyground `(.+)`,$", page, re.M)[1] for page in pages}
    assert len(pages) == len(STUDIES)
    assert versions <= releases


def test_a_changed_declaration_or_seed_is_another_measurement():
    digests = {each.digest() for each in all_measurements()}
    assert len(digests) == len(set(all_measurements()))
    for each in all_measurements():
        other = with_seed(each, 12345)
        assert (other.digest() in digests) == (other == each)


def test_another_network_is_another_measurement(monkeypatch):
    pool = Strength("tic_tac_toe", ("random", "zoo:tic_tac_toe"), 1)
    before = pool.digest()
    monkeypatch.setattr(ZooNetworks, "version", "another")
    assert pool.digest() != before


def test_the_quick_runs_on_record_are_of_the_shipped_networks():
    """Whoever trains one anew renews the records, too: plyground study all --quick --out OUT."""
    records = "".join(path.read_text("utf-8") for path in (DATA / "studies").glob("*.json"))
    names = set(re.findall(r"zoo:(\w+)", records))
    shipped = {
        f"{card.name} on {card.game}": card.sha256[:12] for card in cards() if card.name in names
    }
    assert shipped == tomllib.loads((DATA / "studies" / "networks.toml").read_text("utf-8"))


@pytest.mark.parametrize("of", ["sources_of_rules", "sources_of_agent"])
def test_other_rules_or_another_search_are_another_measurement(of, monkeypatch):
    pool = Strength("tic_tac_toe", ("random", "alphabeta:depth=2"), 1)
    before = pool.digest()
    monkeypatch.setattr(measurement, of, lambda *_: "changed")
    assert pool.digest() != before


DUEL = Strength("tic_tac_toe", ("greedy", "random"), 1)


@pytest.mark.parametrize(
    ("low", "score", "high", "outcome"),
    [
        (0.55, 0.6, 0.65, "Holds"),
        (0.45, 0.6, 0.75, "Not decided"),
        (0.3, 0.48, 0.6, "Not decided"),
        (0.2, 0.3, 0.4, "Does not hold"),
    ],
)
def test_who_beats_whom_is_decided_beyond_chance(low, score, high, outcome):
    (claim,) = duels("greedy", ("random",), "Greed beats {}")
    row = {"agent": "greedy", "opponent": "random", "score": score, "score_low": low}
    total = {"agent": "greedy", "opponent": ALL, "score": 0.9, "score_low": None}
    ends = f"{100 * low:.1f} % to {100 * high:.1f} %"
    assert claim.verdict(DUEL, [total, row | {"score_high": high}]) == (
        f"{outcome} ({100 * score:.1f} %; {ends})."
    )


NODES = STUDIES["connect_four"].experiments[2].quick[0]
ROWS = [
    {"depth": 2, "nodes": 1234.0, "fewer": None, "time": 0.0015},
    {"depth": 3, "nodes": 5000.0, "fewer": 0.25, "time": 0.01},
]


def test_a_row_may_have_one_of_several_values():
    claim = Claim("quicker", "quicker", 0, 1, (("depth", (2, 4)),))
    rows = [{"depth": depth, "quicker": share} for depth, share in ((2, 0.1), (3, -1), (4, 0.3))]
    assert claim.verdict(NODES, rows) == "Holds (10.0 % to 30.0 %)."


@pytest.mark.parametrize(
    ("column", "where", "text"),
    [
        ("nodes", (("depth", 2),), "1,234"),
        ("fewer", (("depth", 3),), "25.0 %"),
        ("time", (("depth", (1, 2)),), "1.5 ms"),
    ],
)
def test_a_blank_is_filled_as_tables_write_it(column, where, text):
    assert Blank(column, where).text(NODES, ROWS) == text


@pytest.mark.parametrize(
    ("column", "where", "count"),
    [
        ("nodes", (("depth", 4),), 0),
        ("nodes", (), 2),
        ("fewer", (("depth", 2),), 0),
        ("elo", (("depth", 2),), 0),
    ],
)
def test_a_blank_that_names_no_value_or_several_is_an_error(column, where, count):
    with pytest.raises(ValueError, match=f"^{count} rows have a value in '{column}'"):
        Blank(column, where).text(NODES, ROWS)


COLUMNS = STUDIES["connect_four"].experiments[1].quick[0]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([0.35, 0.45], "Holds (35.0 % to 45.0 %)."),
        ([0.6], "Does not hold (60.0 %)."),
        ([0.2, 0.4], "Holds in 1 of 2 cases (20.0 % to 40.0 %)."),
        ([None], "Not tested by this run."),
        ([], "Not tested by this run."),
    ],
)
def test_a_verdict_says_what_the_numbers_say(values, sentence):
    claim = Claim("30 to 50 %", "draws", 0.3, 0.5, (("first", "a"),))
    rows = [{"draws": value, "first": "a"} for value in values]
    assert claim.verdict(COLUMNS, [*rows, {"draws": 9.0, "first": "other"}]) == sentence
