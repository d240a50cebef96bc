"""PettingZoo's own tests pass on every game and several sizes, without warnings that could be
avoided.
"""

from __future__ import annotations

import warnings

import pytest
from helpers import ALL_GAMES, GAMES
from pettingzoo.test import api_test, render_test, seed_test
from plyground.envs.aec import env, raw_env

INHERENT = (
    # PettingZoo gives these two about every environment with a dictionary observation whose name is
    # not on its own list. Its connect_four_v3 is on the list; nobody else can be.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
    # An empty board is all zeros, in connect_four_v3 as well.
    "Observation numpy array is all zeros",
)


@pytest.fixture
def _strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in INHERENT:
            warnings.filterwarnings("ignore", message)
        yield


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_api(spec, make):
    api_test(make(spec), num_cycles=300)
    api_test(make(spec, agents=("player_1", "player_2")), num_cycles=100)


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_seeds(spec, make):
    seed_test(lambda: make(spec))


@pytest.mark.usefixtures("_strict")
@pytest.mark.fast_cases(len(GAMES))
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_rendering(spec):
    def make(render_mode):
        made = env(spec, render_mode=render_mode)
        made.metadata["render_fps"] = 1000  # nobody watches
        return made

    render_test(make)


def test_the_inherent_warnings_are_given_about_any_environment_of_another_name():
    with pytest.warns(UserWarning, match="Observation is not a NumPy array") as warnings:
        api_test(env("connect_four"), num_cycles=100)
    assert {str(warning.message).rstrip(".") for warning in warnings} <= set(INHERENT)
