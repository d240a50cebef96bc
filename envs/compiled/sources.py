"""Which source files the machine code of a kernel depends on, and which determine games.

A kernel's machine code contains the code of every kernel it calls. These are in the modules that
its module imports, and, for rule functions, in every module that registers a body for them. The
sets are derived from the text of the sources: imports at the top of a file, ``@rule``,
``register_body``, ``register_bodies`` and ``default_body``.

Fewer files determine a game: not the rules of other games, pictures and the compiler.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent.parent
KERNEL_FOLDERS = ("envs", "agents", "extras")  # the folders that hold kernels
# the folders whose sources determine what is played and judged
PLAYING_FOLDERS = (*KERNEL_FOLDERS, "evaluation")

_IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_DEFINES_RULES = re.compile(r"^@rule$", re.MULTILINE)
_REGISTERS_BODIES = re.compile(r"register_body|register_bodies|default_body")
_ANY_IMPORT = re.compile(r"^\s*from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_DECLARES_GAME = re.compile(r"^@declare_game\b", re.MULTILINE)
# registrations for a game's rules type that agents need, mostly in separate files
_REGISTERS_FOR_GAMES = re.compile(
    r"register_body|register_bodies|register_solver|heuristic_network\.register"
)
_REGISTERS_FOR_ALL = re.compile(r"^@register_solver\(\)", re.MULTILINE)
# files that do not determine games: the list of games, pictures, compilation
_DECIDES_NOTHING = re.compile(
    r"registry\.py$|envs/pictures/|envs/profile\.py$|/games/\w+/(profile|drawing)\.py$"
    r"|envs/compiled/(cache|linking|sources)\.py$"
)


@functools.cache
def package_sources(*folders: str) -> frozenset[Path]:
    """All Python files in these folders of the package and their subfolders."""
    return frozenset(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))


def stamp_of_sources() -> tuple[bytes, float]:
    """Sizes and times of all sources that can affect a game; they change with any edit.

    Returns:
        the stamp, and the latest change, in seconds since 1970.
    """
    files, newest = [str(PACKAGE)], 0
    for top in PLAYING_FOLDERS:
        for folder, inner, names in os.walk(PACKAGE / top):
            inner.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    path = os.path.join(folder, name)  # noqa: PTH118  # a tenth of Path's time
                    at = os.stat(path)  # noqa: PTH116
                    files.append(f"{path} {at.st_size} {at.st_mtime_ns} {at.st_ctime_ns}")
                    newest = max(newest, at.st_mtime_ns, at.st_ctime_ns)
    return "\n".join(files).encode(), newest / 1e9


def digest_of(paths: Iterable[Path]) -> str:
    """A hash of the names (relative to the package) and contents of files, in any order."""
    return hashlib.sha256(b"".join(sorted(map(_digest_of_file, paths)))).hexdigest()


def sources_of_kernels(path: Path) -> set[Path]:
    """The files that the kernels of the module in file ``path`` depend on.

    The kernels of a file outside the package may call anything: they depend on all files with
    kernels.
    """
    imports, definers, registrants = _scan()
    if path not in imports:
        return set(imports)
    files: set[Path] = set()
    waiting = {path}
    while waiting:
        source = waiting.pop()
        files.add(source)
        waiting |= imports[source] - files
        if source in definers:
            waiting |= {other for other in registrants if source in imports[other]} - files
    return files


def sources_of_play(*roots: Path) -> frozenset[Path]:
    """The files of the package that determine what the code in ``roots`` does in a game.

    These are all imports, at the top of a file or in a function, and registrations for the games
    that they declare or for all games; the files of other games are left out.

    Args:
        roots: files of the package, such as a game's rules or an agent.
    """
    imports, games, registrants, for_all = _scan_for_play()
    ours = games.intersection(roots)
    folders = {path.parent for path in games - ours}  # the folders of other games
    others = {path for path in imports if path.parent in folders}
    files, waiting = set[Path](), imports.keys() & roots
    while waiting:
        while waiting:
            path = waiting.pop()
            files.add(path)
            waiting |= imports[path] - others - files
        waiting = {
            path
            for path in registrants - files
            if (path in for_all or imports[path] & ours)
            # an agent's registrations for the game count for agents that import it
            and any(_folder(other) == _level(path, imports) for other in imports[path] & files)
        }
    return frozenset(files)


def _folder(path: Path) -> str:
    """The folder of the package that a file is in, such as ``agents``."""
    return path.relative_to(PACKAGE).parts[0]


def _level(path: Path, imports: dict[Path, set[Path]]) -> str:
    """The folder of the core that a file belongs to; for an extra, the one it registers with."""
    if _folder(path) != "extras":
        return _folder(path)
    return "agents" if any(_folder(each) == "agents" for each in imports[path]) else "envs"


@functools.cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _digest_of_file(path: Path) -> bytes:
    name = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
    return hashlib.sha256(name.as_posix().encode() + b"\0" + _content(path)).digest()


@functools.cache
def _scan() -> tuple[dict[Path, set[Path]], set[Path], set[Path]]:
    """The imports, definitions and registrations in the sources.

    Returns the files that each file imports, the files that define rule functions, and the files
    that register bodies for them.
    """
    sources = package_sources(*KERNEL_FOLDERS)
    texts = {path: _content(path).decode() for path in sources if path.name != "profile.py"}
    imports = {
        path: {file for file in _imports(path, text) if file in texts}
        for path, text in texts.items()
    }
    definers = {path for path, text in texts.items() if _DEFINES_RULES.search(text)}
    registrants = {path for path, text in texts.items() if _REGISTERS_BODIES.search(text)}
    return imports, definers, registrants


@functools.cache
def _scan_for_play() -> tuple[dict[Path, set[Path]], set[Path], set[Path], set[Path]]:
    """All imports in the sources, and the files that declare games, register for games, for all."""
    sources = {path: _content(path).decode() for path in package_sources(*PLAYING_FOLDERS)}
    texts = {
        path: text
        for path, text in sources.items()
        if not _DECIDES_NOTHING.search(path.relative_to(PACKAGE).as_posix())
        or (path.name == "__init__.py" and _REGISTERS_FOR_GAMES.search(text))  # a game's solver
    }
    for path in [path for path in texts if path.name == "__init__.py"]:
        if not _REGISTERS_FOR_GAMES.search(texts[path]):  # it only lists exports
            del texts[path]
    imports = {
        path: {file for file in _imports(path, text, _ANY_IMPORT) if file in texts}
        for path, text in texts.items()
    }
    games = {path for path, text in texts.items() if _DECLARES_GAME.search(text)}
    registrants = {path for path, text in texts.items() if _REGISTERS_FOR_GAMES.search(text)}
    for_all = {path for path in registrants if _REGISTERS_FOR_ALL.search(texts[path])}
    return imports, games, registrants, for_all


def _imports(path: Path, text: str, pattern: re.Pattern[str] = _IMPORT) -> Iterable[Path]:
    """The files that the relative imports of a file may refer to."""
    for dots, module, names in pattern.findall(text):
        base = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        yield base.with_suffix(".py")
        yield base / "__init__.py"
        yield from (base / f"{name}.py" for name in re.findall(r"\w+", names))
