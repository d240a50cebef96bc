"""Ctrl-C is answered within a second, whatever the command is doing.

Python hears of a signal only between two of its own instructions: a kernel or a library that works
for minutes keeps it waiting. The system's handler writes to a socket at once, and a thread reads
it. Where the command has not ended by itself soon after, the thread ends the process. Stores are
written in transactions and files as a whole, so that nothing is lost by that.

Some code cannot pass on the error that a Ctrl-C becomes: finalisers, and callbacks of C libraries,
which numba's compiler has. Python tells of it and goes on; the Ctrl-C is then given once more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from typing import NoReturn

from ..app import INTERRUPTED

PATIENCE_SECONDS = 0.7  # in which a command tells how to go on
AGAIN_SECONDS = 0.05  # after which a Ctrl-C that was lost is given once more

_heard = threading.Event()


def answer_ctrl_c() -> None:
    """Watch for Ctrl-C from now on, in the main thread of a program."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, signal.SIG_DFL):
        return  # whoever started the program wants it otherwise
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _hear)
    sys.unraisablehook = _give_again
    threading.Thread(target=_watch, args=(reading, writing), daemon=True).start()


def _hear(number: int, frame: object) -> None:
    """Python's own handler; what the command does after it takes as long as it needs."""
    _heard.set()
    raise KeyboardInterrupt


def _give_again(lost: sys.UnraisableHookArgs) -> None:
    """Give a Ctrl-C once more whose error could not be passed on; tell of other errors."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def _watch(reading: socket.socket, writing: socket.socket) -> None:
    """End the process where a Ctrl-C is not heard."""
    while True:
        try:
            received = reading.recv(1)
        except OSError:
            return
        if received != bytes([signal.SIGINT]):
            continue
        time.sleep(PATIENCE_SECONDS)
        if _heard.is_set():
            _heard.clear()
            continue
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("stopped\n")
        leave_at_once(INTERRUPTED)


def leave_at_once(status: int) -> NoReturn:
    """End the process without waiting for its threads."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
