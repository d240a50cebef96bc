"""Worker processes, connected by a socket.

They are spawned, never forked: neither threads nor numba survive a fork.

A worker ends when it is killed, when the socket is closed, and when its parent process ends in any
way: see :mod:`.children`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection

import psutil

from ..compiled import kernels
from ..specification import SpecificationError
from .children import ChildProcess, exit_text, orphan_check
from .error_output import ErrorOutput

EXIT_SECONDS = 2.0  # time to exit after the socket is closed
LARGEST_MESSAGE = 2**30
LARGEST_READ = 1 << 20
HEADER = struct.Struct("!i")  # the length before every message, as written by Connection


class WorkerDeath(Exception):
    """A worker has ended or closed its socket; the message follows its name."""


class WorkerProcess:
    """A Python process that runs ``serve(connection)`` of a module of this package.

    Args:
        module: the module's full name.
        errors: where its standard output and error go; by default a separate one.
    """

    def __init__(self, module: str, errors: ErrorOutput | None = None) -> None:
        if os.name != "posix":
            raise SpecificationError(
                "worker processes need Linux or macOS; play with --isolate never and --runner local"
            )
        ours, theirs = socket.socketpair()
        with theirs:
            start = (
                f"{orphan_check()}; import sys; sys.path[:] = {sys.path!r}; "
                f"from {__name__} import run; run({module!r}, {theirs.fileno()})"
            )
            self._errors = errors or ErrorOutput()
            output = self._errors.open()
            try:
                self._process = ChildProcess(
                    [sys.executable, "-c", start],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=[theirs.fileno()],
                )
            finally:
                os.close(output)
        self._closing = threading.Lock()
        self.connection: Connection = Connection(ours.detach())
        self._frame = bytearray()  # the received part of the next message
        self._missing = HEADER.size  # missing bytes of the current part, the length or the content
        self._length: int | None = None  # length of the next message's content, once known
        self._ended = False
        self._poll = select.poll()
        self._poll.register(self.connection.fileno(), select.POLLIN)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: bytes) -> None:
        """Send a message; WorkerDeath if it cannot be delivered."""
        try:
            self.connection.send_bytes(message)
        except OSError:
            raise self._death() from None

    def wait_for_message(self, seconds: float) -> bool:
        """Wait for a message or the end of the worker (True), or until the time is over (False).

        A partial message does not count: a worker that never sends the rest cannot block this end.
        """
        deadline = time.perf_counter() + max(seconds, 0.0)
        while not (self._ended or self._complete):
            left = max(deadline - time.perf_counter(), 0.0)
            if not self._poll.poll(left * 1e3):
                return False
            self._read_more()
        return True

    def receive(self) -> bytes:
        """The next message; WorkerDeath if there is none and the worker has ended."""
        while not (self._ended or self._complete):
            self._read_more()
        if self._ended:
            raise self._death()
        message = bytes(self._frame)
        self._frame, self._missing, self._length = bytearray(), HEADER.size, None
        return message

    @property
    def _complete(self) -> bool:
        return self._length is not None and not self._missing

    def _read_more(self) -> None:
        """Read the received part of the next message, and nothing after it."""
        try:
            data = os.read(self.connection.fileno(), min(self._missing, LARGEST_READ))
        except OSError:
            data = b""
        self._frame += data
        self._missing -= len(data)
        self._ended = not data
        if data and not self._missing and self._length is None:
            (self._length,) = HEADER.unpack(self._frame)
            self._ended = not 0 <= self._length <= LARGEST_MESSAGE  # not a valid message
            self._frame, self._missing = bytearray(), self._length

    def memory(self, proportional: bool = False) -> int:
        """Bytes of resident memory of the process and all its descendants.

        Shared pages count several times; ``proportional`` divides them by the number of processes,
        which takes milliseconds, if the system supports it.
        """
        total = 0
        for process in self._processes():
            with contextlib.suppress(psutil.Error):
                memory = process.memory_full_info() if proportional else process.memory_info()
                total += getattr(memory, "pss", memory.rss)
        return total

    def processor_seconds(self) -> float:
        """The CPU time of the process and all its descendants."""
        total = 0.0
        for process in self._processes():
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system
                if process.pid == self.pid:
                    total += times.children_user + times.children_system  # of the ended ones
        return total

    def _processes(self) -> list[psutil.Process]:
        """The process and its running descendants."""
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            return [process, *process.children(recursive=True)]
        return []

    def pause(self) -> None:
        """Stop the process and the descendants in its group, until :meth:`resume`."""
        self._signal_group(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume them."""
        self._signal_group(signal.SIGCONT)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def interrupt(self) -> None:
        """Send the process the signal of Ctrl-C."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGINT)

    def _death(self) -> WorkerDeath:
        try:
            status = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return WorkerDeath("closed the connection to the match")
        return WorkerDeath(exit_text(status))

    def kill(self) -> None:
        """Kill the process and all its descendants."""
        self._process.kill_all()
        with self._closing:  # a reading thread may see the death while another one kills
            self.connection.close()
            self._errors.close()


def run(module: str, descriptor: int) -> None:
    """Run a new worker.

    Its standard output and error go to the :class:`.ErrorOutput` of its parent.
    """
    # Schedulers send it to all processes at once; this one ends with its parent, which is not a
    # reason for a forfeit. Programs that agents start have the usual handler.
    signal.signal(signal.SIGTERM, lambda *_: None)
    # every process compiles the same code: one notice is enough
    kernels.ANNOUNCE_AFTER_SECONDS = 3600.0
    os.set_inheritable(descriptor, False)  # programs started by an agent do not inherit it
    serve = importlib.import_module(module).serve
    with contextlib.suppress(EOFError, OSError):  # the other end is closed
        connection = Connection(descriptor)
        os.register_at_fork(after_in_child=connection.close)  # nor do forked processes
        serve(connection)
