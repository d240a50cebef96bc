"""The command line run inside the tests' process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple
from unittest import mock

import pexpect
import pytest
from plyground.commands.app import run
from plyground.envs.compiled.kernels import without_announcements

ANSWER_SECONDS = 120  # so long a program at a pseudo-terminal may take, compilation included
WIDTH = 500  # of the terminal, in which no sentence is wrapped


class Result(NamedTuple):
    """What a command printed, and its exit status."""

    exit_code: int
    stdout: str
    stderr: str
    output: str


def invoke(words, stdin: str | None = None, **environment: str) -> Result:
    """Run the command line ``words``; ``stdin`` is what a person types meanwhile.

    Lines are of 80 columns and without colours where the environment says nothing else. Compilation
    is not announced: how long it takes depends on the machine.
    """
    environment = {"COLUMNS": "80", "NO_COLOR": "1"} | environment
    streams = {
        name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        for name in ("stdout", "stderr")
    }
    streams["stdin"] = io.StringIO(stdin or "")
    with (
        mock.patch.multiple(sys, **streams),
        mock.patch.dict(os.environ, environment),
        without_announcements(),
    ):
        code = run([str(word) for word in words])
    texts = [streams[name].buffer.getvalue().decode() for name in ("stdout", "stderr")]
    return Result(code, *texts, "".join(texts))


def plyground(*words, stdin=None):
    """Run a command line given as one text or as words."""
    arguments = words[0].split() if len(words) == 1 else list(words)
    return invoke(arguments, stdin)


def done(*words, stdin: str | None = None, **environment: str) -> Result:
    """What a command line that succeeds prints."""
    arguments = words[0].split() if len(words) == 1 else words
    result = invoke(arguments, stdin, **environment)
    assert result.exit_code == 0, result.output
    return result


def refused(*words) -> str:
    """The one sentence that a command line gets which is not possible."""
    result = plyground(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output[:2000]
    assert result.stderr.startswith("plyground: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert len(result.stderr) < 1100
    return result.stderr


def plyground_json(line):
    """What a command line that succeeds prints with ``--json``."""
    return json.loads(done(f"{line} --json").stdout)


class AtTerminal:
    """A command line in a process of its own, at a pseudo-terminal."""

    def __init__(self, words) -> None:
        program = [sys.executable, "-m", "plyground.cli", *map(str, words)]
        self.process = pexpect.spawn(
            program[0],
            program[1:],
            env=os.environ | {"TERM": "xterm", "COLUMNS": str(WIDTH)},
            encoding="utf-8",
            timeout=ANSWER_SECONDS,
            dimensions=(50, WIDTH),
            echo=False,
        )

    def see(self, text: str) -> str:
        """Wait for a text; returns what came before it, without colours."""
        self.process.expect_exact(text)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.process.before)

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        self.process.sendline(line)

    def ask(self, line: str, prompt: str) -> str:
        """Type a line and wait for the next prompt; returns what came between."""
        self.type(line)
        return self.see(prompt)

    def wait(self) -> int:
        """Wait for the end of the program; returns its exit status."""
        self.process.expect(pexpect.EOF)
        self.process.wait()
        return self.process.exitstatus


@contextlib.contextmanager
def at_terminal(*words) -> Iterator[AtTerminal]:
    """Run a command line at a pseudo-terminal; it is ended with the body."""
    if os.name == "nt":
        pytest.skip("Windows has no pseudo-terminals")
    running = AtTerminal(words)
    try:
        yield running
    finally:
        running.process.close(force=True)
