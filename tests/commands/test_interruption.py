"""Ctrl-C and SIGTERM end a command that is somewhere deep in compiled code; who hears them ends by
itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX"),
]

PROGRAM = """
import ctypes, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numba
from plyground.envs.loading.interruption import answer_ctrl_c


@numba.njit(nogil=True)
def spin(limit):
    count = 0
    while count < limit:
        count += 2 if count % 3 else -1
    return count


def calls_back():
    # every error of a callback of C code is lost
    for _ in range(2):
        ctypes.CFUNCTYPE(None)(wait)()
    wait()


def wait():
    print("ready", flush=True)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass
    print("never heard", flush=True)


def sleep():
    try:
        print("ready", flush=True)
        time.sleep(1000)
    except KeyboardInterrupt:
        print("heard", flush=True)
        time.sleep(2)
        print("ended by itself", flush=True)
        sys.exit(7)


spin(-1)
answer_ctrl_c()
try:
    {what}
except KeyboardInterrupt:
    sys.exit(5)
"""


def interrupt(what: str, number: int = signal.SIGINT) -> tuple[int, str]:
    """Exit status and output of a program that gets a signal while it does this."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("{what}", what)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.5)  # until it is where the test wants it
        running.send_signal(number)
        output, _ = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
    return running.returncode, output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_kernel_that_never_ends_is_ended(number):
    what = 'print("ready", flush=True); spin(2**62)'
    assert interrupt(what, number) == (128 + number, "stopped\n")


def test_an_interrupt_that_is_lost_in_callbacks_is_given_again():
    status, output = interrupt("calls_back()")
    assert (status, set(output.split("\n"))) == (5, {"ready", ""})


def test_a_command_that_hears_it_ends_by_itself():
    assert interrupt("sleep()") == (7, "heard\nended by itself\n")


LOADING = """
import sys, time


class Slow:
    def find_spec(self, name, path, target=None):
        if name == "plyground.agents":
            print("loading", flush=True)
            time.sleep(60)


sys.meta_path.insert(0, Slow())
{program}
"""
COMMAND = "from plyground.cli import main; sys.argv = ['plyground', 'agents']; main()"


@pytest.mark.parametrize(
    ("program", "number", "status", "message"),
    [
        (COMMAND, signal.SIGINT, 130, "stopped\n"),
        (COMMAND, signal.SIGTERM, 143, "stopped\n"),
        # other programs keep Python's handler
        ("import plyground.agents", signal.SIGINT, -signal.SIGINT, "KeyboardInterrupt"),
    ],
)
def test_a_signal_while_a_command_is_loading_ends_it_without_a_trace(
    program, number, status, message
):
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING.replace("{program}", program)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "loading\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == status
    assert ("Traceback" in errors) == (status < 0)
    assert message in errors
