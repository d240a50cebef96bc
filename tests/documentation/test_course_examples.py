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
            "Red (A) 1, Yellow (B) 0, boxes left 8, edges 6 of 24",
            "D5 dots-box: v 0 1, 21,833 nodes",
            "D5 dots-last: v 1 1",
            "D6 3x3: h 0 0, 871,816 nodes",
            "D7 with the order 3x3: h 0 0, 147,837 nodes",
            "D8 first moves up to symmetry: ['h 0 0', 'h 1 0']",
            "D10 dots-ahead: classic 54",
            "D10 dots-box: classic -44",
            "D10 dots-sides: classic -36",
            "D11 3x3@4: h 1 0, 2,345 nodes",
            "D13 dots-ending: v 1 1",
            "D14 4×4 dots: value -3",
        ],
    ),
    "connect_four": (
        "C",
        [
            "C1 legal once column 0 is full: [1, 2, 3, 4, 5, 6]",
            "C1 action 0 (a) is not legal here",
            "C2 states, at most: 109,418,989,131,512,359,209",
            "C6 depth 2, order none: 50 nodes",  # the position itself, and the 49 of the course
            "C6 depth 4, order none: 659 nodes",
            "C6 depth 4, order default: 192 nodes",
            "C7 opens with d",
            "C9 c4-centre: 1 points",
            "C9 c4-almost: 53 points",
            "C10 depth 4 against 2: [1, 0, 0] [1, 0, 0]",
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
            "medium b14, caro15_hard",  # §3.4.1
            "medium i8, caro15_hard i8, hard i8",  # the gap of OOO_O
            "medium e8, caro15_hard e8, hard e8",  # a four with one end
            "caro15_hard h8, hard h8",  # a fork
            "G6 medium: 216 nodes",
            "G6 easy against hard: hard wins",
        ],
    ),
    "caro10": (
        "R",
        [
            "R1 after e5: 20 points",
            "R2 after e5: 8 candidates of 99 free cells",
            "R3 caro10_heuristic plays d8: 20 nodes",
            "R3 caro10_alphabeta plays d8: 37,426 nodes",
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


def test_the_page_of_the_courses_names_every_line():
    rows = re.findall(r"^\| (?:.*\| )?([DCTGR]\d.*?) \|$", PAGE, re.MULTILINE)
    named = {task for row in rows for task in re.findall(r"[DCTGR]\d+", row)}
    assert named == set(re.findall(r"^\| ([DCTGR]\d+) \|", LINES, re.MULTILINE))
    assert PAGE.count("\n") <= 120
