"""Games: rules, positions, and environments such as ``plyground.envs.connect_four_v0``."""

from __future__ import annotations

import importlib
from types import ModuleType

from .aec import BoardEnv, IllegalMoveError, env_functions, register_id
from .conformance import ConformanceError, Ledger, check_env, check_game, trace
from .declaration import Bound, Complexity, Facts, declare_game
from .game import (
    Game,
    IllegalActionError,
    IllegalPositionError,
    Outcome,
    Position,
)
from .registry import BUILT_IN, make_game, register_game
from .specification import Parameter, SpecificationError, check_names

__all__ = [
    "BUILT_IN",
    "BoardEnv",
    "Bound",
    "Complexity",
    "ConformanceError",
    "Facts",
    "Game",
    "IllegalActionError",
    "IllegalMoveError",
    "IllegalPositionError",
    "Ledger",
    "Outcome",
    "Parameter",
    "Position",
    "SpecificationError",
    "check_env",
    "check_game",
    "declare_game",
    "env_functions",
    "make_game",
    "register_game",
    "trace",
]

for _declaration in (rules_type.declaration for rules_type in BUILT_IN):  # type: ignore[attr-defined]
    register_id(_declaration, f"{__name__}.{_declaration.game_id}:env")


def __getattr__(name: str) -> ModuleType:
    """Import ``plyground.envs.connect_four_v0`` and the like when they are first asked for.

    An unknown game or version gets an error that names those that exist.
    """
    if name.rpartition("_v")[2].isdigit():
        known = [rules_type.declaration.game_id for rules_type in BUILT_IN]  # type: ignore[attr-defined]
        try:
            check_names("there is no environment", [name], known)
        except SpecificationError as error:
            raise AttributeError(str(error)) from None
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
