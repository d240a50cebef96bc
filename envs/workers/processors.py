"""The processors that this process may use."""

from __future__ import annotations

import os


def available_processors() -> int:
    """How many processors this process may use, 1 at least.

    ``taskset`` and containers leave a process fewer than the machine has, which ``os.cpu_count``
    does not notice.
    """
    if hasattr(os, "process_cpu_count"):  # since Python 3.13; PYTHON_CPU_COUNT overrides it
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
