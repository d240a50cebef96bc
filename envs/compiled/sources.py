"""Which source files the machine code of a kernel depends on.

A kernel's machine code contains the code of every kernel it calls. These stand in the modules that
its own module imports, and, for rule functions, in every module that registers a body for them. The
sets are found from the text of the sources: imports at the top of a file, ``@rule``,
``register_body``, ``register_bodies`` and ``default_body``.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent.parent
_KERNEL_FOLDERS = ("envs", "agents")  # the folders that hold kernels

_IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_DEFINES_RULES = re.compile(r"^@rule$", re.MULTILINE)
_REGISTERS_BODIES = re.compile(r"register_body|register_bodies|default_body")


@functools.cache
def package_sources(*folders: str) -> frozenset[Path]:
    """Every Python file of these folders of the package and their sub-folders."""
    return frozenset(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))


def digest_of(paths: Iterable[Path]) -> str:
    """A hash of the names (relative to the package) and contents of files, whatever their order."""
    return hashlib.sha256(b"".join(sorted(map(_digest_of_file, paths)))).hexdigest()


def sources_of_kernels(path: Path) -> set[Path]:
    """The files that the kernels of the module in file ``path`` depend on.

    The kernels of a file outside the package may call anything: they depend on all files with
    kernels, and on their own.
    """
    imports, definers, registrants = _scan()
    if path not in imports:
        return {*imports, path}
    found: set[Path] = set()
    waiting = {path}
    while waiting:
        source = waiting.pop()
        found.add(source)
        waiting |= imports[source] - found
        if source in definers:
            waiting |= {other for other in registrants if source in imports[other]} - found
    return found


@functools.cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _digest_of_file(path: Path) -> bytes:
    name = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
    return hashlib.sha256(name.as_posix().encode() + b"\0" + _content(path)).digest()


@functools.cache
def _scan() -> tuple[dict[Path, set[Path]], set[Path], set[Path]]:
    """What the sources import, define and register.

    Returns the files that each file imports, the files that define rule functions, and the files
    that register bodies for them.
    """
    sources = package_sources(*_KERNEL_FOLDERS)
    texts = {path: _content(path).decode() for path in sources}
    imports = {
        path: {found for found in _imports(path, text) if found in texts}
        for path, text in texts.items()
    }
    definers = {path for path, text in texts.items() if _DEFINES_RULES.search(text)}
    registrants = {path for path, text in texts.items() if _REGISTERS_BODIES.search(text)}
    return imports, definers, registrants


def _imports(path: Path, text: str) -> Iterable[Path]:
    """The files that the relative imports at the top of a file may mean."""
    for dots, module, names in _IMPORT.findall(text):
        base = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        yield base.with_suffix(".py")
        yield base / "__init__.py"
        yield from (base / f"{name}.py" for name in re.findall(r"\w+", names))
