"""Kills process groups when the process that started it ends, however sudden.

Run as a program. Its standard input is a pipe from the process that started it: a line with a
number names a group that is killed in the end, one with ``-`` before it a group that is not any
more. The end of the pipe is the end of that process.

It imports no more than it needs: every process that starts others has one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    """Read the groups; kill those that are left at the end."""
    # Schedulers send it to all processes at once, and what is left is killed nevertheless.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        number = int(line)
        if number > 0:
            groups.add(number)
        else:
            groups.discard(-number)
    kill = getattr(os, "killpg", os.kill)  # Windows has no groups, and SIGTERM kills there
    for group in groups:
        with contextlib.suppress(OSError):
            kill(group, getattr(signal, "SIGKILL", signal.SIGTERM))


if __name__ == "__main__":
    main()
