"""How environments are made: the functions of each game, ids, fresh processes."""

from __future__ import annotations

import pickle
import sys
import warnings

import pettingzoo
import plyground
import pytest
from helpers import run_python
from plyground.envs import BoardEnv


@pytest.mark.parametrize("rules", plyground.envs.BUILT_IN, ids=lambda rules: rules.declaration.name)
def test_every_game_has_both_front_doors(rules):
    declaration = rules.declaration
    parameters = {parameter.name: parameter.default for parameter in declaration.parameters}
    module = getattr(plyground.envs, declaration.game_id)
    name = f"plyground/{declaration.name}-v{declaration.version}"
    for environment in (
        pettingzoo.make("aec", name, render_mode="ansi", **parameters),
        module.env(render_mode="ansi", **parameters),
        module.raw_env("ansi", **parameters),
    ):
        assert isinstance(environment, BoardEnv)
        assert environment.game == plyground.make_game(declaration.name)
        assert str(environment) == environment.metadata["name"] == declaration.game_id
        assert environment.render_mode == "ansi"
    assert sys.modules[module.__name__] is module
    for function in (module.env, module.raw_env):
        assert pickle.loads(pickle.dumps(function)) is function
        assert all(name in function.__doc__ for name in parameters)


def test_the_front_doors_open_in_a_fresh_process_without_a_graphics_library():
    program = """
import sys, plyground, pettingzoo
assert not {"pygame", "PIL", "pettingzoo.test"} & set(sys.modules), sorted(sys.modules)
import plyground.envs.dots_and_boxes_v0
from plyground.envs import connect_four_v0
from plyground.envs.connect_four_v0 import raw_env
environment = pettingzoo.make("aec", "plyground/connect_four-v0", rows=5)
environment.reset()
print(environment.observe("player_0")["observation"].shape)
"""
    assert run_python("-W", "error", "-c", program) == "(5, 7, 2)\n"


def test_making_the_functions_of_a_game_twice_neither_warns_nor_breaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rules in plyground.envs.BUILT_IN:
            env, raw_env = plyground.envs.env_functions(rules)
            assert env().game == raw_env().game == plyground.make_game(rules.declaration.name)


def test_an_environment_of_another_version_is_named():
    with pytest.raises(ImportError, match="connect_four_v9"):
        exec("from plyground.envs import connect_four_v9")
    message = "there is no environment 'connect_four_v9'; did you mean 'connect_four_v0'"
    with pytest.raises(AttributeError, match=message):
        plyground.envs.connect_four_v9  # noqa: B018


def test_the_package_is_imported_with_a_pettingzoo_that_has_no_registry():
    program = """
import pettingzoo
del pettingzoo.aec_registry, pettingzoo.register, pettingzoo.make  # as before 1.27
from plyground.envs import tic_tac_toe_v0
environment = tic_tac_toe_v0.env()
environment.reset()
print(environment.agent_selection)
"""
    assert run_python("-c", program) == "player_0\n"
