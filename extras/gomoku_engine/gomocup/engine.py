"""An engine of the Gomocup protocol in a separate process: lines to it, and its answers."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Sequence

from ....agents.faults import EXITED, HUNG, NO_ACTION, Fault
from ....envs.workers.children import ChildProcess, exit_text
from .protocol import plain_line

END_SECONDS = 0.2  # for an engine to end after END
STATUS_SECONDS = 2.0  # to learn an engine's exit status
LONGEST_LINE = 1 << 16  # bytes
REMARKS = ("MESSAGE", "DEBUG")  # lines that are not answers


class Engine:
    """A running engine. All methods raise Fault if it fails.

    However this process ends, the engine and its children end as well. No shell is involved.

    Args:
        command: the program, by its full path, and its arguments.
        folder: its working directory, or None for the current directory.
    """

    def __init__(self, command: Sequence[str], folder: str | None = None) -> None:
        self._process = ChildProcess(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=folder
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._buffer = b""
        self._last_line = "nothing"  # the last line sent, for error messages

    def tell(self, *lines: str) -> None:
        """Send lines that have no answer."""
        self._last_line = lines[-1]
        data = "".join(f"{line}\r\n" for line in lines).encode("ascii", "replace")
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except BlockingIOError:
            raise Fault(HUNG, "hung: its engine does not read its input") from None
        except OSError:
            raise self._exit_fault() from None

    def ask(self, *lines: str, seconds: float) -> str:
        """Send lines; returns the answer, which comes within ``seconds`` or is a fault.

        Remarks are skipped.
        """
        began = time.monotonic()
        self._buffer = b""  # unrequested earlier output
        self.tell(*lines)
        while True:
            answer = self._line(began, seconds)
            if answer and answer.split()[0].upper() not in REMARKS:
                return answer

    def close(self) -> None:
        """End the engine: by END, then by killing it and its children."""
        with contextlib.suppress(Fault):
            self.tell("END")
        with contextlib.suppress(OSError):
            os.set_blocking(self._input, True)
            assert self._process.stdin is not None
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._process.kill_all()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _line(self, began: float, seconds: float) -> str:
        """The next line, without its end."""
        while True:
            for number, byte in enumerate(self._buffer):
                if byte in b"\r\n":
                    line, self._buffer = self._buffer[:number], self._buffer[number + 1 :]
                    return plain_line(line.decode("utf-8", "replace"))
            if len(self._buffer) > LONGEST_LINE:
                raise Fault(NO_ACTION, "wrote a line that does not end")
            left = began + seconds - time.monotonic()
            if left <= 0 or not self._poll.poll(left * 1e3):
                raise Fault(
                    HUNG,
                    f"hung: its engine did not answer {self._last_line} within {seconds:.3g} s",
                )
            data = os.read(self._output, LONGEST_LINE)
            if not data:
                raise self._exit_fault()
            self._buffer += data

    def _exit_fault(self) -> Fault:
        """The fault of an engine that ended or closed its output."""
        try:
            how = exit_text(self._process.wait(STATUS_SECONDS))
        except subprocess.TimeoutExpired:
            how = "closed its output"
        return Fault(EXITED, f"has no engine any more: it {how}")
