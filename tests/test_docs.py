"""Every fenced Python example in the README and the documentation runs, in a process of its own and
an empty folder, and prints what is shown.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cold.processes import run_alone

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "docs", ROOT / ".github")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in folder.rglob("*.md"))])
# Pages that the site writes itself; tests/documentation/test_site.py follows the links to them.
SITE_PAGES = {
    ROOT / "docs" / name
    for name in ("agents.md", "api/index.md", "commands/start_here.md", "games/index.md")
}


class Example(NamedTuple):
    """A block that is fenced as Python; ``output`` is the block of its output below, if any."""

    place: str  # page and line
    code: str
    output: str | None


def examples(page: Path) -> list[Example]:
    """The examples of a page."""
    text = page.read_text(encoding="utf-8")
    matches = re.finditer(
        r"^```python[^\n]*\n(.*?)^```\n(?:\n```text title=\"output\"\n(.*?)^```)?",
        text,
        re.MULTILINE | re.DOTALL,
    )
    name = page.relative_to(ROOT).as_posix()
    return [
        Example(f"{name}:{text.count(chr(10), 0, match.start()) + 2}", match[1], match[2])
        for match in matches
    ]


EXAMPLES = [example for page in PAGES for example in examples(page)]


SECONDS = 600  # for one example, which may compile
FOUR_STEPS = ROOT / "docs" / "tutorials" / "from_pettingzoo.md"
README = ROOT / "README.md"
# Those that train for ten seconds and more have tests of their own below.
LONG = [*examples(README)[1:], *examples(FOUR_STEPS)]
SHORT = [example for example in EXAMPLES if example not in LONG]


@pytest.mark.parametrize(("place", "code", "output"), SHORT, ids=[e.place for e in SHORT])
@pytest.mark.thorough
def test_the_example_runs_and_prints_what_the_page_shows(place, code, output, tmp_path):
    line = int(place.rpartition(":")[2])
    (tmp_path / "example.py").write_text("\n" * (line - 1) + code, encoding="utf-8")
    outcome = run_alone([sys.executable, "example.py"], tmp_path, SECONDS)
    assert outcome.status == 0, outcome.stderr
    assert output in (None, outcome.stdout)


def programs() -> dict[str, str]:
    """All code that the documentation shows: blocks of pages, notebooks, files of examples."""
    notebooks = {
        path: json.loads(path.read_text("utf-8")) for path in (ROOT / "docs").rglob("*.ipynb")
    }
    cells = {
        path.name: "\n".join("".join(cell["source"]) for cell in content["cells"])
        for path, content in notebooks.items()
    }
    files = {path.name: path.read_text("utf-8") for path in (ROOT / "examples").rglob("*.py")}
    return {example.place: example.code for example in EXAMPLES} | cells | files


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (place, code)
        for place, code in programs().items()
        if re.search(r"\.learn\(|\.backward\(|PPOConfig|run_training", code)
    ],
    ids=lambda value: value if len(value) < 80 else "",
)
def test_a_program_that_trains_by_another_library_has_one_thread(place, code):
    """Torch's own number of threads wait for each other where others want the processor too.

    `train` sees to it itself: tests/training/test_longer_runs.py.
    """
    assert "torch.set_num_threads(1)" in code


def test_every_output_stands_below_its_example():
    for page in PAGES:
        shown = page.read_text(encoding="utf-8").count('```text title="output"')
        assert shown == sum(example.output is not None for example in examples(page)), page.name


def ratings_of(text):
    return dict(re.findall(r"^(\S+) +([+-]\d+) ± \d+ Elo$", text, re.MULTILINE))


def test_the_program_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    """With a second of learning and two pairs of games."""
    _, example = examples(README)
    assert example.code == (ROOT / "examples/search_and_learned.py").read_text(encoding="utf-8")
    assert example.code.count("\n") <= 30
    code, seconds = re.subn(r'"hours": 1 / 120\b', '"hours": 1 / 3600', example.code)
    code, pairs = re.subn(r"\bpairs=\d+", "pairs=2", code)
    assert (seconds, pairs) == (1, 1)
    monkeypatch.chdir(tmp_path)
    exec(code, {"__name__": "__main__"})
    stated = ratings_of(README.read_text(encoding="utf-8"))
    assert len(stated) == 7
    assert ratings_of(capsys.readouterr().out).keys() == stated.keys()


@pytest.mark.thorough
def test_the_program_of_the_readme_rates_search_and_learned_policies(tmp_path, monkeypatch, capsys):
    """The network depends on the processor's speed, so the ratings are compared roughly."""
    monkeypatch.chdir(tmp_path)
    exec(examples(README)[1].code, {"__name__": "__main__"})
    stated = ratings_of(README.read_text(encoding="utf-8"))
    printed = ratings_of(capsys.readouterr().out)
    for name, rating in printed.items():
        assert abs(int(rating) - int(stated[name])) <= 150, name
    learner = int(printed["mcts:network=runs/first,simulations=400"])
    for name in ("greedy", "minimax:depth=1", "random"):
        assert learner > int(printed[name]), name


def run_with_one_update(code):
    """A program that learns, with the fewest steps that stable-baselines3 takes."""
    code, count = re.subn(r"^steps = 20_480$", "steps = 64", code, flags=re.MULTILINE)
    exec(code, {"__name__": "__main__"})
    return count


def test_the_four_steps_from_pettingzoo_learn_and_are_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    *learning, measuring = examples(FOUR_STEPS)
    for example in learning:
        assert run_with_one_update(example.code) == 1
        assert re.fullmatch(r"[\d,]+ steps/s, [\d.]+ seconds\n", capsys.readouterr().out)
    assert run_with_one_update(measuring.code) == 0
    number = r"(\d+\.\d)"
    row = rf"^(step_\d) (\S+): {number} % \({number} to {number}\)$"
    rows = re.findall(row, capsys.readouterr().out, re.MULTILINE)
    opponents = ("random", "greedy", "alphabeta:depth=2")
    names = [f"step_{number}" for number in range(1, len(learning) + 1)]
    assert [row[:2] for row in rows] == list(itertools.product(names, opponents))
    for name, opponent, score, low, high in rows:
        assert 0 <= float(low) <= float(score) <= float(high) <= 100, (name, opponent)
    scores = {row[:2]: float(row[2]) for row in rows}
    for name in names:
        assert scores[name, "random"] > scores[name, "alphabeta:depth=2"]


@pytest.mark.thorough
def test_with_pettingzoos_id_the_learner_ends_with_the_same_weights(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    monkeypatch.chdir(tmp_path)
    code, policies = examples(FOUR_STEPS)[0].code, []
    ours, theirs = re.search(r'^GAME = "(\S+)"  # instead of (\S+)$', code, re.MULTILINE).groups()
    for game in (ours, theirs):
        assert run_with_one_update(code.replace(f'"{ours}"', f'"{game}"')) == 1
        policies.append(MaskablePPO.load("step_1").policy.state_dict())
    one, other = policies
    assert one.keys() == other.keys()
    for name in one:
        assert (one[name] == other[name]).all(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        path = (page.parent / target).resolve()
        assert path.exists() or path in SITE_PAGES, (
            f"{page.name} links to {target}, which does not exist"
        )


def cells(line: str) -> list[str]:
    """The cells of a line of a table, without marks and the addresses of links."""
    texts = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell) for cell in line.split("|")[1:-1])
    return [re.sub(r"`|\*\*", "", text).strip() for text in texts]


def test_the_rows_that_a_page_shows_are_those_of_the_file_that_it_links():
    """Tables of measurements whose rows are files in ``docs/tables``."""
    files = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(
            r"(?:((?:^\|.*\n)+)\n^(?=\[All ))?\[[^]]+\]\(([./]*tables/[^)]+\.csv)\)", text, re.M
        ):
            path = (page.parent / match[2]).resolve()
            if path.is_relative_to(ROOT / "docs" / "tables"):
                files.add(path)
                rows = list(csv.reader(path.read_text("utf-8").splitlines()))
                assert len({len(row) for row in rows}) == 1, path
                lines = (match[1] or "").splitlines()
                shown = [cells(line) for line in (*lines[:1], *lines[2:])]
                assert shown == [row for row in rows if row in shown], path
                assert len(shown) < len(rows)
    assert files == set((ROOT / "docs" / "tables").rglob("*.csv"))


def test_the_files_that_recipes_name_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = re.findall(r"`((?:\w+/)+\w+\.\w+)`", text)
    made = re.compile(r"(?:test_)?(?:NAME|PURPOSE)(?:_\w+)?")  # by who follows the recipe
    files = [
        name
        for name in names
        if not any(made.fullmatch(Path(part).stem) for part in Path(name).parts)
    ]
    assert len(files) > 8
    assert [name for name in files if not (ROOT / name).exists()] == []
