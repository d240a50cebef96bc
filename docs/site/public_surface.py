"""The public surface: every exported name with its signature, as text.

    python docs/site/public_surface.py            # prints it
    python docs/site/public_surface.py --write    # writes tests/data/public_surface.txt

A change of the surface is then seen in review, and belongs into the changelog.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGES = (
    "plyground",
    "plyground.envs",
    "plyground.agents",
    "plyground.training",
    "plyground.evaluation",
)
RECORD = Path(__file__).parents[2] / "tests" / "data" / "public_surface.txt"
FORWARD = re.compile(r"ForwardRef\(([^()]*)\)")
ADDRESS = re.compile(r"<(?:function|bound method) (?:\S*\.)?(\S+).*? at 0x\w+>")


def signature(function: Any) -> str:
    """A signature with its annotations as they are written, without addresses of objects."""
    try:
        text = str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(…)"
    return FORWARD.sub(r"\1", ADDRESS.sub(r"<\1>", text.replace("'", "")))


def members(cls: type) -> Iterator[str]:
    """The public methods, properties and fields that a class defines itself, in plain order."""
    annotations = dict.fromkeys(vars(cls).get("__annotations__", {}))
    for name in sorted({**vars(cls), **annotations}):
        if name.startswith("_"):
            continue
        value = inspect.getattr_static(cls, name, None)
        if isinstance(value, staticmethod | classmethod):
            yield f"{name}{signature(value.__func__)}"
        elif inspect.isfunction(value):
            yield f"{name}{signature(value)}"
        else:
            yield name


def lines() -> Iterator[str]:
    """One line for each name, and one for each member of an exported class."""
    homes: dict[int, str] = {}
    for package in sorted(PACKAGES, reverse=True):  # the package of all comes last
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            home = homes.setdefault(id(value), f"{package}.{name}")
            if home != f"{package}.{name}":
                yield f"{package}.{name} = {home}"
            elif inspect.isclass(value):
                yield f"{package}.{name}{signature(value)}"
                if value.__module__.startswith((package, "plyground.extras.")):
                    yield from (f"    {member}" for member in members(value))
            elif callable(value):
                yield f"{package}.{name}{signature(value)}"
            else:
                yield f"{package}.{name}: {type(value).__name__}"


if __name__ == "__main__":
    surface = "\n".join(lines()) + "\n"
    if "--write" in sys.argv:
        RECORD.write_text(surface, encoding="utf-8")
    else:
        print(surface, end="")
