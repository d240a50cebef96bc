"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

LARGEST_FILE = 1 << 30  # bytes, of a file that is read as a whole


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A stream for a file that appears under its name only at the end of the body.

    Other processes never see partial content.

    On failure the old file stays. Several processes may write the same file. A link stays a link:
    its target is written. A pipe or a device is never replaced: the content streams into it.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(os.path.realpath(path))  # also for a link to a missing file
    kind = _kind(target)
    if kind is not None and stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if kind is not None and not stat.S_ISREG(kind):
        with target.open("wb") as stream:
            yield stream
        return
    descriptor, name = tempfile.mkstemp(".part", ".plyground-", target.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fchmod(stream.fileno(), _permissions(kind))
            os.fsync(stream.fileno())
        unfinished.replace(target)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def read_file(path: Path, most: int = LARGEST_FILE) -> bytes:
    """The content of a regular file or a pipe, up to a maximum size.

    Raises:
        OSError: it cannot be read, is a device, or is longer than ``most`` bytes.
    """
    kind = path.stat().st_mode
    if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
        raise OSError(errno.EINVAL, "it is a device, and no file", str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return content


def refuse_special_file(path: Path) -> None:
    """OSError if something other than a regular file is there."""
    kind = _kind(Path(os.path.realpath(path)))
    if kind is not None and not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
        raise OSError(errno.EINVAL, f"it is {what}, and no file", str(path))


def _kind(path: Path) -> int | None:
    """The kind and the permissions of the existing file; None if there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _permissions(kind: int | None) -> int:
    """The permissions of a new file, or of the file that it replaces."""
    if kind is not None:
        return stat.S_IMODE(kind)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
