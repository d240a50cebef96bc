"""Games: rules, positions, and environments such as ``plyground.envs.connect_four_v0``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .loading.exports import exports_on_demand
from .loading.version import __version__ as __version__

if TYPE_CHECKING:
    from .aec import BoardEnv, IllegalMoveError, env_functions
    from .conformance import ConformanceError, Ledger, check_env, check_game, trace
    from .declaration import Bound, Complexity, Facts, declare_game
    from .game import Game, IllegalActionError, IllegalPositionError, Outcome, Position
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
    "check_names",
    "declare_game",
    "env_functions",
    "make_game",
    "register_game",
    "trace",
]

_export = exports_on_demand(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import what is exported, and ``plyground.envs.connect_four_v0``, when first asked for.

    An unknown game or version gets an error that names those that exist.
    """
    if not name.rpartition("_v")[2].isdigit():
        return _export(name)
    from .registry import BUILT_IN
    from .specification import SpecificationError, check_names

    game_ids = [rules_type.declaration.game_id for rules_type in BUILT_IN]  # type: ignore[attr-defined]
    try:
        check_names("there is no environment", [name], game_ids)
    except SpecificationError as error:
        raise AttributeError(str(error)) from None
    return importlib.import_module(f"{__name__}.{name}")
