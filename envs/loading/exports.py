"""Names that a package exports, each loaded when it is first asked for.

A package's ``__init__`` that imported them would make every import of one of its files load all of
them: kernels, solvers, stores.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def exports_on_demand(package: str, files: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package (PEP 562).

    The package itself imports the same names under ``if TYPE_CHECKING``, and lists them in
    ``__all__``.

    Args:
        package: the name of the package.
        files: the exported names by the relative name of the module that holds them. The modules
            are exported too.
    """
    homes = {name: file for file, names in files.items() for name in names}
    modules = {file.rpartition(".")[2]: file for file in files}

    def __getattr__(name: str) -> Any:
        if name in homes:
            value = getattr(importlib.import_module(homes[name], package), name)
        elif name in modules:
            value = importlib.import_module(modules[name], package)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__
