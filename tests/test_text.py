"""What stands in the repository's files: lengths of lines, nothing that only one machine has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.splitlines()
TEXTS = [name for name in FILES if Path(name).suffix in (".py", ".md", ".toml", ".yaml", ".js")]
LONGEST = 100
WIDEST = 72  # a block of code that a page shows without scrolling
# Names of documents that the repository does not hold.
ABSENT = re.compile("|".join(["SYSTEMS", "DESIGN"]).join("()") + r"\.md")
# The home of a user, on Linux, macOS or Windows. A match after a letter, a dot or a colon is part
# of a URL or of a longer path.
LOCAL = re.compile(r"(?<![\w.:/])/(?:home|root|Users|work|tmp)/\w|\b[A-Z]:\\Users\\")


def lines_of(name: str) -> list[tuple[int, str]]:
    return list(enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1))


def prose(name: str) -> list[tuple[int, str]]:
    """The lines of a page outside fenced blocks and tables."""
    paragraphs, in_code = [], False
    for number, line in lines_of(name):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.lstrip().startswith("|"):
            paragraphs.append((number, line))
    return paragraphs


def test_no_line_of_a_page_is_longer_than_100_columns():
    """Tables, fenced blocks and lines with a URL may be; ruff looks at the Python files."""
    assert [
        f"{name}:{number}"
        for name in FILES
        if name.endswith(".md")
        for number, line in prose(name)
        if len(line) > LONGEST and "://" not in line
    ] == []


def typed(name: str) -> list[tuple[int, str]]:
    """The code and the commands in the fenced blocks of a page, without what they print."""
    lines, block, goes_on = [], "", False
    for number, line in lines_of(name):
        if line.lstrip().startswith("```"):
            block = "" if block else line.strip("` ") or "text"
        elif block in ("python", "toml") or (block == "console" and (goes_on or line[:2] == "$ ")):
            lines.append((number, line))
            goes_on = line.endswith("\\")
    return lines


def test_no_code_of_a_page_needs_scrolling():
    lines = [(name, *line) for name in FILES if name.endswith(".md") for line in typed(name)]
    assert len(lines) > 1000
    assert [f"{name}:{n}" for name, n, line in lines if len(line) > WIDEST] == []


@pytest.mark.parametrize("pattern", [ABSENT, LOCAL], ids=["absent document", "own path"])
def test_no_file_names_what_only_one_machine_holds(pattern):
    assert [
        f"{name}:{number}"
        for name in TEXTS
        for number, line in lines_of(name)
        if pattern.search(line)
    ] == []
