"""Names that a package exports, each loaded when it is first asked for.

A package's ``__init__`` that imported them would make every import of one of its files load all of
them: kernels, solvers, stores.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def exports_on_demand(package: str, file: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package (PEP 562): it imports what is asked for.

    The exports are the names that the package imports under ``if TYPE_CHECKING``, where type
    checkers read them, and the modules that hold them.

    Args:
        package: the name of the package.
        file: its ``__init__.py``.
    """
    homes: dict[str, tuple[str, str]] = {}  # of a name: its module, and its name there
    for node in _imports_for_type_checkers(Path(file)):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            homes[alias.asname or alias.name] = (module, alias.name)
    modules = {home.removeprefix(".").partition(".")[0] for home, _ in homes.values()} - {""}

    def __getattr__(name: str) -> Any:
        if name not in homes and name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, attribute = homes.get(name, (".", name))
        value: Any = None if home == "." else importlib.import_module(home, package)
        if hasattr(value, attribute):
            value = getattr(value, attribute)
        else:  # a module, as in "from … import"
            value = importlib.import_module(f"{home.rstrip('.')}.{attribute}", package)
        setattr(sys.modules[package], name, value)
        return value

    exports = {*homes, *modules}
    vars(sys.modules[package])["__dir__"] = lambda: sorted({*vars(sys.modules[package]), *exports})
    return __getattr__


def _imports_for_type_checkers(path: Path) -> list[ast.ImportFrom]:
    """The imports that stand under ``if TYPE_CHECKING`` in a file."""
    blocks = [
        block.body
        for block in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
    ]
    return [node for body in blocks for node in body if isinstance(node, ast.ImportFrom)]
