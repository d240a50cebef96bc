"""The code of a Kaggle submission, executed for every game as on Kaggle.

Kaggle executes the file in an empty namespace and calls the last callable in it. The submission is
in ``/kaggle_simulations/agent`` there. Here that path is replaced by its own folder in all string
literals of its Python code. A path that is assembled at run time, or written in other files, is not
replaced.

Source: ``agent.py`` of https://github.com/Kaggle/kaggle-environments.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import inspect
import os
import re
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ...envs.loading.own_modules import DIGITS, version_of_files
from ...envs.specification import SpecificationError, refusing
from ...envs.workers.children import temporary_folder

MAIN = "main.py"
PACKAGE = __name__.partition(".")[0]
COMPILED = tuple(EXTENSION_SUFFIXES)
PLACE_AT_KAGGLE = re.compile(r"/kaggle_simulations/agent(?!\w)")


class SubmissionCode:
    """A submission: a Python file, a folder with ``main.py``, or a tar archive of such a folder.

    Modules next to the file belong to it: each execution imports them anew, hidden from other code.
    Packages with compiled parts are not reloaded, since they cannot be imported twice. Every file
    is read once: edits of the submission have no effect meanwhile.

    Args:
        source: the file, the folder or the archive. An archive is unpacked into a temporary folder,
            which is removed when this object or this process ends.

    Raises:
        SpecificationError: it is none of these, or is not valid Python.
    """

    def __init__(self, source: Path) -> None:
        if not source.exists():
            raise SpecificationError(f"there is no file {str(source)!r}")
        self._codes: dict[str, CodeType] = {}
        self._modules: dict[str, ModuleType] = {}
        self._places: list[str] = []
        self._hook = FileFinder.path_hook(
            (functools.partial(_Loader, self), SOURCE_SUFFIXES),  # type: ignore[arg-type]
            (ExtensionFileLoader, list(COMPILED)),
        )
        with refusing(OSError, f"{source} cannot be read"):
            self.path, self.version = self._find(source.absolute())
        if not self.path.is_file():
            raise SpecificationError(f"there is no {MAIN} in {source}, which Kaggle executes")
        self._folder, self._others = str(self.path.parent), tuple[str, ...]()
        # packages installed below the folder, as in a virtual environment, do not belong to it
        below = (place for place in sys.path if place != self._folder and self._holds(place))
        self._others = tuple(f"{place}{os.sep}" for place in below)
        not_python = (OSError, SyntaxError, ValueError, RecursionError)
        with refusing(not_python, f"{self.path} cannot be read as Python"):
            self.code_of(str(self.path))

    def _find(self, source: Path) -> tuple[Path, str]:
        """The file that is executed, and a hash of the submission."""
        if source.is_dir():
            return source / MAIN, _version_of_folder(source)
        if source.suffix == ".py":
            return source, version_of_files(source)
        version = hashlib.sha256(source.read_bytes()).hexdigest()[:DIGITS]
        return self._unpack(source) / MAIN, version

    def _unpack(self, archive: Path) -> Path:
        """The temporary folder with the content of an archive."""
        folder = temporary_folder(self)
        damage = (tarfile.TarError, zlib.error, OSError, EOFError)
        complaint = f"{archive} is not a .py file, a folder or an archive that can be unpacked"
        with refusing(damage, complaint), tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
        return folder

    def execute(self) -> Callable[..., Any]:
        """Execute the file; the last callable in its namespace is the agent.

        Raises:
            SpecificationError: it fails, or has no agent.
        """
        names: dict[str, Any] = {}
        self._modules, self._places = {}, [self._folder]
        try:
            with self.imports():
                exec(self.code_of(str(self.path)), names)
        except (Exception, SystemExit) as error:  # whatever the file does
            raise SpecificationError(
                f"{self.path} failed: {type(error).__name__}: {error}"
            ) from error
        agents: list[Callable[..., Any]] = [value for value in names.values() if callable(value)]
        if not agents:
            raise SpecificationError(
                f"{self.path} has no agent: it must define a function (the last one counts)"
            )
        return agents[-1]

    @contextlib.contextmanager
    def imports(self) -> Iterator[None]:
        """Activate its modules and its module path during the body."""
        places, loaded = list(sys.path), dict(sys.modules)
        sys.path += self._places
        sys.modules.update(self._modules)
        sys.path_hooks.insert(0, self._finder_of)
        self._forget_finders()
        try:
            yield
        finally:
            self._forget_finders()
            sys.path_hooks.remove(self._finder_of)
            self._places = [place for place in sys.path if place not in places]
            sys.path[:] = places
            own = {
                name: place
                for name, module in list(sys.modules.items())
                if loaded.get(name) is not module and self._holds(place := _place_of(module))
            }
            compiled = (name for name, place in own.items() if place.endswith(COMPILED))
            staying = {name.partition(".")[0] for name in (PACKAGE, *compiled)}
            self._modules = {
                name: sys.modules.pop(name) for name in own if name.partition(".")[0] not in staying
            }
            hidden = self._modules.keys() & loaded.keys()  # other modules with the same name
            sys.modules.update({name: loaded[name] for name in hidden})

    def code_of(self, path: str) -> CodeType:
        """The code of one of its files, as first read."""
        if path not in self._codes:
            tree = ast.parse(Path(path).read_bytes(), path)
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    node.value = PLACE_AT_KAGGLE.sub(lambda _: self._folder, node.value)
            self._codes[path] = compile(tree, path, "exec", dont_inherit=True)
        return self._codes[path]

    def _finder_of(self, place: str) -> Any:
        """A path hook of the import system that finds the modules in its folders."""
        if not self._holds(place):
            raise ImportError(f"{place} is not a folder of {self.path}")
        return self._hook(place)

    def _forget_finders(self) -> None:
        for place in [each for each in sys.path_importer_cache if self._holds(each)]:
            del sys.path_importer_cache[place]

    def _holds(self, place: str) -> bool:
        """Whether a file or folder belongs to it."""
        folder = f"{place}{os.sep}"
        own = folder.startswith(f"{self._folder}{os.sep}")
        return own and not folder.startswith(self._others)


class _Loader(SourceFileLoader):
    """Loads a module of a submission, ignoring cached bytecode."""

    def __init__(self, code: SubmissionCode, fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code.code_of(self.path)


def _place_of(module: ModuleType) -> str:
    """The file of a module; the folder of a package without one."""
    values = vars(module) if isinstance(module, ModuleType) else {}  # asks no __getattr__
    return str(values.get("__file__") or next(iter(values.get("__path__", ())), ""))


def arguments_of(agent: Callable[..., Any], name: str) -> int:
    """The number of arguments for an agent: of observation and configuration.

    Raises:
        SpecificationError: it cannot be called with these arguments.
    """
    count = min(getattr(getattr(agent, "__code__", None), "co_argcount", 2), 2)
    try:
        inspect.signature(agent).bind(*[None] * count)
    except TypeError as error:
        raise SpecificationError(
            f"Kaggle calls the agent of {name} with {count} arguments: {error}"
        ) from None
    except ValueError:
        pass  # functions written in C may have no signature
    return count


def _version_of_folder(folder: Path) -> str:
    """A hash of all files in a folder, without hidden ones and compiled code."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(p.startswith((".", "__pycache__")) for p in name.parts):
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:DIGITS]
