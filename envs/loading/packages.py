"""Plug-ins of packages, including plyground's extras, and modules named by the user.

A package declares an entry point for each game, agent and command: in its ``pyproject.toml``

    [project.entry-points."plyground.games"]
    breakthrough = "my_package.rules:Breakthrough"

    [project.entry-points."plyground.agents"]
    cautious = "my_package.agents:Cautious"

    [project.entry-points."plyground.commands"]
    "train cautious" = "my_package.commands:cautious"

Its name is the name of the game, with ``_v1`` if it is not version 0, of the agent, or the words of
the command. Importing the module registers a game or an agent. Nothing is imported until a name
outside of the core is looked up by :class:`~plyground.envs.loading.registry.Registry`. One module
of the package names everything else by calls of :func:`plug_in`:

    [project.entry-points."plyground.plugins"]
    my_package = "my_package.plugins"

plyground's extras are declared in the same way. An extra without its folder counts as not
installed.

Source: the Python Packaging User Guide, "Entry points specification".
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import warnings
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from ..specification import SpecificationError, check_names

GAMES, AGENTS, COMMANDS = "plyground.games", "plyground.agents", "plyground.commands"
PLUGINS = "plyground.plugins"  # modules that call plug_in for the following kinds
KNOWLEDGE = "knowledge"  # agents' knowledge of a game in addition to its rules, by the game's name
LEARNERS = "learners"  # the settings of learning algorithms
REPORTS = "reports"  # reports about games, by name
RECORDS = "records"  # writers of a store's games, by format
EXPORTS = "exports"  # writers of policies, by file extension
POLICIES = "policies"  # fetchers of policy files NAME://…, by that name
TRACKERS = "trackers"  # loggers of training runs, named as in --log
PLACES = "places"  # runners of jobs, named as in --runner
KINDS = (KNOWLEDGE, LEARNERS, REPORTS, RECORDS, EXPORTS, POLICIES, TRACKERS, PLACES)
PACKAGE = Path(__file__).resolve().parent.parent.parent
OWN = __package__.partition(".")[0]
_EXTRAS = f"{OWN}.extras."

_failed: set[EntryPoint] = set()  # reported once
_plugged_in: list[EntryPoint] = []


class PackageWarning(UserWarning):
    """A package whose games or agents cannot be used."""


def plug_in(kind: str, name: str, value: str) -> None:
    """Declare an object of a package, which is imported on first use.

    Args:
        kind: one of :data:`KINDS`.
        name: what users call it.
        value: ``module:attribute``; for knowledge the module, which registers its content.

    Raises:
        SpecificationError: there is no such kind.
    """
    check_names("there is no kind of plug-in", [kind], KINDS)
    _plugged_in.append(EntryPoint(name, value, kind))
    declared.cache_clear()


@functools.cache
def declared(group: str) -> tuple[EntryPoint, ...]:
    """The declarations of packages by name: plyground's, then others.

    Args:
        group: a group of entry points, such as :data:`GAMES`, or one of :data:`KINDS`.
    """
    if group in KINDS:
        for each in declared(PLUGINS):
            import_registering(each)
        entries = [each for each in _plugged_in if each.group == group]
    else:
        entries = _installed().select(group=group)
    there = (each for each in entries if _is_there(each.module))
    return tuple(sorted(there, key=lambda each: (not _is_own(each), each.name)))


@functools.cache
def _installed() -> Any:  # SelectableGroups before Python 3.12, EntryPoints since
    """The entry points of all packages; their metadata is read once."""
    return entry_points()


def own_extras(group: str) -> list[EntryPoint]:
    """The entry points of a group that refer to plyground's extras."""
    return [each for each in declared(group) if _is_own(each)]


def _is_own(entry: EntryPoint) -> bool:
    return entry.module.startswith(_EXTRAS)


def _is_there(module: str) -> bool:
    """Whether a module may exist; for an extra, whether it has a file."""
    return not module.startswith(_EXTRAS) or source_of(module) is not None


def source_of(module: str) -> Path | None:
    """The file of a module, located without importing it; None if there is none."""
    top, *inner = module.split(".")
    spec = None if top == OWN else importlib.util.find_spec(top)
    if spec and not inner:
        return Path(spec.origin) if spec.has_location and spec.origin else None
    folders = [str(PACKAGE)] if top == OWN else (spec and spec.submodule_search_locations) or []
    for folder in folders:
        path = Path(folder).joinpath(*inner)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None


def load_knowledge(game: str) -> None:
    """Import the modules that packages declare in :data:`KNOWLEDGE` for a game."""
    for each in declared(KNOWLEDGE):
        if each.name == game:
            import_registering(each)


def import_registering(entry: EntryPoint) -> None:
    """Import the module of an entry point, which registers its content.

    A failed import is reported once by a :class:`PackageWarning`.
    """
    if entry in _failed:
        return
    try:
        if entry.module in sys.modules:
            importlib.import_module(entry.module)  # waits while another thread imports it
        else:
            entry.load()
    except (Exception, SystemExit) as error:
        _failed.add(entry)
        package = entry.dist.name if entry.dist else entry.module
        warnings.warn(
            f"{entry.name!r} of the package {package} ({entry.group}) cannot be used: "
            f"{type(error).__name__}: {error}",
            PackageWarning,
            stacklevel=3,
        )


def version_of(module: str) -> str:
    """Name and version of the package that declares a module's games or agents; empty for ours."""
    top = module.partition(".")[0]
    if top == OWN:
        return ""
    for each in (*declared(GAMES), *declared(AGENTS)):
        if each.dist is not None and each.module.partition(".")[0] == top:
            return f"{each.dist.name} {each.dist.version}"
    return ""


def import_own(name: str) -> ModuleType:
    """Import a user's module, which may be in the current folder.

    Raises:
        SpecificationError: it does not exist, or cannot be imported.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise SpecificationError(
                f"there is no module {name!r}, neither installed nor in {here}"
            ) from None
        raise SpecificationError(f"importing {name!r} failed: {error}") from error
    except (Exception, SystemExit) as error:
        raise SpecificationError(
            f"importing {name!r} failed: {type(error).__name__}: {error}"
        ) from error
