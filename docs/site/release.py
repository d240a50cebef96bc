"""Cut the section of a release in the changelog: what is unreleased becomes the version's.

    python docs/site/release.py

The version is the package's, the date that of CITATION.cff. A second call changes nothing. A
release without a figure of docs/guide/releases.md, or beside comparisons of another version, is
refused.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from plyground import __version__

ROOT = Path(__file__).resolve().parents[2]
UNRELEASED = "## [Unreleased]\n"


def cut(changelog: str, version: str, date: str) -> str:
    """The changelog with a section of the version below an empty one for what follows."""
    title = f"## [{version}]"
    if title in changelog:
        return changelog
    return changelog.replace(UNRELEASED, f"{UNRELEASED}\n{title} - {date}\n", 1)


def release_date(citation: str) -> str:
    """The date of CITATION.cff; ValueError if there is none."""
    match = re.search(r"^date-released: (\d{4}-\d\d-\d\d)$", citation, re.MULTILINE)
    if match is None:
        raise ValueError("CITATION.cff needs a line such as date-released: 2026-11-24")
    return match[1]


def lacking(figures: str, comparisons: str, version: str) -> list[str]:
    """What a release has not measured: rows of the table of figures, and the comparisons."""
    head, *rows = (columns(line) for line in re.findall(r"^\| .*$", figures, re.MULTILINE))
    place = head.index(version) if version in head else None
    without = [row[0] for row in rows if place is None or row[place] in ("", "–")]
    if f"\n- plyground {version}\n" not in comparisons:
        without.append("comparisons")
    return without


def columns(line: str) -> list[str]:
    """The cells of a row of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


if __name__ == "__main__":
    guide = ROOT / "docs" / "guide"
    pages = ((guide / name).read_text("utf-8") for name in ("releases.md", "peers.md"))
    if without := lacking(*pages, __version__):
        sys.exit(f"{__version__} has not measured: {'; '.join(without)}")
    path = ROOT / "CHANGELOG.md"
    date = release_date((ROOT / "CITATION.cff").read_text("utf-8"))
    path.write_text(cut(path.read_text("utf-8"), __version__, date), encoding="utf-8")
