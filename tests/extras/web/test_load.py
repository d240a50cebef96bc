"""Many visitors at once, as ``benchmarks/extras/web/load.py`` plays them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from helpers import ROOT

GROWTH_MIB = 10  # of the server and its processes, in the second half of the games


@pytest.mark.slow
def test_memory_stays_flat_and_every_move_is_answered():
    # an agent without a table: those of searches fill up over hundreds of games
    words = ["--sessions", "20", "--games", "200", "--pause", "0.1", "--agent", "greedy"]
    run = subprocess.run(
        [sys.executable, "benchmarks/extras/web/load.py", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["moves"] > 200
    memory = result["memory_mib"]
    # the processes that think load their agents, and begin anew, in the first half
    first_half = memory[: len(memory) // 2]
    assert memory[-1] - max(first_half) < GROWTH_MIB, memory
