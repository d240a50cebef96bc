"""Random graphs, most of them wrong: the kernel computes what onnxruntime does, or is not asked."""

from __future__ import annotations

import collections
import json
import subprocess
import sys
from pathlib import Path

import pytest
from broken import graphs

AT_ONCE = 250  # graphs of a process


def judgements(first, last):
    """What a process of its own finds of the graphs; one that it does not survive fails the test.

    It ends itself where a graph takes more than ``graphs.MOST_SECONDS`` of the processor.
    """
    script = Path(graphs.__file__)
    command = [sys.executable, str(script), str(first), str(last)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in process.stdout.splitlines() if line.startswith("{")]
    assert process.returncode == 0, f"graph {first + len(lines)}: {process.stderr[-2000:]}"
    assert len(lines) == last - first
    return [json.loads(line) for line in lines]


def outcome(judgement):
    """How a graph fared; the test fails where that is not how onnxruntime says."""
    own, other, checker = (judgement[name] for name in ("own", "other", "checker"))
    if not own:
        assert not other, judgement
        assert judgement["difference"] <= graphs.MOST, judgement
        return judgement["evaluator"]
    assert "\n" not in own
    if " is not played: " in own:
        return "bounds"
    assert other or checker, judgement  # onnxruntime alone evaluates some that are no valid ONNX
    return "refused"


def outcomes(first, last):
    counts = collections.Counter()
    for start in range(first, last, AT_ONCE):
        counts.update(map(outcome, judgements(start, min(start + AT_ONCE, last))))
    print(dict(counts))
    return counts


def test_the_kernel_plays_random_graphs_as_onnxruntime_does_or_refuses_them_too():
    assert {"compiled", "bounds", "refused"} <= outcomes(0, 60).keys()


@pytest.mark.slow
def test_the_kernel_plays_many_random_graphs_as_onnxruntime_does_or_refuses_them_too():
    counts = outcomes(0, 2000)
    assert min(counts["compiled"], counts["refused"]) > 400
