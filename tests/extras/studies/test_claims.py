"""The claims of the courses: each figure that they name is judged, and each claim can be."""

from __future__ import annotations

import collections
import functools
import re
import shlex
import tomllib

import pytest
from helpers import DATA, ROOT
from plyground.commands.app import make_app
from plyground.extras.studies import catalogue
from plyground.extras.studies.catalogue import STUDIES, with_claims

COURSES = [study for study in STUDIES.values() if study.lines[0][0] != "X"]
CLAIMS = [
    claim
    for study in STUDIES.values()
    for experiment in study.experiments
    for claim in experiment.claims
]
OF_COURSES = [claim for claim in CLAIMS if claim.line]
FIGURES = tomllib.loads((DATA / "course_figures.toml").read_text("utf-8"))


def without_entry(claims):
    """The figures, each with its section, that stand in no claim of that source."""
    return [
        (source, figure)
        for source, section in FIGURES.items()
        for figure in section.get("claims", [])
        if not any(
            figure in f"{claim.text} ({claim.of}): {claim.note}"
            for claim in claims
            if claim.source == source
        )
    ]


def test_every_figure_of_the_documents_has_a_claim_of_its_section_or_a_reason():
    assert without_entry(OF_COURSES) == []
    assert {claim.source for claim in OF_COURSES} == {
        source for source, section in FIGURES.items() if "claims" in section
    }
    for section in FIGURES.values():
        assert section
        assert all(section.values())


def test_every_course_has_a_file_of_claims_and_no_claim_of_it_stands_elsewhere():
    files = {path.stem for path in catalogue.FOLDER.glob("*.toml")}
    assert files == {study.name for study in COURSES}
    own = [
        claim.text
        for study in COURSES
        for experiment in study.experiments
        for claim in experiment.claims
        if not claim.line
    ]
    assert all(re.search("same processor time|repaired evaluation", text) for text in own)


def test_a_claim_says_of_whom_it_speaks_and_is_measured_or_says_why_it_is_not():
    for claim in OF_COURSES:
        assert claim.of
        assert claim.column or claim.note
        assert claim.low <= claim.high
        assert bool(claim.column) == ((claim.low, claim.high) != (-float("inf"), float("inf")))


@pytest.mark.parametrize("study", COURSES, ids=lambda study: study.name)
def test_the_page_judges_every_claim_on_rows_of_its_own(study):
    page = (ROOT / "docs" / "extras" / "studies" / f"{study.name}.md").read_text("utf-8")
    assert ": not tested" not in page


COMMANDS = sorted({claim.command for claim in CLAIMS} - {""})


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_reads_the_command_of_a_claim(command):
    name, *words = shlex.split(command)
    assert name == "plyground"
    make_app(words).parse_args(words, exit_on_error=False, print_error=False)


def exact_random_play():
    """First wins, second wins and draws of random play on 3×3 dots, over all games."""
    edges = [("h", row, col) for row in range(3) for col in range(2)]
    edges += [("v", row, col) for row in range(2) for col in range(3)]
    boxes = [
        sum(1 << edges.index(edge) for edge in
            (("h", row, col), ("h", row + 1, col), ("v", row, col), ("v", row, col + 1)))
        for row in range(2) for col in range(2)
    ]  # fmt: skip

    @functools.cache
    def leads(drawn):
        """How likely each final lead of the player to move is, from here on."""
        free = [edge for edge in range(12) if not drawn >> edge & 1]
        if not free:
            return {0: 1.0}
        chances = collections.Counter()
        for edge in free:
            after = drawn | 1 << edge
            gained = sum(box & after == box and box & drawn != box for box in boxes)
            for lead, chance in leads(after).items():
                chances[gained + lead if gained else -lead] += chance / len(free)
        return chances

    ends = leads(0).items()
    return [sum(chance for lead, chance in ends if (lead > 0) - (lead < 0) == sign)
            for sign in (1, -1, 0)]  # fmt: skip


def test_the_shares_of_random_play_on_a_small_board_are_those_of_all_games():
    notes = [claim.note for claim in OF_COURSES if "all games of random play" in claim.note]
    assert [float(re.search(r"[0-9.]+(?= %)", note)[0]) for note in notes] == [
        round(100 * share, 2) for share in exact_random_play()
    ]


def test_claims_of_an_experiment_that_is_not_measured_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    study = COURSES[0]
    assert with_claims(study) == study
    (tmp_path / f"{study.name}.toml").write_text('[["A new one"]]\ntext = "It holds"\n')
    with pytest.raises(ValueError, match="A new one"):
        with_claims(study)
