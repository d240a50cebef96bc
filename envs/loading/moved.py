"""Modules that have moved since 1.0 can be imported by their former names.

``pyproject.toml`` lists them under :data:`~plyground.envs.loading.packages.MODULES`: the former
name without ``plyground.``, and the module. What is below them has moved along. A class that a
package exported is listed so too.

Source: the Python documentation, "The import system", on finders and loaders.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import lazy_loader  # type: ignore[import-untyped]

from .packages import MODULES, OWN, declared


class _Moved(MetaPathFinder, Loader):
    """Stands last: it is asked where nothing has the name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module in the place of a former name."""
        top, _, former = name.partition(".")
        if top != OWN:
            return None
        for each in reversed(declared(MODULES)):  # of two, the inner one comes last
            if f"{former}.".startswith(f"{each.name}."):
                state = each.module + former.removeprefix(each.name)
                return ModuleSpec(name, self, loader_state=state, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Let the former name answer as the module that it stands for does."""
        spec = module.__spec__
        successor = importlib.import_module(spec.loader_state if spec else "")
        module.__doc__ = successor.__doc__
        module.__getattr__ = functools.partial(getattr, successor)  # type: ignore[method-assign]


def answer_former_names() -> None:
    """Let ``import`` take the former names, in this process."""
    if not any(isinstance(each, _Moved) for each in sys.meta_path):
        sys.meta_path.append(_Moved())


def attach_stub(package: str, file: str) -> tuple[Any, Any, list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package: its stub, and what has moved.

    Args:
        package: its ``__name__``.
        file: its ``__file__``.
    """
    export, list_names, names = lazy_loader.attach_stub(package, file)

    def __getattr__(name: str) -> Any:
        try:
            return export(name)
        except AttributeError:
            former = f"{package}.{name}".partition(".")[2]
            for each in declared(MODULES):
                if each.name == former:
                    return each.load()
            raise

    return __getattr__, list_names, names
