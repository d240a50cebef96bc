"""The ids under which Gymnasium and PettingZoo make environments.

An id is registered by the name of a function. No part of a game is loaded until its environment is
made, also for games of installed packages.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import pettingzoo

from .packages import GAMES, declared

GAME_MODULE = re.compile(r"(\w+)_v(\d+)")  # such as plyground.envs.connect_four_v0
ENVS = __name__.rpartition(".loading")[0]  # the package of the environments
LEARNERS = f"{ENVS.rpartition('.')[0]}.training.environments"  # for learners


def register_ids(envs: str, folder: str) -> None:
    """Register the environments of all games that come with plyground or with a package.

    Args:
        envs: the package that holds a module for each game, such as ``hex_v0``.
        folder: its folder.
    """
    for module in pkgutil.iter_modules([folder]):
        if match := GAME_MODULE.fullmatch(module.name):
            name, version = match[1], int(match[2])
            register_with_pettingzoo(name, version, f"{envs}.{module.name}:env")
            _register_with_gymnasium(name, version)
    for each in declared(GAMES):
        match = GAME_MODULE.fullmatch(each.name)
        register_game_ids(*((match[1], int(match[2])) if match else (each.name, 0)))


def register_game_ids(name: str, version: int) -> None:
    """Register the environments of a third-party game by its name."""
    _register_with_gymnasium(name, version)
    register_with_pettingzoo(name, version, functools.partial(_make_env, name))


def _make_env(name: str, **options: Any) -> Any:
    """The PettingZoo environment of a game by its name."""
    rules_type = importlib.import_module(f"{ENVS}.registry").rules_type(name)
    env, _ = importlib.import_module(f"{ENVS}.aec").env_functions(rules_type)
    return env(**options)


def gymnasium_id(name: str, version: int) -> str:
    """The id of a game's Gymnasium environments: ``plyground/ConnectFour-v0``."""
    return f"plyground/{name.title().replace('_', '')}-v{version}"


def _register_with_gymnasium(name: str, version: int) -> str:
    """Register the environments of a game with Gymnasium; returns their id."""
    env_id = gymnasium_id(name, version)
    if env_id not in gymnasium.registry:
        gymnasium.register(
            env_id,
            entry_point=f"{LEARNERS}:make_env",
            vector_entry_point=f"{LEARNERS}:make_vector_env",
            kwargs={"game": name},
        )
    return env_id


def register_with_pettingzoo(name: str, version: int, env: Callable[..., Any] | str) -> None:
    """Register a game's environment with ``pettingzoo.make``; the first registration stays.

    PettingZoo before 1.27 has no registry.
    """
    env_id = f"plyground/{name}-v{version}"
    if env_id not in getattr(pettingzoo, "aec_registry", (env_id,)):
        pettingzoo.register("aec", env_id, entry_point=env)
