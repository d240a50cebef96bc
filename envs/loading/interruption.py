"""Ctrl-C: a command ends within a second, training after the update that is under way.

Python hears of a signal only between two of its own instructions: a kernel or a library that works
for minutes keeps it waiting. In a command the system's handler writes to a socket at once, and a
thread reads it. Where the command has not ended by itself soon after, the thread ends the process.
Stores are written in transactions and files as a whole, so that nothing is lost by that.

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
from typing import Any, NoReturn

INTERRUPTED = 130  # the exit status of a command that Ctrl-C has ended
PATIENCE_SECONDS = 0.7  # in which a command tells how to go on
AGAIN_SECONDS = 0.05  # after which a Ctrl-C that was lost is given once more

_handled = threading.Event()
_delays: list[DelayedInterrupt] = []  # the innermost is the last


class DelayedInterrupt:
    """In its body the first Ctrl-C is only recorded; the second is a KeyboardInterrupt at once.

    Only the main thread can catch signals; elsewhere, and where a program ignores them, nothing is
    changed.

    Attributes:
        came: whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> DelayedInterrupt:
        if _catches_signals():
            self._before = signal.signal(signal.SIGINT, _handle)
            _delays.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            _delays.remove(self)
            signal.signal(signal.SIGINT, self._before)


class InterruptWatch:
    """In its body Ctrl-C does what it did before; it is only noted that it did.

    Attributes:
        came: whether Ctrl-C was pressed, and the handler has raised an error.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> InterruptWatch:
        if _catches_signals():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: object) -> None:
        try:
            self._before(number, frame)
        except BaseException:
            self.came = True
            raise


def _catches_signals() -> bool:
    """Whether this is the thread that hears of Ctrl-C, in a program that does not ignore it."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and callable(signal.getsignal(signal.SIGINT))


def answer_ctrl_c() -> None:
    """Watch for Ctrl-C from now on, in the main thread of a program."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, signal.SIG_DFL):
        return  # whoever started the program wants it otherwise
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _handle)
    sys.unraisablehook = _repeat_signal
    threading.Thread(target=_watch, args=(reading, writing), daemon=True).start()


def _handle(number: int, frame: object) -> None:
    """The handler of the signal; what a command does after it takes as long as it needs."""
    _handled.set()
    if _delays and not _delays[-1].came:
        _delays[-1].came = True
        return
    raise KeyboardInterrupt


def _repeat_signal(lost: sys.UnraisableHookArgs) -> None:
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
        if _handled.is_set():
            _handled.clear()
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
