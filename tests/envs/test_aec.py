"""The AEC environments: rewards, masks, copies, positions."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import plyground
import pytest
from aec_states import same_observation, same_state
from plyground.envs import check_env, connect_four_v0, dots_and_boxes_v0, tic_tac_toe_v0
from plyground.envs.aec import env as make_env
from plyground.envs.single_agent.wrappers import LastMoves, RandomOpening
from plyground.envs.specification import SpecificationError

# One row of two boxes: edges 0 1 above, 2 3 below, 4 5 6 from left to right. Worked out by hand:
# after 0 2 4 1 3 the left box lacks its right side 5 and the right box lacks 5 and 6; it is
# player_1's turn, 6 would give both boxes away, 5 completes the left one.
BY_HAND = [
    # action, agent that plays it, margin rewards after it, its cumulative rewards after it, agent
    # selected next
    (0, "player_0", (0, 0), (0, 0), "player_1"),
    (2, "player_1", (0, 0), (0, 0), "player_0"),
    (4, "player_0", (0, 0), (0, 0), "player_1"),
    (5, "player_1", (-1, 1), (-1, 1), "player_1"),  # completes the left box and moves again
    # what it got for 5 counted until its own next step
    (1, "player_1", (0, 0), (-1, 0), "player_0"),
    (3, "player_0", (0, 0), (0, 0), "player_1"),
    (6, "player_1", (-1, 1), (-1, 1), "player_1"),
]


@pytest.mark.parametrize("make", [dots_and_boxes_v0.env, dots_and_boxes_v0.raw_env])
def test_margin_rewards_of_one_by_two_boxes_as_worked_out_by_hand(make):
    environment = make(rows=1, cols=2, reward="margin")
    environment.reset()
    for action, agent, rewards, cumulative, selected in BY_HAND:
        assert environment.agent_selection == agent
        environment.step(action)
        assert tuple(environment.rewards.values()) == rewards
        assert tuple(environment._cumulative_rewards.values()) == cumulative
        assert environment.agent_selection == selected
    assert environment.position.returns == (-2, 2)
    assert environment.last()[1:4] == (1, True, False)
    environment.step(None)
    assert environment.last()[1:4] == (-1, True, False)
    environment.step(None)
    assert environment.agents == []


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


def test_agents_have_the_names_that_are_given():
    environment, usual = tic_tac_toe_v0.env(agents=NAMES), tic_tac_toe_v0.env()
    for each in (environment, usual):
        each.reset()
    for action in (4, 0, 8, 2, 6, 1):  # the second wins
        duplicate = pickle.loads(pickle.dumps(copy.deepcopy(environment)))
        for each in (environment, duplicate, usual):
            each.step(action)
        same_state(environment, duplicate)
        mover = usual.possible_agents.index(usual.agent_selection)
        assert environment.agent_selection == NAMES[mover]
        assert [*environment.rewards.items()] == [*zip(NAMES, usual.rewards.values())]
        for agent, name in zip(NAMES, usual.possible_agents):
            same_observation(environment.observe(agent), usual.observe(name), False)
            assert environment.infos[agent]["action_mask"].tolist() == (
                usual.infos[name]["action_mask"].tolist()
            )
    assert (environment.possible_agents, environment.agents) == (list(NAMES), list(NAMES))
    assert environment.terminations == dict.fromkeys(NAMES, True)
    environment.reset()
    environment.step(0)
    environment.step(0)  # illegal
    assert environment.rewards == {"player_1": 0, "player_2": -1}
    with pytest.raises(ValueError, match="the agents are player_1 and player_2"):
        environment.observe("player_0")


@pytest.mark.parametrize("agents", ["ab", ("a",), ("a", "a"), ("", "b"), ("a", 2), ("a", "b", "c")])
def test_agents_are_two_different_names(agents):
    with pytest.raises(SpecificationError, match="agents are two different names, not "):
        make_env("tic_tac_toe", agents=agents)


def test_wrappers_and_checks_take_other_names_of_agents():
    environment = RandomOpening(LastMoves(connect_four_v0.env(agents=NAMES), 2), 4)
    environment.reset(seed=1)
    assert environment.observe(environment.agent_selection)["observation"].shape == (6, 7, 4)
    check_env(connect_four_v0.env(agents=NAMES))
