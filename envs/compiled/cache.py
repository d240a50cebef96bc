"""The disk cache of machine code, which never uses outdated rules.

numba's disk cache detects edits of the kernel's file, but not of the files of kernels that it
calls. A changed rule would have no effect. The cache of a kernel is therefore in a folder named by
a hash of the sources that the kernel depends on, the numba version, and the flags that affect the
machine code. Folders unused for thirty days are removed.

The sources are read and hashed again only if one of them has changed since the last hash, by sizes
and times. That hash is cached on disk too.

A user's game adds files to these sources. They count only for machine code compiled for types of
that game, not for kernels compiled for the package's games.

Machine code that cannot be read or written is compiled again: a message says so once, and nothing
fails. Every file of machine code has a checksum, since damaged code could crash the process or play
other moves.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
import platformdirs
from numba.core.caching import NullCache
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from ..loading.files import written_whole
from .sources import (
    KERNEL_FOLDERS,
    PACKAGE,
    digest_of,
    sources_of_kernels,
    sources_of_play,
    stamp_of_sources,
)

UNUSED_SECONDS = 30 * 24 * 3600
# within this time a file may change twice without a new time stamp
SETTLED_SECONDS = 2.0
_MARKER = "last_used"
DAMAGED = "is damaged; it is compiled again. plyground warm-up --clear empties the folder"
NOT_KEPT = "cannot be stored; every process compiles it again"
_notices: set[str] = set()  # already printed
_FOLDER = re.compile(r"[0-9a-f]{20}")  # the names of cache folders
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # in the text of a function
_PACKAGE = __name__.partition(".")[0]
_KERNEL_PLACES = tuple(f"{PACKAGE / folder}{os.sep}" for folder in KERNEL_FOLDERS)


class OwnSources:
    """The files outside the package with kernels: of users' games and agents.

    Attributes:
        files: the files.
        cacheable: False once a kernel has no file (in a notebook's cell, at the prompt), since
            edits could not be detected.
        everywhere: whether the kernels of the package's games depend on them too.
    """

    def __init__(self) -> None:
        self.files: frozenset[Path] = frozenset()
        self.cacheable: bool = True
        self.everywhere = False

    def add(self, function: Callable[..., Any]) -> None:
        """Note the file of a function outside the package."""
        path = _source_of(function)
        if path.is_file():
            self.files |= {path}
        else:
            self.cacheable = False


own_sources: OwnSources = OwnSources()


class KernelCache:
    """The cache of one kernel, in the interface of numba's ``FunctionCache``.

    Args:
        function: the kernel's function.
        kind: numba's cache class that reads and writes its form.

    Attributes:
        saved: whether this process has compiled a kernel and stored its machine code.
    """

    saved: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any], kind: type) -> None:
        self._function, self._kind = function, kind

    @property
    def cache_path(self) -> str:
        """The folder of the machine code for the package's games."""
        return str(self._cache(()).cache_path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The machine code for a signature (or only the types of its arguments), or None.

        None also if its file is damaged; the entries of the kernel are then removed.
        """
        arguments = normalize_signature(signature)[0]
        cache = self._cache(arguments)
        try:
            result = cache.load_overload(signature, context)
            if result is not None and tuple(result.signature.args) != tuple(arguments):
                raise ValueError("the entry is for other arguments")
        except Exception as error:  # unpickling raises whatever damaged bytes make it raise
            _tell(DAMAGED, error)
            with contextlib.suppress(Exception):
                cache.flush()
            return None
        return result

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store the machine code for a signature, if possible."""
        cache = self._cache(normalize_signature(signature)[0])
        try:
            cache.save_overload(signature, result)
            KernelCache.saved |= not isinstance(cache, NullCache)
        except Exception as error:  # a full disk, a file in place of a folder, a damaged index
            _tell(NOT_KEPT, error)

    def flush(self) -> None:
        """Delete the cache for the package's games."""
        self._cache(()).flush()

    def _cache(self, arguments: tuple[Any, ...]) -> Any:
        folder = folder_of(self._function, arguments)
        if folder is None:
            return NullCache()
        # numba reads all types with code in a folder, and so imports their games
        types = _ADDRESS.sub("", repr(arguments))
        return _numba_cache(
            self._function, folder / f"{zlib.crc32(types.encode()):08x}", self._kind
        )


class _Sealed:
    """The storage of a numba cache, with a checksum of the content.

    Args:
        form: numba's form of the content.
        place: the folders of the content, within the root.
    """

    def __init__(self, form: Any, place: tuple[str, ...]) -> None:
        self._form = form
        # code of another function counts as damaged
        self._start = zlib.crc32(repr((place, form.filename_base)).encode())

    def reduce(self, result: Any) -> tuple[int, bytes]:
        content = dumps(self._form.reduce(result))
        return zlib.crc32(content, self._start), content

    def rebuild(self, context: Any, payload: tuple[int, bytes]) -> Any:
        checksum, content = payload
        if checksum != zlib.crc32(content, self._start):
            raise ValueError("wrong checksum")
        return self._form.rebuild(context, pickle.loads(content))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._form, name)


def folder_of(function: Callable[..., Any], arguments: Iterable[Any]) -> Path | None:
    """The folder for the code of a kernel for arguments of these types; None: it is not kept."""
    own = (
        not _is_of_package(function) or own_sources.everywhere or any(map(_is_own_type, arguments))
    )
    if own and not own_sources.cacheable:
        return None
    return _cache_folder(_source_of(function), own_sources.files if own else frozenset())


def watch_source(function: Callable[..., Any]) -> None:
    """Make the cache depend on the file of a function, if it is outside the package."""
    if not _is_of_package(function):
        own_sources.add(function)


def depend_on_own_sources(of: type | None, body: Any) -> None:
    """Make all kernels depend on the user's sources if these change the package's games.

    Args:
        of: the type of rules that a body is registered for; None: all types.
        body: the body, a function or a kernel.
    """
    if (of is None or _is_class_of_package(of)) and not _is_of_package(
        getattr(body, "py_func", body)
    ):
        own_sources.everywhere = True


def _source_of(function: Callable[..., Any]) -> Path:
    """The file of a function."""
    return _real_path(function.__code__.co_filename)


def _is_of_package(function: Callable[..., Any]) -> bool:
    """Whether a function is in one of the package's folders with kernels."""
    return _is_in_package(_source_of(function))


def _is_in_package(path: Path) -> bool:
    return str(path).startswith(_KERNEL_PLACES)


def source_fingerprint(path: Path, own: frozenset[Path] = frozenset()) -> str:
    """A hash of everything that the kernels of a file depend on.

    That is the sources, including the user's ``own``, the versions of numba and numpy, and the
    debug flags.
    """
    flags = (
        numba.__version__,
        np.__version__,
        numba.config.BOUNDSCHECK,
        numba.config.OPT,
        numba.config.DEBUG,
    )
    is_own = not _is_in_package(path)
    digest = _kept_digest(
        "all kernels" if is_own else f"kernels {path}", lambda: sources_of_kernels(path)
    )
    of_own = digest_of(own | {path} if is_own else own)
    return hashlib.sha256(f"{digest} {of_own} {flags!r}".encode()).hexdigest()[:20]


@functools.cache
def digest_of_play(roots: tuple[Path, ...], without: tuple[Path, ...] = ()) -> str:
    """A hash of :func:`~plyground.envs.compiled.sources.sources_of_play` for ``roots``.

    The files for ``without`` are left out.
    """

    def files() -> frozenset[Path]:
        return sources_of_play(*roots) - (sources_of_play(*without) if without else frozenset())

    return _kept_digest(f"play {roots} {without}", files)


def _kept_digest(question: str, files: Callable[[], Iterable[Path]]) -> str:
    """The digest of the package's files for a query, cached until a source changes."""
    stamp, newest = _stamp()
    folder = _used_folder(hashlib.sha256(stamp).hexdigest()[:20])
    file = folder and folder / hashlib.sha256(question.encode()).hexdigest()
    with contextlib.suppress(OSError, ValueError):
        if file and _DIGEST.fullmatch(kept := file.read_text()):
            return kept
    digest = digest_of(files())
    # a later edit must be detected, and none may have been made since
    if file and newest < time.time() - SETTLED_SECONDS and stamp_of_sources() == (stamp, newest):
        with contextlib.suppress(OSError), written_whole(file) as stream:
            stream.write(digest.encode())
    return digest


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
            continue  # another process was faster


def clear_cache() -> int:
    """Delete all machine code; returns the number of folders."""
    root = cache_root()
    folders = [path for path in root.glob("*") if _FOLDER.fullmatch(path.name)]
    for folder in folders:
        shutil.rmtree(folder)
    return len(folders)


def _tell(what: str, error: Exception) -> None:
    """Report a problem with the cache on standard error, once in this process."""
    if what not in _notices:
        _notices.add(what)
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print(f"plyground: machine code in {cache_root()} {what} ({why})", file=sys.stderr)


_stamp = functools.cache(stamp_of_sources)  # a process reads its sources once


@functools.cache
def _cache_folder(path: Path, own: frozenset[Path]) -> Path | None:
    """The cache folder for the kernels of a file; None if none is writable."""
    return _used_folder(source_fingerprint(path, own))


def _used_folder(name: str) -> Path | None:
    """Create or touch a cache folder; None if none is writable."""
    folder = cache_root() / name
    try:
        if not folder.is_dir():
            remove_unused_folders(cache_root())
            folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARKER).touch()
    except OSError as error:
        _tell(NOT_KEPT, error)
        return None
    return folder


@functools.cache
def _numba_cache(function: Callable[..., Any], folder: Path, kind: type) -> Any:
    """The numba cache of a function, in a folder; numba reads the setting only now."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        cache = kind(function)
    except Exception as error:  # numba has not found a folder
        _tell(NOT_KEPT, error)
        return NullCache()
    finally:
        numba.config.CACHE_DIR = before
    path = Path(cache.cache_path)
    if not path.is_relative_to(folder):
        # numba has chosen another folder, where outdated rules would be used
        _tell(NOT_KEPT, OSError(f"nothing can be written to {folder}"))
        return NullCache()
    cache._impl = _Sealed(cache._impl, path.relative_to(folder.parent.parent).parts)
    return cache


def _is_own_type(of: Any) -> bool:
    """Whether a type of an argument comes from outside the package."""
    if isinstance(of, numba.types.Dispatcher):
        return not _is_of_package(of.dispatcher.py_func)
    if isinstance(of, numba.types.BaseNamedTuple) and not _is_class_of_package(of.instance_class):
        return True
    return isinstance(of, numba.types.BaseTuple) and any(map(_is_own_type, of.types))


def _is_class_of_package(of: type) -> bool:
    return of.__module__.partition(".")[0] == _PACKAGE


@functools.cache
def _real_path(name: str) -> Path:
    return Path(name).resolve()
