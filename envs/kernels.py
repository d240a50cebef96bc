"""Compilation: the one decorator that turns a Python function into a cached machine-code kernel.

Everything compiled in plyground goes through :func:`kernel`. numba's own disk cache notices edits of the file a kernel stands
in, but not of the files it calls into, so a changed rule would go on playing as before. The cache therefore lives in a
folder named by a hash of all package sources, the numba version and the flags that change the machine code: another
source, another folder. Folders nobody used for thirty days are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba.core.caching import NullCache

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
UNUSED_SECONDS = 30 * 24 * 3600
ANNOUNCE_AFTER_SECONDS = 1.0
_MARKER = "last_used"

_dispatchers: list[Any] = []
_package_sources = tuple(sorted(path for folder in ("envs", "agents") for path in (PACKAGE / folder).rglob("*.py")))
_foreign_sources: set[Path] = set()


def source_fingerprint() -> str:
    """A hash of everything the machine code depends on: sources, numba, numpy, debug flags."""
    digest = hashlib.sha256()
    for path in (*_package_sources, *sorted(_foreign_sources)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    flags = (numba.__version__, np.__version__, numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.DEBUG)
    digest.update(repr(flags).encode())
    return digest.hexdigest()[:20]


def cache_root() -> Path:
    """The folder that holds the cache folders; ``PLYGROUND_CACHE`` overrides the platform's choice."""
    chosen = os.environ.get("PLYGROUND_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("plyground", appauthor=False)) / "kernels"


def _open_cache_folder() -> Path | None:
    """Create (or touch) today's cache folder and tidy up old ones; None where nothing is writable."""
    root = cache_root()
    folder = root / source_fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARKER).touch()
    except OSError:
        return None
    _remove_unused_folders(root)
    return folder


def _remove_unused_folders(root: Path) -> None:
    """Delete cache folders whose marker was last touched more than thirty days ago."""
    oldest = time.time() - UNUSED_SECONDS
    for marker in root.glob(f"*/{_MARKER}"):
        try:
            if marker.stat().st_mtime < oldest:
                shutil.rmtree(marker.parent, ignore_errors=True)
        except OSError:
            continue  # another process was quicker


_cache_folder = None if numba.config.DISABLE_JIT else _open_cache_folder()


def _enable_cache(dispatcher: Any) -> None:
    """Turn the disk cache on for one dispatcher, in our folder; numba reads the setting only at this moment."""
    if _cache_folder is None:
        return
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_cache_folder)
    try:
        dispatcher.enable_caching()
    finally:
        numba.config.CACHE_DIR = before


def _compile(function: F, borrows: bool) -> F:
    watch_source(function)
    dispatcher = numba.njit(function, nogil=True, error_model="numpy", _nrt=not borrows, forceinline=borrows)
    if not numba.config.DISABLE_JIT:
        _enable_cache(dispatcher)
        _dispatchers.append(dispatcher)
    return cast(F, dispatcher)


def kernel(function: F) -> F:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk.

    Kernels assume valid input and fill buffers that are passed in. They must not recurse (a cached recursive function that
    is called from another cached function crashes on its second run) and must not close over other functions.
    """
    return _compile(function, borrows=False)


def borrowing_kernel(function: F) -> F:
    """A :func:`kernel` for hot loops: copied into its callers, and compiled without reference counts, so it may not create arrays.

    numba counts references whenever an array is passed on or sliced, with an atomic instruction each; in a search that spends a few
    nanoseconds on a node this is most of the time (measured on alpha-beta: 3 million nodes a second with, 46 without).
    """
    return _compile(function, borrows=True)


def entry_point(kernel: Any, *example: Any) -> Any:
    """The compiled form of a kernel for arguments of exactly the types of these examples.

    Calling a kernel makes numba look at the type of each argument first; calling its entry point does not, and is faster by microseconds. Nothing
    checks the types any more: only for callers that make all arguments themselves.
    """
    return kernel if numba.config.DISABLE_JIT else kernel.compile(tuple(numba.typeof(argument) for argument in example))


def watch_source(function: Callable[..., Any]) -> None:
    """Let the cache depend on the file of a function defined outside envs and agents (a user's own game).

    What has no file (a notebook's cell, the prompt) cannot be watched: from then on this process caches nothing, so that
    no kernel compiled with such a rule is found by a later one.
    """
    global _cache_folder
    path = Path(function.__code__.co_filename).resolve()
    if numba.config.DISABLE_JIT or _cache_folder is None or path in _package_sources or path in _foreign_sources:
        return
    if path.is_file():
        _foreign_sources.add(path)
        _cache_folder = _open_cache_folder()
        for dispatcher in _dispatchers:
            _enable_cache(dispatcher)
    else:
        _cache_folder = None
        for dispatcher in _dispatchers:
            dispatcher._cache = NullCache()


@contextlib.contextmanager
def announce_compilation(what: str) -> Iterator[None]:
    """Say on standard error that compilation is under way, if the body takes long enough for somebody to wonder."""
    notice = threading.Timer(ANNOUNCE_AFTER_SECONDS, lambda: print(f"compiling {what} (once; later starts are instant) …", file=sys.stderr))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
