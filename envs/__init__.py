"""Games: rules, positions, and environments such as ``plyground.envs.connect_four_v0``."""

from __future__ import annotations

from types import ModuleType

from .aec import BoardEnv, IllegalMoveError, environment_module
from .conformance import ConformanceError, check_env, check_game
from .declaration import Facts, declare_game
from .game import Game, IllegalActionError, Outcome, Position
from .registry import BUILT_IN, make_game, register_game
from .specification import Parameter, SpecificationError, check_names

__all__ = [
    "BUILT_IN",
    "BoardEnv",
    "ConformanceError",
    "Facts",
    "Game",
    "IllegalActionError",
    "IllegalMoveError",
    "Outcome",
    "Parameter",
    "Position",
    "SpecificationError",
    "check_env",
    "check_game",
    "declare_game",
    "environment_module",
    "make_game",
    "register_game",
]

_modules = {module.__name__.rpartition(".")[2]: module for module in map(environment_module, BUILT_IN)}


def __getattr__(name: str) -> ModuleType:
    """Called for a name that does not exist: an environment of another version or game gets a helpful answer."""
    if name.rpartition("_v")[2].isdigit():
        try:
            check_names("there is no environment", [name], _modules)
        except SpecificationError as error:
            raise AttributeError(str(error)) from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
