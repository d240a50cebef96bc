"""Processor seconds of the programs on pages: README, tutorials, notebooks.

    python benchmarks/pages.py
    python benchmarks/pages.py docs/tutorials/from_pettingzoo.md --cached

Each fenced block of Python, and all cells of a notebook together, run in a separate process, as a
reader would run them; the programs of a page share a folder. Their output is passed on.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import cyclopts
from timing import print_table

ROOT = Path(__file__).resolve().parent.parent
FIRST = (ROOT / "README.md", ROOT / "docs" / "notebooks" / "first_agent.ipynb")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
QUIET = {"MPLBACKEND": "agg", "PYTHONWARNINGS": "ignore"}


def programs(page: Path) -> list[str]:
    """The programs of a page, as its reader copies them."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return re.findall(r"^```python[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return ["\n".join("".join(cell["source"]) for cell in cells)]


def page_seconds(page: Path, environment: dict[str, str]) -> float:
    """The processor time of a page's programs, with all threads, processes and starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(page):
            command = [sys.executable, "-c", program]
            subprocess.run(command, cwd=folder, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(*pages: Path, cached: bool = False) -> None:
    """Run the programs of pages twice and print the cost of each page.

    The first run compiles all kernels, the second run loads them.

    Args:
        pages: Markdown files and notebooks; none: README, the first notebook and the tutorials
        cached: run them once, with the kernels in this machine's cache
    """
    # Readers set no number of threads.
    environment = {name: value for name, value in os.environ.items() if name not in THREADS} | QUIET
    rows = []
    for page in pages or (*FIRST, *sorted((ROOT / "docs" / "tutorials").glob("*.md"))):
        with tempfile.TemporaryDirectory() as cache:
            if not cached:
                environment["PLYGROUND_CACHE"] = cache
            costs = [page_seconds(page, environment) for _ in range(1 if cached else 2)]
        rows.append((page.name, *(f"{cost:.0f}" for cost in costs)))
    headings = ("page", "later") if cached else ("page", "the first time", "later")
    print_table(f"Processor seconds; load {os.getloadavg()[0]:.1f}", headings, rows)


if __name__ == "__main__":
    cyclopts.run(main)
