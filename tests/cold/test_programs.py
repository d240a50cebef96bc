"""Every console block of the documentation, every example and every benchmark's help, each line in
a process of its own and each block in an empty folder.

A line that takes longer than ``SECONDS`` has begun, which is what is asked of it; it is stopped.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from cold.processes import run_alone
from helpers import ROOT, TESTS
from test_docs import EXAMPLES as EXAMPLES_OF_PAGES
from test_docs import PAGES

pytestmark = pytest.mark.slow

SECONDS, HELP_SECONDS, MAKING_SECONDS = 40, 300, 600
RULES = tomllib.loads((TESTS / "cold" / "consoles.toml").read_text("utf-8"))
LEFT_OUT = [line for each in RULES["left_out"] for line in each["lines"]]
LINKED = ("benchmarks", "docs", "examples", "agents")  # of the repository, where a line names one
# Each row of the courses' lines and of the studies' claims has commands as well.
ROWS = ROOT / "docs/extras/studies/lines.md"
CLAIMS = sorted((ROOT / "extras/studies/claims").glob("*.toml"))


def blocks() -> dict[str, list[str]]:
    """The command lines of each console block, and of each row that names commands, by place."""
    lines = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in re.finditer(r"^```console[^\n]*\n(.*?)^```", text, re.M | re.S):
            place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 2}"
            shown = match[1].replace("\\\n", " ").splitlines()
            lines[place] = [line[2:] for line in shown if line.startswith("$ ")]
    for number, row in enumerate(ROWS.read_text("utf-8").splitlines(), 1):
        if commands := re.findall(r"`(plyground [^`]+)`", row):
            lines[f"{ROWS.relative_to(ROOT)}:{number}"] = commands
    for page in CLAIMS:
        claims = [each for rows in tomllib.loads(page.read_text("utf-8")).values() for each in rows]
        for command in dict.fromkeys(claim["command"] for claim in claims if "command" in claim):
            lines[f"{page.relative_to(ROOT)}:{command}"] = command.splitlines()
    return lines


BLOCKS = blocks()
EXAMPLES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*.py"))
BENCHMARKS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "benchmarks").rglob("*.py")
    if "__main__" in path.read_text("utf-8")
)


def is_left_out(line: str) -> bool:
    return line.startswith("#") or any(re.search(each, line) for each in LEFT_OUT)


def link_the_repository(line: str, folder: Path) -> None:
    for name in LINKED:
        if re.search(rf"(^|[\s=]){name}/", line) and not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function that makes a small file of a name once; it returns its path."""
    folder = tmp_path_factory.mktemp("made")

    def make(name: str, command: str) -> Path:
        place = folder / name.replace("/", "_")
        if not place.exists():
            place.mkdir()
            line = command.replace("\\\n", " ").format(name)
            link_the_repository(line, place)
            outcome = run_alone(line, place, MAKING_SECONDS)
            assert outcome.status == 0, f"{line}\n{outcome.stderr[-2000:]}"
        return place / name

    return make


def files_of(line: str) -> list[tuple[str, str]]:
    """The files of the table that a line names, with the commands that make them."""
    return [
        (match[0], command)
        for pattern, command in RULES["files"].items()
        for match in re.finditer(pattern, line)
    ]


def provide(line: str, folder: Path, made) -> None:
    """Put the files there that a line reads and that are missing."""
    link_the_repository(line, folder)
    for name, command in files_of(line):
        writes = re.search(rf"--(out|store) {re.escape(name)}", line)
        if not writes and not (folder / name).exists():
            source = made(name, command)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)


def run_line(line: str, folder: Path, made) -> None:
    """Run a line; what is half made, where it was stopped, is removed."""
    for pattern, text in RULES["replaced"].items():
        line = re.sub(pattern, text, line)
    provide(line, folder, made)
    outcome = run_alone(line, folder, SECONDS)
    assert outcome.status in (0, None), f"{line}\n{outcome.stderr[-2000:]}"
    for name, _ in files_of(line) if outcome.status is None else ():
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


@pytest.mark.parametrize("lines", BLOCKS.values(), ids=BLOCKS)
def test_the_lines_of_a_block_work(lines, tmp_path, made):
    for example in EXAMPLES_OF_PAGES:  # one that begins with the name of a file is that file
        name = re.match(r"# (\w+)\.py\n", example.code)
        if name and any(name[1] in line for line in lines):
            (tmp_path / f"{name[1]}.py").write_text(example.code)
            if "write_text" in example.code:  # it writes it
                assert run_alone(f"python {name[1]}.py", tmp_path, SECONDS).status == 0
    for line in lines:
        if not is_left_out(line):
            run_line(line, tmp_path, made)


@pytest.mark.parametrize("script", EXAMPLES)
def test_an_example_works(script, tmp_path, made):
    if not is_left_out(f"python {script}"):
        run_line(f"python {script}", tmp_path, made)


@pytest.mark.parametrize("script", BENCHMARKS)
def test_a_benchmark_tells_how_it_is_called(script, tmp_path):
    outcome = run_alone([sys.executable, str(ROOT / script), "--help"], tmp_path, HELP_SECONDS)
    assert outcome.status == 0, outcome.stderr[-2000:]
    assert "usage" in outcome.stdout.lower()


def test_each_rule_of_the_table_is_needed():
    lines = [line for block in BLOCKS.values() for line in block]
    lines += [f"python {script}" for script in EXAMPLES]
    run = [line for line in lines if not is_left_out(line)]
    assert [each for each in LEFT_OUT if not any(re.search(each, line) for line in lines)] == []
    for pattern, text in RULES["replaced"].items():
        assert any(re.search(pattern, line) for line in run), pattern
        run = [re.sub(pattern, text, line) for line in run]
    for pattern in RULES["files"]:
        assert any(re.search(pattern, line) for line in run), pattern
