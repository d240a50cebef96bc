"""Kills process groups and removes folders when the process that made them ends, however sudden.

Run as a program. Its standard input is a pipe from that process: a line ``kill NUMBER`` names a
group, ``remove PATH`` a folder; a line ``forget LINE`` takes that back. The end of the pipe is the
end of that process.

It imports no more than it needs: every process that starts others has one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    """Read what is to be done; do what is left at the end."""
    # Schedulers send it to all processes at once, and what is left is done nevertheless.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: dict[str, None] = {}
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "forget":
            tasks.pop(rest, None)
        else:
            tasks[f"{word} {rest}"] = None
    kill = getattr(os, "killpg", os.kill)  # Windows has no groups, and SIGTERM kills there
    for task in tasks:
        word, _, rest = task.partition(" ")
        if word == "remove":
            import shutil

            shutil.rmtree(rest, ignore_errors=True)
            continue
        with contextlib.suppress(OSError):
            kill(int(rest), getattr(signal, "SIGKILL", signal.SIGTERM))


if __name__ == "__main__":
    main()
