"""The scripts of examples/courses run, and print what the courses' tasks ask for."""

from __future__ import annotations

import re
import sys

import pytest
from cold.processes import run_alone
from helpers import ROOT

pytestmark = pytest.mark.thorough

SECONDS = 900  # for one script, which compiles
SCRIPTS = sorted((ROOT / "examples" / "courses").glob("*.py"))
PAGE = (ROOT / "docs" / "guide" / "courses.md").read_text(encoding="utf-8")
LINES = (ROOT / "docs" / "extras" / "studies" / "lines.md").read_text(encoding="utf-8")
# Of each script the letter of its lines, and what it must print.
CLAIMS = {
    "dots_and_boxes": (
        "D",
        [
            "D1 edges: 12 returns: (0.0, 0.0)",
            "D2 5×5 dots, states, by edges drawn: 1,099,511,627,776",
            "Red (A) 0, Yellow (B) 1, boxes left 3, edges 4 of 12",
            "D5 a box to take: h 1 0",
            "D6, D7 3x3, order none: h 0 0, 871,816 nodes",
            "D6, D7 3x3, order default: h 0 0, 147,837 nodes",
            "D8 first moves up to symmetry: ['h 0 0', 'h 1 0']",
            "D10 classic 16",
            "D14 4×4 dots: value -3",
        ],
    ),
    "connect_four": (
        "C",
        [
            "C1 legal once column 0 is full: [1, 2, 3, 4, 5, 6]",
            "C1 action 0 (a) is not legal here",
            "C2 states, at most: 109,418,989,131,512,359,209",
            "C6 depth 4, order none: d, 233 nodes",
            "C6 depth 4, order default: d, 96 nodes",
            "C7 opens with d",
            "C9 c4-centre: 1 points",
            "C10 depth 4 against 2: [1, 0, 0] [0, 1, 0]",
        ],
    ),
    "tic_tac_toe": (
        "T",
        [
            "T2 3×3: draw, 549,946 nodes",
            "T3 a3: wins in 1 ply",
            "T3 plays c3",  # the slow loss
            "T4 after b2: E = 4",
            "T5 action 4 (b2) is not legal here",
            "T5 'd9' is no cell of this board",
            "T5 'seven' is no cell of this board",
            "T5 two perfect players: the board is full",
        ],
    ),
    "caro15": (
        "G",
        [
            "G5 the gap of OOO_O: medium plays h8",
            "G5 the gap of OOO_O: caro15_hard plays h8",
            "G5 a four with one end: medium plays i8",
            "G5 a fork: hard plays h8",
            "G6 medium: 216 nodes",
            "G6 easy against hard: hard wins",
        ],
    ),
    "caro10": (
        "R",
        [
            "R1 after e5: 20 points",
            "R2 after e5: 8 candidates of 99 free cells",
            "R3 c10-almost: caro10_heuristic plays f6",
            "R3 c10-edge: caro10_minimax plays e6",
            "R3 c10-fork: caro10_alphabeta plays f5",
        ],
    ),
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_courses_script_prints_what_its_tasks_ask_for(script, tmp_path):
    status, printed, told = run_alone([sys.executable, str(script)], tmp_path, SECONDS)
    assert status == 0, told
    letter, claims = CLAIMS[script.stem]
    for claim in claims:
        assert claim in printed
    assert "interpreted" not in told
    # its tasks, all of them and in the order of the course
    tasks = dict.fromkeys(
        re.findall(
            rf"\b{letter}\d+\b",
            "\n".join(
                line.partition(":")[0] for line in printed.splitlines() if line.startswith(letter)
            ),
        )
    )
    assert list(tasks) == re.findall(rf"^\| ({letter}\d+) \|", LINES, re.MULTILINE)
    if letter == "D":
        wins = re.search(r"D4 1,000 random games: \[(\d+), (\d+), (\d+)\]", printed)
        first, second, draws = map(int, wins.groups())
        assert first + second + draws == 1000
        assert 100 < draws < 220  # 15.89 % exactly; the course says 0 to 3 %
    if letter == "C":
        means = dict(re.findall(r"C11 ([a-g]) ([+-]\d\.\d\d)", printed))
        assert max(means, key=lambda column: float(means[column])) == "d"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_courses_script_is_short_and_leads_to_the_page_and_back(script):
    text = script.read_text(encoding="utf-8")
    assert 40 <= text.count("\n") <= 80
    assert "docs/guide/courses.md" in text
    assert f"examples/courses/{script.name}" in PAGE
    is_vietnamese = re.search("[ạảấầẩậắằẳặẹẻẽếềểễệỉịọỏốồổỗộớờởợụủứừửữự]", text) is not None
    assert is_vietnamese == (CLAIMS[script.stem][0] in "GR")


def test_the_page_of_the_courses_names_every_line():
    rows = re.findall(r"^\| (?:.*\| )?([DCTGR]\d.*?) \|$", PAGE, re.MULTILINE)
    named = {task for row in rows for task in re.findall(r"[DCTGR]\d+", row)}
    assert named == set(re.findall(r"^\| ([DCTGR]\d+) \|", LINES, re.MULTILINE))
    assert PAGE.count("\n") <= 120
