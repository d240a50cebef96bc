"""Games: rules, positions, and environments such as ``plyground.envs.connect_four_v0``."""

from __future__ import annotations

import importlib
from typing import Any

import lazy_loader

from .loading.packages import GAMES, own_extras

_export, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import exported names, and ``plyground.envs.connect_four_v0``, on first access.

    For an unknown game or version, the error lists the existing ones.
    """
    if not name.rpartition("_v")[2].isdigit():
        return _export(name)
    module = f"{__name__}.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
    for each in own_extras(GAMES):  # each has its environments next to its rules
        if name in (each.name, f"{each.name}_v0"):
            return importlib.import_module(f"{each.module.rpartition('.')[0]}.environment")
    from .registry import BUILT_IN
    from .specification import SpecificationError, check_names

    game_ids = [rules_type.declaration.game_id for rules_type in BUILT_IN]  # type: ignore[attr-defined]
    try:
        check_names("there is no environment", [name], game_ids)
    except SpecificationError as error:
        raise AttributeError(str(error)) from None
    raise AttributeError(f"{name} is missing in {__name__}")
