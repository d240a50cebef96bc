"""Games and agents that installed packages bring, and modules that a user names.

A package declares an entry point for each: in its ``pyproject.toml``

    [project.entry-points."plyground.games"]
    breakthrough = "my_package.rules:Breakthrough"

    [project.entry-points."plyground.agents"]
    cautious = "my_package.agents:Cautious"

Its name is that of the game, with ``_v1`` if it is not version 0, or that of the agent. Importing
the module registers it. Nothing is imported before a name is asked for that is not plyground's own.

Source: the Python Packaging User Guide, "Entry points specification".
"""

from __future__ import annotations

import functools
import importlib
import sys
import warnings
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from ..specification import SpecificationError

GAMES, AGENTS = "plyground.games", "plyground.agents"

_loaded: set[str] = set()


class PackageWarning(UserWarning):
    """A package whose games or agents cannot be used."""


@functools.cache
def declared(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, :data:`GAMES` or :data:`AGENTS`, in the order of their names."""
    return tuple(sorted(entry_points(group=group), key=lambda each: each.name))


def load_packages(group: str) -> None:
    """Import what the packages declare in a group, once; it registers itself.

    A package that cannot be imported is told by a :class:`PackageWarning`; the others are imported.
    """
    if group in _loaded:
        return
    _loaded.add(group)  # before: a module may ask for names while it is imported
    for each in declared(group):
        try:
            each.load()
        except (Exception, SystemExit) as error:
            package = each.dist.name if each.dist else each.module
            warnings.warn(
                f"{each.name!r} of the package {package} ({group}) cannot be used: "
                f"{type(error).__name__}: {error}",
                PackageWarning,
                stacklevel=2,
            )


def version_of(module: str) -> str:
    """Name and version of the package that declares a module's games or agents; empty: none."""
    top = module.partition(".")[0]
    for each in (*declared(GAMES), *declared(AGENTS)):
        if each.dist is not None and each.module.partition(".")[0] == top:
            return f"{each.dist.name} {each.dist.version}"
    return ""


def import_own(name: str) -> ModuleType:
    """Import a module of the user's, which is looked for in the current folder too.

    Raises:
        SpecificationError: there is none, or it cannot be imported.
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
