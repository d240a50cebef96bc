"""All comparisons with other libraries, on one page: docs/guide/peers.md.

    python benchmarks/peers.py            # twenty minutes; writes the page
    python benchmarks/peers.py aec.py     # prints the part of one script, and writes nothing

Each comparison is a separate benchmark and runs in a separate process. The page names libraries
that are not installed; they are not imported.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cyclopts

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "guide" / "peers.md"
HEAD = """# Beside its peers

Speed compared with other libraries, in one run: the contestants of a table take turns on one core,
and their processor time counts. `python benchmarks/peers.py` writes this page; the command
above each table prints the same table, and also rows without a peer.
"""


class Comparison(NamedTuple):
    """A comparison: title, command, and the distributions that the command needs or uses."""

    title: str
    command: str  # in the folder of benchmarks
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


COMPARISONS = (
    Comparison("Environments", "aec.py", ("pettingzoo", "open_spiel")),
    Comparison("A new process, to its first answer", "agents/first_second.py", (), ("pettingzoo",)),
    Comparison("A move", "agents/moves.py"),
    Comparison("Tournaments", "agents/matches.py", (), ("open_spiel",)),
    Comparison("Search", "search.py", ("open_spiel",)),
    Comparison(
        "Vector environments and replies", "vector_env.py --seconds 0.1", ("pettingzoo",), ("pgx",)
    ),
    Comparison(
        "Replies at tic-tac-toe", "vector_env.py tic_tac_toe --seconds 0.1", ("pettingzoo",)
    ),
    Comparison("PPO", "training.py", ("pettingzoo", "sb3-contrib", "torch")),
)


def version(distribution: str) -> str:
    """The version of an installed distribution, empty if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def circumstances() -> Iterator[str]:
    """The lines about the machine and the libraries."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    yield f"- {model}, {cores} cores, load {load:.1f} at the start"
    yield f"- Python {platform.python_version()}"
    used = [name for one in COMPARISONS for name in (*one.needs, *one.uses)]
    for name in ("plyground", "numba", *sorted(set(used))):
        yield f"- {name} {version(name) or 'is not installed'}"


def part(comparison: Comparison) -> Iterator[str]:
    """The lines of a comparison."""
    yield f"\n## {comparison.title}\n"
    yield f"`python benchmarks/{comparison.command}`\n"
    missing = [name for name in comparison.needs if not version(name)]
    if missing:
        yield f"Not measured: {' and '.join(missing)} is not installed."
        return
    script, *arguments = shlex.split(comparison.command)
    run = subprocess.run(
        [sys.executable, HERE / script, *arguments], capture_output=True, text=True, check=False
    )
    if run.returncode:
        yield f"Not measured: the command ended with status {run.returncode}."
        print(run.stderr, file=sys.stderr)
        return
    for line in run.stdout.strip().splitlines():
        if "| — |" in line:
            continue  # nothing of a peer's
        yield line if line.startswith("|") else textwrap.fill(line, 100)


def main(*chosen: str) -> None:
    """Write the page, or print parts of it.

    Args:
        chosen: the scripts whose parts are printed
    """
    some = [one for one in COMPARISONS if not chosen or one.command.split()[0] in chosen]
    if not some:
        sys.exit(f"no comparison is by {chosen[0]}: " + ", ".join(c.command for c in COMPARISONS))
    page = "\n".join([HEAD, *circumstances(), ""])
    for comparison in some:
        print(comparison.title, file=sys.stderr, flush=True)
        page += "\n".join([*part(comparison), ""])
        if not chosen:  # part by part, so that a stopped run leaves its results
            PAGE.write_text(page, encoding="utf-8")
    if chosen:
        print(page, end="")


if __name__ == "__main__":
    cyclopts.run(main)
