"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A stream for a file that gets its name only when the body has ended.

    Other processes never see a part of its content.

    Whatever goes wrong, what stood there before still does. Several processes may write the same
    file.

    Raises:
        OSError: the file cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
