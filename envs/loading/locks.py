"""Locks for files and folders with one writer: the folder of a training run, a dataset, a book.

The lock is the operating system's. It ends with its process, also after a crash, so a stale lock
file has no effect, whatever its content. It works between all hosts that share the folder, if the
file system has locks, as NFS does; without them, nothing is locked.
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

LOCK = ".lock"  # the lock file in a folder; for a file it is .NAME.lock next to it


@contextlib.contextmanager
def locked(place: Path, activity: str) -> Iterator[None]:
    """Keep other processes and threads from writing this file or folder during the body.

    Args:
        place: a file to be written, or an existing folder.
        activity: what is done there, such as "made", for the text of the error.

    Raises:
        SpecificationError: another process or thread holds the lock.
    """
    real = Path(os.path.realpath(place))
    path = real / LOCK if real.is_dir() else real.with_name(f".{real.name}{LOCK}")
    holder = _holder(path)
    # everyone with write access to the folder may open it
    lock = FileLock(path, mode=0o666, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        holder = holder or _holder(path) or "another process"
        raise SpecificationError(f"{place} is being {activity} by {holder}") from None
    except (OSError, NotImplementedError):
        # no locks, or not writable: the write itself then reports it
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
    """The holder named in the lock file; empty if there is none."""
    try:
        return path.read_text(errors="replace")[:200]
    except OSError:
        return ""
