"""The AEC environments: rewards, masks, copies, positions."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import plyground
import pytest
from aec_states import same_observation, same_state
from plyground.envs import (
    check_env,
    connect_four_v0,
    dots_and_boxes_v0,
    gomoku_v0,
    tic_tac_toe_v0,
)
from plyground.envs.aec import env as make_env
from plyground.envs.aec import raw_env as make_raw_env
from plyground.envs.single_agent.wrappers import LastMoves, RandomOpening
from plyground.envs.specification import SpecificationError

SPECS = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "connect_four",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=3,reward=margin",
    "gomoku:size=6,rule=caro",
]


@pytest.mark.parametrize("spec", SPECS)
def test_an_illegal_action_ends_the_game_against_the_agent(spec):
    environment = make_env(spec)
    environment.reset()
    environment.step(0)
    mover = environment.agent_selection
    # fill up until action 0 is illegal for sure (connect four needs several discs)
    for _ in range(20):
        if environment.infos[environment.agent_selection]["action_mask"][0] == 0:
            break
        environment.step(0)
    mover = environment.agent_selection
    environment.step(0)
    assert environment.rewards[mover] == environment._cumulative_rewards[mover] == -1
    assert all(environment.terminations.values())
    assert all(environment.truncations.values())
    assert not any(
        environment.observe(agent)["action_mask"].any() for agent in environment.possible_agents
    )
    while environment.agents:
        environment.step(None)


@pytest.mark.parametrize("spec", SPECS)
def test_masks_say_what_is_legal_and_only_for_the_agent_to_move(spec):
    environment = make_env(spec)
    rng = random.Random(1)
    for _ in range(5):
        environment.reset()
        while not environment.terminations[environment.agent_selection]:
            agent = environment.agent_selection
            position = environment.position
            other = environment.possible_agents[1 - environment.possible_agents.index(agent)]
            assert position.to_move == environment.possible_agents.index(agent)
            for mask in (
                environment.observe(agent)["action_mask"],
                environment.infos[agent]["action_mask"],
                environment.observe(agent)["action_mask"],
            ):
                assert np.flatnonzero(mask).tolist() == position.legal_actions()
            for mask in (
                environment.observe(other)["action_mask"],
                environment.infos[other]["action_mask"],
            ):
                assert not mask.any()
            for player, name in enumerate(environment.possible_agents):
                assert np.array_equal(
                    environment.observe(name)["observation"], position.observation(player)
                )
            environment.step(rng.choice(position.legal_actions()))
        for agent in environment.possible_agents:
            assert not environment.observe(agent)["action_mask"].any()
            assert not environment.infos[agent]["action_mask"].any()


@pytest.mark.parametrize("spec", SPECS)
def test_rewards_add_up_to_the_result(spec):
    environment = make_env(spec)
    rng = random.Random(2)
    for _ in range(10):
        environment.reset()
        totals = dict.fromkeys(environment.possible_agents, 0.0)
        for agent in environment.agent_iter():
            observation, reward, terminated, _, _ = environment.last()
            totals[agent] += reward
            environment.step(
                None
                if terminated
                else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            )
        assert tuple(totals.values()) == environment.position.returns


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


def test_win_rewards_of_one_by_two_boxes_come_at_the_end_only():
    environment = dots_and_boxes_v0.env(rows=1, cols=2)
    environment.reset()
    for action, *_ in BY_HAND[:-1]:
        environment.step(action)
        assert tuple(environment.rewards.values()) == (0, 0)
    environment.step(BY_HAND[-1][0])
    assert tuple(environment.rewards.values()) == (-1, 1)


def test_one_edge_can_complete_two_boxes():
    environment = dots_and_boxes_v0.env(rows=1, cols=2, reward="margin")
    environment.reset()
    for action in (0, 1, 2, 3, 4, 6, 5):
        environment.step(action)
    assert environment.rewards == {"player_0": 2, "player_1": -2}
    assert environment.agent_selection == "player_0"


def copies(environment):
    return [copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))]


@pytest.mark.parametrize("make", [make_env, make_raw_env])
@pytest.mark.parametrize("spec", SPECS)
def test_copies_in_mid_game_go_on_by_themselves(spec, make):
    environment = make(spec)
    # before reset too
    assert all(duplicate.game == environment.game for duplicate in copies(environment))
    environment.reset()
    rng = random.Random(3)
    for _ in range(4):
        environment.step(rng.choice(environment.position.legal_actions()))
    before = environment.position.copy()
    for duplicate in copies(environment):
        same_state(duplicate, environment)
        same_observation(
            duplicate.last()[0], environment.observe(environment.agent_selection), game_over=False
        )
        assert duplicate.observation_space("player_0") == environment.observation_space("player_0")
        duplicate.step(duplicate.position.legal_actions()[0])
        assert duplicate.position == before.after(before.legal_actions()[0])
        assert environment.position == before


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


@pytest.mark.parametrize("spec", SPECS)
def test_an_agent_acts_on_the_live_environment_and_on_an_observation(spec):
    environment = make_env(spec)
    environment.reset()
    agent, watcher = (
        plyground.make_agent("random", seed=4),
        plyground.make_agent("random", game=spec, seed=4),
    )
    while not environment.terminations[environment.agent_selection]:
        observation = environment.last()[0]
        action = agent.act(environment)
        assert action == watcher.act(observation)
        environment.step(action)


def test_state_is_the_board_as_player_0_sees_it():
    environment = gomoku_v0.env(size=7)
    environment.reset()
    environment.step(10)
    assert np.array_equal(environment.state(), environment.observe("player_0")["observation"])


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
