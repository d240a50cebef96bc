"""A process uses the processors that it may use, not those that the machine has."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helpers import ROOT

WORKERS = """
from plyground.envs.workers.processors import available_processors
from plyground.envs.workers.jobs import JobPlace, Work
from plyground.extras.web.settings import ServerSettings
with JobPlace("processes").open(Work(int, int)) as jobs:
    print(available_processors(), jobs.count, ServerSettings().workers)
"""
# the load of a machine is shared by all its processors
OF_THE_MACHINE = {
    "extras/gomoku_engine/gomocup/clock.py",
    "benchmarks/extras/gomoku_engine/manager.py",
}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinities")
def test_a_process_on_one_processor_starts_one_worker_and_the_pages_one_more_for_short_searches():
    first = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(first), sys.executable, "-c", WORKERS]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["1", "1", "2"]


def test_nothing_else_counts_processors():
    folders = ("agents", "benchmarks", "commands", "envs", "evaluation", "extras", "training")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    counting = {
        path.relative_to(ROOT).as_posix() for path in files if "cpu_count" in path.read_text()
    }
    assert counting == OF_THE_MACHINE | {"envs/workers/processors.py"}
