"""Locks on what one process makes at a time: the folder of a training run, a dataset, a book.

The lock is the operating system's. It ends with its process, however that ends, so a lock that was
left behind binds nobody, whatever its file says and whose number the process has. It holds between
all hosts that share the folder, where the file system has locks, as NFS does; where it has none,
nothing is locked.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from ..specification import SpecificationError

LOCK = ".lock"  # the name of the lock's file in a folder; beside a file it is .NAME.lock


@contextlib.contextmanager
def locked(place: Path, activity: str) -> Iterator[None]:
    """Let no other process, and no other thread, do the same at this place during the body.

    Args:
        place: a file that is to be written, or a folder that exists.
        activity: what is done there, such as "made", for the text of the error.

    Raises:
        SpecificationError: another one is at it.
    """
    real = Path(os.path.realpath(place))
    path = real / LOCK if real.is_dir() else real.with_name(f".{real.name}{LOCK}")
    holder = _holder(path)
    # whoever may write into the folder may open it
    lock = FileLock(path, mode=0o666, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        holder = holder or _holder(path) or "another process"
        raise SpecificationError(f"{place} is being {activity} by {holder}") from None
    except (OSError, NotImplementedError):
        # no locks there, or nothing can be written: then what is made says so
        yield
        return
    try:
        since = time.strftime("%Y-%m-%d %H:%M:%S %Z")
        with contextlib.suppress(OSError):
            path.write_text(f"process {os.getpid()} on {socket.gethostname()} since {since}")
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        lock.release()


def _holder(path: Path) -> str:
    """Who wrote the lock's file; empty where nobody did."""
    try:
        return path.read_text(errors="replace")[:200]
    except OSError:
        return ""
