"""The AEC environments: copies, positions that are set, names of agents."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import plyground
import pytest
from plyground.envs import check_env, connect_four_v0, tic_tac_toe_v0
from plyground.envs.aec import env as make_env
from plyground.envs.single_agent.wrappers import LastMoves, RandomOpening
from plyground.envs.specification import SpecificationError


def copies(environment):
    return [copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))]


def test_a_copy_draws_the_same_samples():
    environment = connect_four_v0.env()
    environment.reset()
    environment.action_space("player_0").seed(5)
    for duplicate in copies(environment):
        expected = copy.deepcopy(environment.action_space("player_0"))
        assert [duplicate.action_space("player_0").sample() for _ in range(20)] == [
            expected.sample() for _ in range(20)
        ]


def test_observations_belong_to_the_caller():
    environment = tic_tac_toe_v0.env()
    environment.reset()
    for _ in range(2):
        observation = environment.last()[0]
        assert observation["action_mask"].tolist() == [1] * 9
        assert not observation["observation"].any()
        observation["action_mask"][:] = 0
        observation["observation"][:] = 1
    assert environment.infos["player_0"]["action_mask"].tolist() == [1] * 9
    environment.step(0)
    assert not any(environment.terminations.values())


def test_set_position_goes_on_from_there():
    environment = connect_four_v0.env()
    game = environment.game
    start = game.position("ababab")
    environment.set_position(start)
    assert environment.agents == ["player_0", "player_1"]
    assert environment.agent_selection == "player_0"
    environment.step(0)
    assert environment.rewards == {"player_0": 1, "player_1": -1}
    assert start == game.position("ababab")
    environment.reset()
    assert environment.position == game.initial_position()


def test_set_position_after_the_end_starts_a_new_episode_and_a_finished_position_is_over():
    environment = tic_tac_toe_v0.env()
    over = environment.game.position([0, 3, 1, 4, 2])
    environment.set_position(over)
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards == {"player_0": 0, "player_1": 0}
    while environment.agents:
        environment.step(None)
    environment.set_position(environment.game.position([4]))
    assert environment.agents == ["player_0", "player_1"]
    assert environment.agent_selection == "player_1"


def test_set_position_refuses_what_it_cannot_play():
    environment = connect_four_v0.env()
    with pytest.raises(
        ValueError,
        match="this environment plays connect_four; the position is one of connect_four:rows=5",
    ):
        environment.set_position(plyground.make_game("connect_four:rows=5").initial_position())
    with pytest.raises(TypeError, match="set_position takes a Position, not ndarray"):
        environment.set_position(np.zeros(3))


def test_unknown_agents_and_render_modes_are_named():
    environment = tic_tac_toe_v0.env()
    environment.reset()
    with pytest.raises(
        ValueError, match="there is no agent 'player_2'; the agents are player_0 and player_1"
    ):
        environment.observe("player_2")
    with pytest.raises(
        ValueError,
        match="render_mode='gif' is not possible; it is one of human, rgb_array, ansi or None",
    ):
        tic_tac_toe_v0.env(render_mode="gif")
    with pytest.raises(ValueError, match="connect_four got an unexpected keyword argument 'size'"):
        connect_four_v0.env(size=3)


NAMES = ("player_1", "player_2")


@pytest.mark.parametrize("agents", ["ab", ("a",), ("a", "a"), ("", "b"), ("a", 2), ("a", "b", "c")])
def test_agents_are_two_different_names(agents):
    with pytest.raises(SpecificationError, match="agents are two different names, not "):
        make_env("tic_tac_toe", agents=agents)


def test_wrappers_and_checks_take_other_names_of_agents():
    environment = RandomOpening(LastMoves(connect_four_v0.env(agents=NAMES), 2), 4)
    environment.reset(seed=1)
    assert environment.observe(environment.agent_selection)["observation"].shape == (6, 7, 4)
    check_env(connect_four_v0.env(agents=NAMES))
