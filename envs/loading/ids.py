"""The ids under which Gymnasium and PettingZoo make environments.

An id is registered by the name of a function. Nothing of a game is loaded until an environment of
it is made.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import pettingzoo

GAME_MODULE = re.compile(r"(\w+)_v(\d+)")  # such as plyground.envs.connect_four_v0


def register_built_in_ids(envs: str, folder: str, learner_functions: str) -> None:
    """Register the environments of all games that come with plyground.

    Args:
        envs: the package that holds a module for each game, such as ``hex_v0``.
        folder: its folder.
        learner_functions: the module that makes environments for learners.
    """
    for module in pkgutil.iter_modules([folder]):
        if match := GAME_MODULE.fullmatch(module.name):
            name, version = match[1], int(match[2])
            register_with_pettingzoo(name, version, f"{envs}.{module.name}:env")
            register_with_gymnasium(name, version, learner_functions)


def gymnasium_id(name: str, version: int) -> str:
    """The id of a game's Gymnasium environments: ``plyground/ConnectFour-v0``."""
    return f"plyground/{name.title().replace('_', '')}-v{version}"


def register_with_gymnasium(name: str, version: int, functions: str) -> str:
    """Make the environments of a game known to Gymnasium; returns their id.

    Args:
        name: the name of the game.
        version: its version.
        functions: the module with ``make_env`` and ``make_vector_env``.
    """
    env_id = gymnasium_id(name, version)
    if env_id not in gymnasium.registry:
        gymnasium.register(
            env_id,
            entry_point=f"{functions}:make_env",
            vector_entry_point=f"{functions}:make_vector_env",
            kwargs={"game": name},
        )
    return env_id


def register_with_pettingzoo(name: str, version: int, env: Callable[..., Any] | str) -> None:
    """Make a game's environment known to ``pettingzoo.make``; the first registration stays.

    PettingZoo before 1.27 has no registry.
    """
    env_id = f"plyground/{name}-v{version}"
    if env_id not in getattr(pettingzoo, "aec_registry", (env_id,)):
        pettingzoo.register("aec", env_id, entry_point=env)
