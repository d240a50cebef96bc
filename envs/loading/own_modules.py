"""The source files of users' modules, which identify their version."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from pathlib import Path
from traceback import walk_tb
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_SUFFIXES = all_suffixes()
DIGITS = 12  # digits of a hash that identify a version


@functools.cache
def loaded_version(module: str) -> str | None:
    """A hash of the files of an imported module, as of the import.

    These are all files that the module imports from its own folder or package, directly or
    indirectly. None if it has no file. A process keeps using the module that it has imported, so
    the hash is computed once.
    """
    origin = Path(getattr(sys.modules.get(module), "__file__", None) or "").resolve()
    if not origin.is_file():
        return None
    # the folder from which the module is imported by its full name
    levels = module.count(".") + (origin.stem == "__init__")
    folder = origin.parents[min(levels, len(origin.parents) - 1)]
    return _version_of(_files_of_module(module, origin, folder))


def version_of_files(path: Path) -> str:
    """A hash of a Python file and of the files that it imports from its own folder."""
    return _version_of(_files_of_module(path.stem, path, path.parent))


def _version_of(files: dict[str, Path]) -> str:
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:DIGITS]


def _files_of_module(module: str, origin: Path, folder: Path) -> dict[str, Path]:
    """The files of a module and of what it imports from its own folder or package, by name.

    The imports are those in the text, at the top or in a function. For a module installed among
    others, only its own package counts.

    Args:
        module: its full name.
        origin: its file.
        folder: the folder that it is imported from.
    """
    first = module.partition(".")[0]
    is_shared = folder in _shared_folders()
    files: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        if name in files or top == _PACKAGE or (is_shared and top != first):
            continue
        path = origin if name == module else _file_of(folder, name)
        if path is not None:
            files[name] = path
            waiting += _imports_of(name, path)
            waiting += [name.rpartition(".")[0]] if "." in name else []
    return files


@functools.cache
def _shared_folders() -> frozenset[Path]:
    """The folders with modules of many origins, such as site-packages."""
    return frozenset(Path(path).resolve() for path in sysconfig.get_paths().values())


def _file_of(folder: Path, name: str) -> Path | None:
    """The file of a module in this folder, if it has one."""
    place = folder.joinpath(*name.split("."))
    for path in (
        *(place.with_name(place.name + suffix) for suffix in _SUFFIXES),
        *(place / f"__init__{suffix}" for suffix in _SUFFIXES),
    ):
        if path.is_file():
            return path
    return None


def _imports_of(name: str, path: Path) -> Iterator[str]:
    """The names of modules that a file may import."""
    if path.suffix != ".py":
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # importing it fails too
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package else []
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ([base] if base else [])
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def place_of_error(error: BaseException) -> str:
    """``FILE, line N``, the innermost line of user code in the traceback of an error.

    Without user code, the innermost line of all; empty if unknown.
    """
    frames = [(frame.f_code, frame.f_globals, line) for frame, line in walk_tb(error.__traceback__)]
    own = [each for each in frames if _is_own(each[1].get("__name__"), each[0].co_filename)]
    for code, _, line in (own or frames)[-1:]:
        return f"{Path(code.co_filename).name}, line {line}"
    return ""


def place_of_function(function: Any) -> str:
    """``FILE, line N``, where a user's function or method begins; empty for other functions."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or not _is_own(function.__module__, code.co_filename):
        return ""
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def _is_own(module: str | None, file: str) -> bool:
    """Whether code is user code: not plyground's, Python's, or an installed library's."""
    top = str(module).partition(".")[0]
    return top != _PACKAGE and top not in sys.stdlib_module_names and "site-packages" not in file
