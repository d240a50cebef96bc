"""PettingZoo's own tests pass on every game and several sizes, without warnings that could be
avoided.
"""

from __future__ import annotations

import itertools
import time
import warnings

import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from plyground.envs.aec import env, raw_env

SPECS = [
    "tic_tac_toe",
    "tic_tac_toe:size=4",
    "tic_tac_toe:rows=3,cols=7,connect=3",
    "connect_four",
    "connect_four:rows=4,cols=4,connect=3",
    "connect_four:rows=8,cols=6,connect=5",
    "dots_and_boxes",
    "dots_and_boxes:rows=1,cols=2",
    "dots_and_boxes:dots=3x4,reward=margin",
    "dots_and_boxes:rows=2,cols=2,start=swedish,reward=margin",
    "gomoku",
    "gomoku:size=10,rule=caro",
    "gomoku:size=7,rule=standard",
    "gomoku:rows=6,cols=8,rule=caro_overline,connect=4",
]
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
@pytest.mark.parametrize("spec", SPECS)
def test_api(spec, make):
    api_test(make(spec), num_cycles=300)


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("spec", SPECS)
def test_seeds(spec, make):
    seed_test(lambda: make(spec))


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("spec", SPECS)
def test_rendering(spec):
    def make(render_mode):
        made = env(spec, render_mode=render_mode)
        made.metadata["render_fps"] = 1000  # nobody watches
        return made

    render_test(make)


@pytest.mark.parametrize("spec", SPECS)
def test_performance_benchmark_runs(spec, monkeypatch, capsys):
    """On a clock that moves by a hundredth of a second whenever it is read."""
    readings = itertools.count()
    monkeypatch.setattr(time, "time", lambda: next(readings) / 100)
    performance_benchmark(env(spec))
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_the_inherent_warnings_are_given_about_any_environment_of_another_name():
    with pytest.warns(UserWarning, match="Observation is not a NumPy array") as caught:
        api_test(env("connect_four"), num_cycles=100)
    assert {str(warning.message).rstrip(".") for warning in caught} <= set(INHERENT)
