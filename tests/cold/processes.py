"""Command lines in processes of their own, which share nothing with the tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


class Outcome(NamedTuple):
    """How a command line ended; ``status`` is None where it was still running, and was stopped."""

    status: int | None
    stdout: str
    stderr: str


def run_alone(words: str | list[str], folder: Path, seconds: float) -> Outcome:
    """Run a program, or a line of a shell, in a folder; it is stopped after so many seconds.

    It has no terminal and no input.
    """
    process = subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", words] if isinstance(words, str) else words,
        cwd=folder,
        env=os.environ | {"PATH": PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        streams = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            streams = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            streams = process.communicate()
        return Outcome(None, *streams)
    return Outcome(process.returncode, *streams)
