"""The processors that this process may use."""

from __future__ import annotations

import os


def available_processors() -> int:
    """The number of processors that this process may use, at least 1.

    ``taskset`` and containers can limit a process to fewer than the machine has, which
    ``os.cpu_count`` ignores.
    """
    if hasattr(os, "process_cpu_count"):  # since Python 3.13; PYTHON_CPU_COUNT overrides it
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
