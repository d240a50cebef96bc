"""Kills process groups and removes folders when the process that made them ends or crashes.

Run as a program. Its standard input is a pipe from that process: a line ``kill NUMBER`` names a
group, ``remove PATH`` a folder; a line ``forget LINE`` takes that back. The end of the pipe is the
end of that process.

It imports as little as possible: every process that starts others has one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    """Read the tasks; do the remaining ones at the end."""
    # Schedulers send it to all processes at once; the remaining tasks must still be done.
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
