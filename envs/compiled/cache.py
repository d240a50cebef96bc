"""The disk cache of machine code: no kernel is ever played with old rules.

numba's own disk cache notices edits of the file that a kernel stands in, but not of the files that
it calls. A changed rule would go on playing as before. The cache of a kernel is therefore in a
folder named by a hash of the sources that the kernel depends on, the numba version, and the flags
that change the machine code. Folders that were not used for thirty days are removed.

A user's own game adds files to these sources. They count for machine code that was compiled for
types of that game. A kernel that was compiled for a game of the package stays as it is.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.core.caching import NullCache
from numba.core.sigutils import normalize_signature

from .sources import digest_of, package_sources, sources_of_kernels

UNUSED_SECONDS = 30 * 24 * 3600
_MARKER = "last_used"
_PACKAGE = __name__.partition(".")[0]


class OwnSources:
    """The files outside the package with kernels: of games and agents of a user's own.

    Attributes:
        files: the files.
        cacheable: False once a kernel has no file (in a notebook's cell, at the prompt). No edit of
            it could be noticed.
        everywhere: whether the kernels of the package's own games depend on them too.
    """

    def __init__(self) -> None:
        self.files: frozenset[Path] = frozenset()
        self.cacheable: bool = True
        self.everywhere = False

    def add(self, function: Callable[..., Any]) -> None:
        """Note the file of a function outside the package."""
        path = source_of(function)
        if path.is_file():
            self.files |= {path}
        else:
            self.cacheable = False


own_sources: OwnSources = OwnSources()


class KernelCache:
    """The cache of one kernel, in the interface of numba's ``FunctionCache``.

    Args:
        function: the kernel's function.
        kind: the class of numba's caches that reads and writes its form.
    """

    def __init__(self, function: Callable[..., Any], kind: type) -> None:
        self._function, self._path, self._kind = function, source_of(function), kind
        self._is_own = not is_of_package(function)

    @property
    def cache_path(self) -> str:
        """The folder of the machine code for the package's own games."""
        return str(self._cache(()).cache_path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The machine code for a signature (or only the types of its arguments), or None."""
        return self._cache(normalize_signature(signature)[0]).load_overload(signature, context)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the machine code for a signature."""
        self._cache(normalize_signature(signature)[0]).save_overload(signature, result)

    def flush(self) -> None:
        """Forget what was kept for the package's own games."""
        self._cache(()).flush()

    def _cache(self, arguments: tuple[Any, ...]) -> Any:
        own = self._is_own or own_sources.everywhere or any(map(_is_own_type, arguments))
        if own and not own_sources.cacheable:
            return NullCache()
        folder = _cache_folder(self._path, own_sources.files if own else frozenset())
        return NullCache() if folder is None else _numba_cache(self._function, folder, self._kind)


def watch_source(function: Callable[..., Any]) -> None:
    """Let the cache depend on the file of a function, if it is outside the package."""
    if not is_of_package(function):
        own_sources.add(function)


def depend_on_own_sources(of: type | None, body: Any) -> None:
    """Let all kernels depend on a user's own sources if one of these changes the package's games.

    Args:
        of: the type of rules that a body is registered for; None: all types.
        body: the body, a function or a kernel.
    """
    if (of is None or _is_class_of_package(of)) and not is_of_package(
        getattr(body, "py_func", body)
    ):
        own_sources.everywhere = True


def source_of(function: Callable[..., Any]) -> Path:
    """The file of a function."""
    return _real_path(function.__code__.co_filename)


def is_of_package(function: Callable[..., Any]) -> bool:
    """Whether a function stands in the folders of the package that hold kernels."""
    return source_of(function) in package_sources("envs", "agents")


def source_fingerprint(path: Path, own: frozenset[Path] = frozenset()) -> str:
    """A hash of everything that the kernels of a file depend on.

    That is the sources, those of a user's ``own`` included, the versions of numba and numpy, and
    the debug flags.
    """
    flags = (
        numba.__version__,
        np.__version__,
        numba.config.BOUNDSCHECK,
        numba.config.OPT,
        numba.config.DEBUG,
    )
    digest = digest_of([*sources_of_kernels(path), *own])
    return hashlib.sha256(f"{digest} {flags!r}".encode()).hexdigest()[:20]


def cache_root() -> Path:
    """The folder of the cache folders; ``PLYGROUND_CACHE`` overrides the platform's choice."""
    folder = os.environ.get("PLYGROUND_CACHE")
    return (
        Path(folder)
        if folder
        else Path(platformdirs.user_cache_dir("plyground", appauthor=False)) / "kernels"
    )


def remove_unused_folders(root: Path) -> None:
    """Delete cache folders whose marker was last touched more than thirty days ago."""
    oldest = time.time() - UNUSED_SECONDS
    for marker in root.glob(f"*/{_MARKER}"):
        try:
            if marker.stat().st_mtime < oldest:
                shutil.rmtree(marker.parent, ignore_errors=True)
        except OSError:
            continue  # another process was quicker


@functools.cache
def _cache_folder(path: Path, own: frozenset[Path]) -> Path | None:
    """Create or touch the cache folder for the kernels of a file; None where none is writable."""
    folder = cache_root() / source_fingerprint(path, own)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARKER).touch()
    except OSError:
        return None
    return folder


@functools.cache
def _numba_cache(function: Callable[..., Any], folder: Path, kind: type) -> Any:
    """The cache that numba keeps of a function, in a folder; numba reads the setting only now."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return kind(function)
    finally:
        numba.config.CACHE_DIR = before


def _is_own_type(of: Any) -> bool:
    """Whether a type of an argument comes from outside the package."""
    if isinstance(of, numba.types.Dispatcher):
        return not is_of_package(of.dispatcher.py_func)
    if isinstance(of, numba.types.BaseNamedTuple) and not _is_class_of_package(of.instance_class):
        return True
    return isinstance(of, numba.types.BaseTuple) and any(map(_is_own_type, of.types))


def _is_class_of_package(of: type) -> bool:
    return of.__module__.partition(".")[0] == _PACKAGE


@functools.cache
def _real_path(name: str) -> Path:
    return Path(name).resolve()
