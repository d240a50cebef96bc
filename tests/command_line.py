"""The command line run inside the tests' process."""

from __future__ import annotations

import io
import os
import sys
from typing import NamedTuple
from unittest import mock

from plyground.cli import run


class Result(NamedTuple):
    """What a command printed, and its exit status."""

    exit_code: int
    stdout: str
    stderr: str
    output: str


def invoke(words, typed: str | None = None, **environment: str) -> Result:
    """Run the command line ``words``; ``typed`` is what a person types meanwhile."""
    streams = {
        name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        for name in ("stdout", "stderr")
    }
    streams["stdin"] = io.StringIO(typed or "")
    with mock.patch.multiple(sys, **streams), mock.patch.dict(os.environ, environment):
        code = run([str(word) for word in words])
    texts = [streams[name].buffer.getvalue().decode() for name in ("stdout", "stderr")]
    return Result(code, *texts, "".join(texts))


def plyground(*words, typed=None):
    """Run a command line given as one text or as words."""
    arguments = words[0].split() if len(words) == 1 else list(words)
    return invoke(arguments, typed)
