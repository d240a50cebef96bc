"""The standard error of worker processes: passed on up to a limit."""

from __future__ import annotations

import contextlib
import os
import threading

from ..loading.texts import visible

PASSED_ON = 256 << 10  # bytes that are passed on immediately
LAST_PART = 8 << 10  # bytes that are kept from the end of the rest
CLOSING_SECONDS = 1.0  # time to read the output of an ended process


class ErrorOutput:
    """The standard error of a sequence of processes.

    Agents are untrusted: non-printable characters are passed on as Python escape sequences. The
        first bytes are passed on to the standard error of this process at once. The last part of
        the rest follows when the process that has written it has ended.

    Args:
        passed_on: the number of bytes passed on at once, of all processes together.
    """

    def __init__(self, passed_on: int = PASSED_ON) -> None:
        self._left = passed_on
        self._reader: threading.Thread | None = None

    def open(self) -> int:
        """The descriptor for the output of a new process; the caller closes it."""
        reading, writing = os.pipe()
        self._reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._reader.start()
        return writing

    def close(self) -> None:
        """Pass on the rest of the output of an ended process."""
        if self._reader is not None:
            self._reader.join(CLOSING_SECONDS)  # one of its descendants may still be writing
            self._reader = None

    def _read(self, reading: int) -> None:
        last, left_out = b"", 0
        while data := os.read(reading, 1 << 16):
            _write(data[: self._left])
            rest = data[self._left :]
            self._left -= len(data) - len(rest)
            left_out += len(rest)
            last = (last + rest)[-LAST_PART:]
        os.close(reading)
        if left_out:
            cut = left_out - len(last)
            _write(f"\n[… {cut} bytes of an agent's standard error left out …]\n".encode() + last)


def _write(text: bytes) -> None:
    data = visible(text.decode(errors="backslashreplace")).encode()
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(2, data) :]
