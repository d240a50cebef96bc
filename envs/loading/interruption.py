"""Ctrl-C: a command ends within a second, training after the current update.

SIGTERM, which cluster schedulers send before they kill, is handled like Ctrl-C; only the exit
status differs.

Python handles a signal only between its own instructions: a kernel or a library that runs for
minutes delays it. In a command the system's handler writes to a socket at once, and a thread reads
it. If the command does not end by itself soon after, the thread ends the process. Stores are
written in transactions and files atomically, so that nothing is lost.

Some code cannot propagate the exception of a Ctrl-C: finalisers, and callbacks of C libraries, as
in numba's compiler. Python reports it and continues; the Ctrl-C is then sent again.
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
# The exit statuses of a command ended by Ctrl-C and by SIGTERM.
INTERRUPTED, TERMINATED = (128 + number for number in SIGNALS)
PATIENCE_SECONDS = 0.7  # time for a command to say how to resume
AGAIN_SECONDS = 0.05  # delay after which a lost Ctrl-C is sent again

_handled = threading.Event()
_newest: int = signal.SIGINT  # of these signals
_delays: list[DelayedInterrupt] = []  # the innermost is the last


class DelayedInterrupt:
    """In its body the first Ctrl-C or SIGTERM is only recorded; the second is a KeyboardInterrupt.

    Only the main thread can catch signals; in other threads, and if a program ignores them, nothing
    changes.

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
    """In its body Ctrl-C and SIGTERM work as before, and are recorded.

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
    """Handle the signals in this thread, except those that the program ignores.

    Args:
        handler: the new handler.
        with_defaults: whether it also replaces the system's handlers.

    Returns:
        The previous handlers, by signal.
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
    # other handlers are set by the caller of the program
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
    """The exit status of a command ended by the latest of these signals."""
    return 128 + _newest


def _handle(number: int, frame: object) -> None:
    """The handler of the signals; the cleanup of a command takes as long as it needs."""
    global _newest
    _newest = number
    _handled.set()
    if _delays and not _delays[-1].came:
        _delays[-1].came = True
        return
    raise KeyboardInterrupt


def _repeat_signal(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again if its exception could not propagate; report other errors."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), _newest))
    again.daemon = True
    again.start()


def _watch(reading: socket.socket, writing: socket.socket) -> None:
    """End the process if a signal is not handled."""
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
