"""Ctrl-C: a command ends within a second, training after the update that is under way.

SIGTERM, which schedulers of clusters send before they kill, is answered as Ctrl-C is; only the exit
status differs.

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

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The exit statuses of a command that Ctrl-C has ended, and of one that SIGTERM has ended.
INTERRUPTED, TERMINATED = (128 + number for number in SIGNALS)
PATIENCE_SECONDS = 0.7  # in which a command tells how to go on
AGAIN_SECONDS = 0.05  # after which a Ctrl-C that was lost is given once more

_handled = threading.Event()
_newest: int = signal.SIGINT  # of these signals
_delays: list[DelayedInterrupt] = []  # the innermost is the last


class DelayedInterrupt:
    """In its body the first Ctrl-C or SIGTERM is only recorded; the second is a KeyboardInterrupt.

    Only the main thread can catch signals; elsewhere, and where a program ignores them, nothing is
    changed.

    Attributes:
        came: whether one of these signals came.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> DelayedInterrupt:
        self._before = _replace_handlers(_handle, with_defaults=True)
        if self._before:
            _delays.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before:
            _delays.remove(self)
        _restore_handlers(self._before)


class InterruptWatch:
    """In its body Ctrl-C and SIGTERM do what they did before; it is only noted that they did.

    Attributes:
        came: whether one of these signals came, and the handler has raised an error.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> InterruptWatch:
        self._before = _replace_handlers(self._handle, with_defaults=False)
        return self

    def __exit__(self, *error: object) -> None:
        _restore_handlers(self._before)

    def _handle(self, number: int, frame: object) -> None:
        try:
            self._before[number](number, frame)
        except BaseException:
            self.came = True
            raise


def _replace_handlers(handler: Any, with_defaults: bool) -> dict[int, Any]:
    """Let this thread hear of the signals, but of those that the program ignores.

    Args:
        handler: the new one.
        with_defaults: whether it also takes the place of the system's.

    Returns:
        The handlers before, by the signals that have the new one.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    before = {number: signal.getsignal(number) for number in SIGNALS}
    return {
        number: signal.signal(number, handler)
        for number, old in before.items()
        if callable(old) or (with_defaults and old == signal.SIG_DFL)
    }


def _restore_handlers(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def answer_ctrl_c() -> None:
    """Watch for Ctrl-C and SIGTERM from now on, in the main thread of a program."""
    if threading.current_thread() is not threading.main_thread():
        return
    usual = (signal.default_int_handler, signal.SIG_DFL)
    # others are as whoever started the program wants them
    numbers = [number for number in SIGNALS if signal.getsignal(number) in usual]
    if not numbers:
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, _handle)
    sys.unraisablehook = _repeat_signal
    threading.Thread(target=_watch, args=(reading, writing), daemon=True).start()


def interrupt_status() -> int:
    """The exit status of a command that the newest of these signals has ended."""
    return 128 + _newest


def _handle(number: int, frame: object) -> None:
    """The handler of the signals; what a command does after them takes as long as it needs."""
    global _newest
    _newest = number
    _handled.set()
    if _delays and not _delays[-1].came:
        _delays[-1].came = True
        return
    raise KeyboardInterrupt


def _repeat_signal(lost: sys.UnraisableHookArgs) -> None:
    """Give a signal once more whose error could not be passed on; tell of other errors."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), _newest))
    again.daemon = True
    again.start()


def _watch(reading: socket.socket, writing: socket.socket) -> None:
    """End the process where a signal is not heard."""
    while True:
        try:
            received = reading.recv(1)
        except OSError:
            return
        if not received or received[0] not in SIGNALS:
            continue
        time.sleep(PATIENCE_SECONDS)
        if _handled.is_set():
            _handled.clear()
            continue
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("stopped\n")
        leave_at_once(128 + received[0])


def leave_at_once(status: int) -> NoReturn:
    """End the process without waiting for its threads."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
