"""Mutation testing: plausible faults in the sources, applied one at a time.

``mutants.toml`` lists the mutants, each with the fast tests that should find it. The tests run in a
copy of the repository until one fails or the time is up; they must pass without the mutant::

    python benchmarks/structure/mutants.py --out found.jsonl # all: hours; the same command resumes
    python benchmarks/structure/mutants.py --only 3 17       # two of them
    python benchmarks/structure/mutants.py --check           # whether all can be applied
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import cyclopts

ROOT = Path(__file__).resolve().parents[2]
# The copy always has the same path, since numba's cache depends on the paths of sources.
COPY = ROOT / "build" / "mutants" / "plyground"
NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "build", "runs")
SECONDS, TIME_LIMIT = 3600, "time limit"  # of the tests of a mutant
NO_TESTS = 5  # exit status of pytest
Numbers = Annotated[tuple[int, ...], cyclopts.Parameter(consume_multiple=True)]
FAILURE = re.compile(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", re.MULTILINE)


def read() -> dict[int, dict[str, Any]]:
    """The mutants by their number, from 1."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return dict(enumerate(tomllib.loads(text)["mutant"], 1))


def problems() -> list[str]:
    """Why mutants cannot be applied or tested; empty if all can."""
    lines = []
    for number, mutant in read().items():
        file, old, new = mutant["file"], mutant["old"], mutant["new"]
        text = (ROOT / file).read_text("utf-8") if (ROOT / file).is_file() else ""
        if text.count(old) != 1 or old == new:
            lines.append(f"{number}: {file} has {text.count(old)} times {old!r}, new is {new!r}")
        compile(text.replace(old, new), file, "exec")
        lines += [f"{number}: no {test}" for test in mutant["tests"] if not (ROOT / test).exists()]
    return lines


def failing_test(tests: list[str]) -> str | None:
    """The first test that fails in the copy, ``time limit``, or None."""
    # The cache cannot hide a mutant: plyground names the folder of a kernel's machine code by a
    # hash of the contents of all sources that the kernel depends on (envs/compiled/sources.py).
    places = {"PYTHONPATH": str(COPY.parent), "PLYGROUND_CACHE": str(COPY.parent / "kernels")}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests], text=True,
        cwd=COPY, env=os.environ | places, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except BaseException as error:  # Ctrl-C too
        os.killpg(process.pid, signal.SIGKILL)
        if isinstance(error, subprocess.TimeoutExpired):
            return TIME_LIMIT
        raise
    failures = FAILURE.findall(output)
    if not failures and process.returncode not in (0, NO_TESTS):
        sys.exit(f"the tests did not run:\n{output}")
    return failures[-1] if failures else None


def find(mutant: dict[str, Any]) -> str | None:
    """The test that finds a mutant, or None; the copy is restored."""
    path, tests = COPY / mutant["file"], mutant["tests"]
    text = path.read_text("utf-8")
    path.write_text(text.replace(mutant["old"], mutant["new"]), "utf-8")
    test = failing_test(tests)
    path.write_text(text, "utf-8")
    if test and (reason := failing_test(tests if test == TIME_LIMIT else [test])):
        sys.exit(f"fails without the mutant too: {reason}")
    return test


def main(*, only: Numbers = (), check: bool = False, out: Path | None = None) -> None:
    """Apply the mutants one at a time and print which test finds each.

    Args:
        only: numbers of the mutants to apply; by default all
        check: only check that every mutant can be applied and that its tests exist
        out: file of JSON lines, each with a mutant and its test; its mutants are not applied again
    """
    if check or problems():
        sys.exit("\n".join(problems()) or None)
    rows = out.read_text("utf-8").splitlines() if out and out.exists() else []
    tests: dict[str, str | None] = dict(map(json.loads, rows))
    mutants = read()
    if not mutants.keys() >= {*only}:
        sys.exit(f"--only takes numbers from 1 to {len(mutants)}")
    chosen = {number: mutants[number] for number in only or mutants}
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT, COPY, ignore=NOT_COPIED)
    for number, mutant in chosen.items():
        if (fault := mutant["fault"]) not in tests:
            tests[fault] = find(mutant)
            if out:
                with out.open("a", encoding="utf-8") as file:
                    print(json.dumps([fault, tests[fault]]), file=file)
        result = f"found by {tests[fault]}" if tests[fault] else "not found"
        print(f"{number} {mutant['file']}: {fault} {result}", flush=True)
    print(f"{sum(bool(tests[each['fault']]) for each in chosen.values())} of {len(chosen)} found")


if __name__ == "__main__":
    cyclopts.run(main)
