"""What plyground does where Windows or macOS lack something, emulated on this system.

Modules and functions that a system does not have are taken away before plyground is imported.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import ROOT
from plyground.envs import SpecificationError
from plyground.envs.compiled.cache import cache_root
from plyground.envs.workers import process

pytestmark = pytest.mark.thorough

# What the documentation of Python says is not there.
MISSING = {
    "windows": {
        "modules": ("fcntl", "termios", "pwd", "grp", "pty", "tty", "readline"),
        "os": ("fork", "forkpty", "killpg", "getuid", "register_at_fork", "sched_getaffinity"),
        "select": ("poll", "epoll"),
        "signal": ("SIGKILL", "SIGSTOP", "SIGCONT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM"),
    },
    "macos": {
        "modules": ("epoll",),
        "os": ("sched_getaffinity", "sched_setaffinity", "pidfd_open"),
        "select": ("epoll",),
        "signal": ("SIGPWR", "SIGSTKFLT", "SIGRTMIN"),
    },
}
PREAMBLE = """
import os, select, signal, sys
missing = {missing!r}
for name in missing.pop("modules"):
    sys.modules[name] = None
for module, names in missing.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
from plyground import cli
sys.argv = ["plyground", *{words!r}]
cli.main()
"""
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def run_without(system: str, *words: str, text: str = "") -> subprocess.CompletedProcess:
    """The command line in a process of its own, without what the system lacks."""
    code = PREAMBLE.format(missing=dict(MISSING[system]), words=words)
    return subprocess.run(
        [sys.executable, "-c", code],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("system", MISSING)
def test_a_tournament_is_played_and_reported(system):
    words = ("tournament", "tic_tac_toe", "random", "greedy", "--pairs", "2", "--store", "a.db")
    result = run_without(system, *words)
    assert (result.returncode, "greedy" in result.stdout) == (0, True), result.stderr
    assert "first" in run_without(system, "report", "a.db").stdout


@pytest.mark.parametrize("system", MISSING)
@pytest.mark.parametrize("words", ["play tic_tac_toe --against random"])
def test_a_person_plays_from_a_pipe(system, words):
    result = run_without(system, *words.split(), text="b2\nquit\n")
    assert "Traceback" not in result.stderr
    assert re.search(r"^ 2 .*X", result.stdout, re.MULTILINE), result.stdout + result.stderr


def test_windows_is_told_that_processes_of_agents_need_another_system(monkeypatch):
    monkeypatch.setattr(process, "os", SimpleNamespace(name="nt"))
    with pytest.raises(SpecificationError, match="--isolate never and --runner local"):
        process.WorkerProcess("plyground.evaluation.runners.agent_worker")


def names() -> list[str]:
    """Tracked files, and those of the folder of machine code."""
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    made = [path.relative_to(cache_root()).as_posix() for path in cache_root().rglob("*")]
    return [*tracked, *made]


def test_names_of_files_are_possible_on_every_system():
    parts = {part for name in names() for part in Path(name).parts}
    assert len(parts) > 100
    bad = [p for p in parts if re.search(r'[<>:"|?*\\]|[ .]$', p) or RESERVED.fullmatch(p)]
    assert bad == []


def test_no_two_files_differ_in_capitals_alone():
    counts = Counter(name.lower() for name in set(names()))
    assert [name for name, count in counts.items() if count > 1] == []
