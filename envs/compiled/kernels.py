"""Compilation: the one decorator that turns a Python function into a cached machine-code kernel.

Everything compiled in plyground goes through :func:`kernel`. numba's own disk cache notices edits
of the file that a kernel stands in, but not of the files that it calls. A changed rule would go on
playing as before. The cache of a kernel is therefore in a folder named by a hash of the sources
that the kernel depends on, the numba version, and the flags that change the machine code. Folders
that were not used for thirty days are removed.
"""

from __future__ import annotations

import contextlib
import functools
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

from .sources import digest_of, package_sources, sources_of_kernels

F = TypeVar("F", bound=Callable[..., Any])

UNUSED_SECONDS = 30 * 24 * 3600
ANNOUNCE_AFTER_SECONDS = 1.0
_MARKER = "last_used"

_dispatchers: list[tuple[Path, Any]] = []  # with the file that each kernel stands in
_foreign_sources: set[Path] = set()
_caching = not numba.config.DISABLE_JIT


def source_fingerprint(path: Path) -> str:
    """A hash of everything that the kernels of a file depend on.

    That is the sources, the versions of numba and numpy, and the debug flags.
    """
    flags = (
        numba.__version__,
        np.__version__,
        numba.config.BOUNDSCHECK,
        numba.config.OPT,
        numba.config.DEBUG,
    )
    digest = digest_of([*sources_of_kernels(path), *sorted(_foreign_sources)])
    return hashlib.sha256(f"{digest} {flags!r}".encode()).hexdigest()[:20]


def cache_root() -> Path:
    """The folder of the cache folders; ``PLYGROUND_CACHE`` overrides the platform's choice."""
    chosen = os.environ.get("PLYGROUND_CACHE")
    return (
        Path(chosen)
        if chosen
        else Path(platformdirs.user_cache_dir("plyground", appauthor=False)) / "kernels"
    )


@functools.cache
def _cache_folder(path: Path) -> Path | None:
    """Create or touch the cache folder for the kernels of a file; None where none is writable."""
    folder = cache_root() / source_fingerprint(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARKER).touch()
    except OSError:
        return None
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


if _caching:
    _remove_unused_folders(cache_root())


def _enable_cache(path: Path, dispatcher: Any) -> None:
    """Turn the disk cache on for one kernel of a file, in our folder.

    numba reads the setting only at this moment.
    """
    folder = _cache_folder(path) if _caching else None
    if folder is None:
        return
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        dispatcher.enable_caching()
    finally:
        numba.config.CACHE_DIR = before


def _compile(function: F, inner: bool) -> F:
    watch_source(function)
    dispatcher = numba.njit(
        function,
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,  # kernels are not called from C; saves a tenth of the compile time
        _nrt=not inner,
        forceinline=inner,
    )
    if not numba.config.DISABLE_JIT:
        path = _source_of(function)
        _enable_cache(path, dispatcher)
        _dispatchers.append((path, dispatcher))
    return cast(F, dispatcher)


def kernel(function: F) -> F:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk.

    Kernels assume valid input and fill buffers that are passed in. They must not recurse (a cached
    recursive function that is called from another cached function crashes on its second run) and
    must not close over other functions.
    """
    return _compile(function, inner=False)


def inner_kernel(function: F) -> F:
    """A :func:`kernel` for hot loops: inlined, and compiled without reference counts.

    It may not create arrays.

    numba counts references whenever an array is passed on or sliced, with an atomic instruction
    each; in a search that spends a few nanoseconds on a node this is most of the time (measured on
    alpha-beta: 3 million nodes a second with, 46 without).
    """
    return _compile(function, inner=True)


def entry_point(kernel: Any, *example: Any) -> Any:
    """The compiled form of a kernel for arguments of exactly the types of these examples.

    Calling a kernel makes numba look at the type of each argument first; calling its entry point
    does not, and is faster by microseconds. Nothing checks the types any more: only for callers
    that make all arguments themselves.
    """
    return (
        kernel
        if numba.config.DISABLE_JIT
        else kernel.compile(tuple(numba.typeof(argument) for argument in example))
    )


def watch_source(function: Callable[..., Any]) -> None:
    """Let the cache depend on the file of a function defined outside envs and agents.

    Such a function belongs to a user's own game.

    A function without a file (in a notebook's cell, at the prompt) cannot be watched. From then on
    this process caches nothing, so that no later process finds a kernel compiled with it.
    """
    global _caching
    path = _source_of(function)
    if not _caching or path in package_sources("envs", "agents") or path in _foreign_sources:
        return
    if path.is_file():
        _foreign_sources.add(path)
        _cache_folder.cache_clear()
        for source, dispatcher in _dispatchers:
            _enable_cache(source, dispatcher)
    else:
        _caching = False
        for _, dispatcher in _dispatchers:
            dispatcher._cache = NullCache()


def _source_of(function: Callable[..., Any]) -> Path:
    return Path(function.__code__.co_filename).resolve()


@contextlib.contextmanager
def announce_compilation(what: str) -> Iterator[None]:
    """Say on standard error that compilation is under way, if the body takes long."""
    notice = threading.Timer(
        ANNOUNCE_AFTER_SECONDS,
        lambda: print(f"compiling {what} (once; later starts are instant) …", file=sys.stderr),
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
