"""Child processes and temporary folders, which must not outlive this process.

plyground starts programs only here.

A child has its own session: Ctrl-C in the terminal does not reach it, and its descendants are
killed with it. It ends with the process that started it, even after a crash: a
:mod:`~plyground.envs.workers.reaper` waits for it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

REAPER = Path(__file__).with_name("reaper.py")


class ChildProcess(subprocess.Popen[Any]):
    """A program that ends with this process.

    Args:
        command: the program and its arguments.
        options: the options of :class:`subprocess.Popen`.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        with _reaper.started():
            super().__init__(command, start_new_session=True, **options)
            _reaper.watch(f"kill {self.pid}")

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the program; returns its exit status."""
        status = super().wait(timeout)
        _reaper.forget(f"kill {self.pid}")
        return status

    def kill_all(self) -> None:
        """Kill the program and all its descendants, and wait for its end."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self.kill()
        self.wait()


def orphan_check() -> str:
    """The first statement of a Python child, which ends it if it is already an orphan."""
    return f"import os; os.getppid() == {os.getpid()} or os._exit(1)"


def exit_text(status: int) -> str:
    """How a program has ended, in words after its name: ``was killed by signal 9 (SIGKILL)``."""
    if status < 0:
        return f"was killed by signal {-status} ({signal.Signals(-status).name})"
    return f"ended its process with exit status {status}"


def temporary_folder(owner: object) -> Path:
    """A new folder, removed when ``owner`` is gone or this process ends, even after a crash."""
    with _reaper.started():
        folder = tempfile.mkdtemp(prefix="plyground-")
        _reaper.watch(f"remove {folder}")
    weakref.finalize(owner, _remove, folder, os.getpid())
    return Path(folder)


def _remove(folder: str, maker: int) -> None:
    if os.getpid() == maker:  # a forked process does not own it
        shutil.rmtree(folder, ignore_errors=True)
        _reaper.forget(f"remove {folder}")


class _Reaper:
    """The program that cleans up after the end of this process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may run in between
        self._tasks: set[str] = set()
        self._starting = 0
        self._process: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def started(self) -> Iterator[None]:
        """It waits for the end of this process."""
        with self._lock:
            self._starting += 1
            try:
                if self._process is None:
                    self._process = subprocess.Popen(
                        [sys.executable, "-IS", str(REAPER)],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                        bufsize=0,
                    )
                yield
            finally:
                self._starting -= 1
                self._end_without_tasks()

    def watch(self, task: str) -> None:
        """Register a task for the end of this process; within :meth:`started`."""
        self._tasks.add(task)
        self._write(task)

    def forget(self, task: str) -> None:
        """Remove a task that is done."""
        with self._lock:
            if task in self._tasks:
                self._tasks.remove(task)
                self._write(f"forget {task}")
                self._end_without_tasks()

    def _write(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it was killed
            self._process.stdin.write(f"{line}\n".encode())

    def _end_without_tasks(self) -> None:
        if self._process is not None and not self._tasks and not self._starting:
            self.close_pipe()
            self._process.wait()
            self._process = None

    def close_pipe(self) -> None:
        """End the program, unless another process holds the pipe."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()


_reaper = _Reaper()


def _leave_children() -> None:
    """In a forked process: it does not own the children."""
    global _reaper
    _reaper.close_pipe()
    _reaper = _Reaper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_children)
