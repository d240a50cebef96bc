"""What one process makes is left alone by others, for as long as it lives."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pytest
from plyground import make_agent, make_game
from plyground.agents.book_writer import write_book
from plyground.envs.loading.locks import locked
from plyground.envs.specification import SpecificationError

HOLD = """
import sys
from pathlib import Path
from plyground.envs.loading.locks import locked
with locked(Path(sys.argv[1]), "made"):
    print("held", flush=True)
    sys.stdin.read()
"""
GAME = make_game("tic_tac_toe")


def write(out):
    write_book(out, GAME, make_agent("random", GAME), 1)


@pytest.fixture
def hold():
    """Lets another process hold the lock of a place."""
    processes = []

    def start(place):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(place)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        processes.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_what_another_process_makes_is_refused_until_it_is_killed(hold, tmp_path):
    out = tmp_path / "book"
    other = hold(out)
    by = f"{out} is being made by process {other.pid} on {socket.gethostname()} since 20"
    with pytest.raises(SpecificationError, match=re.escape(by)):
        write(out)
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert [path.name for path in tmp_path.iterdir()] == [".book.lock"]  # of the dead process
    write(out)
    assert [path.name for path in tmp_path.iterdir()] == ["book"]


def test_the_words_of_a_dead_process_bind_nobody_even_if_its_number_is_taken(tmp_path):
    (tmp_path / ".lock").write_text(f"process {os.getpid()} on {socket.gethostname()} since 1970")
    with locked(tmp_path, "trained"):
        assert "since 1970" not in (tmp_path / ".lock").read_text()
        complaint = f"is being trained by process {os.getpid()}"
        with pytest.raises(SpecificationError, match=complaint), locked(tmp_path / ".", "trained"):
            pytest.fail("two hold one lock")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_is_no_hindrance(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", flock)
    write(tmp_path / "book")
    assert (tmp_path / "book").exists()
