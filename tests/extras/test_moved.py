"""Modules that moved to extras answer to their former names."""

from __future__ import annotations

import importlib
import inspect

import plyground
import pytest
from plyground.envs.loading.packages import MODULES, declared


@pytest.mark.parametrize("moved", declared(MODULES), ids=lambda moved: moved.name)
def test_a_former_name_answers_as_the_module_does(moved):
    if moved.attr:
        package, _, name = f"plyground.{moved.name}".rpartition(".")
        assert getattr(importlib.import_module(package), name) is moved.load()
        return
    former = importlib.import_module(f"plyground.{moved.name}")
    module = importlib.import_module(moved.module)
    assert former.__doc__ == module.__doc__
    names = [name for name, _ in inspect.getmembers(module) if not name.startswith("__")]
    assert [name for name in names if getattr(former, name) is not getattr(module, name)] == []


def test_what_is_below_a_former_name_is_found_there():
    from plyground.agents.external.gomocup.brain import Brain
    from plyground.envs.adapters.prompts import describe
    from plyground.extras.bridges.adapters import prompts
    from plyground.extras.gomoku_engine.gomocup import brain

    assert Brain is brain.Brain
    assert describe is prompts.describe


def test_a_name_that_nothing_has_is_still_missing():
    with pytest.raises(ModuleNotFoundError, match=r"plyground\.nothing"):
        importlib.import_module("plyground.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"bridges\.nothing"):
        importlib.import_module("plyground.agents.external.nothing")


def test_the_games_of_extras_are_environments_by_name():
    for rules in plyground.envs.BUILT_IN:
        module = getattr(plyground.envs, rules.declaration.game_id)
        assert module.env(render_mode=None).unwrapped.metadata["name"] == rules.declaration.game_id
