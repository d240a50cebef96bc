"""The AEC environments: side by side with PettingZoo's connect four, rewards, masks, copies,
positions.
"""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import warnings

import numpy as np
import pettingzoo
import plyground
import pytest
from pettingzoo.classic.connect_four import connect_four as pettingzoo_connect_four
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)
from plyground.envs import (
    BoardEnv,
    IllegalMoveError,
    connect_four_v0,
    dots_and_boxes_v0,
    gomoku_v0,
    tic_tac_toe_v0,
)
from plyground.envs.aec import env as make_env
from plyground.envs.aec import raw_env as make_raw_env

SPECS = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "connect_four",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=3,reward=margin",
    "gomoku:size=6,rule=caro",
]
ODD_ACTIONS = [-1, 7, 100, None, 2.5, "d", np.int8(3), np.float64(1.0)]
STATE = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "num_agents",
    "possible_agents",
)


@pytest.fixture(autouse=True)
def _quiet_environment_logger():
    EnvLogger.suppress_output()
    EnvLogger.flush()
    yield
    EnvLogger.flush()
    EnvLogger.unsuppress_output()


def outcome_of(action):
    """What a call does: its value, or the exception's type and message; and the warnings logged
    meanwhile.
    """
    EnvLogger.flush()
    try:
        result = action()
    except Exception as error:
        result = (type(error), str(error))
    return result, list(EnvLogger.mqueue)


def same_observation(ours, theirs, ended):
    assert np.array_equal(ours["observation"], theirs["observation"])
    assert ours["observation"].dtype == theirs["observation"].dtype
    # once the game is over nothing is legal here; PettingZoo goes on marking the columns that are
    # not full
    if not ended:
        assert np.array_equal(ours["action_mask"], theirs["action_mask"])
        assert ours["action_mask"].dtype == theirs["action_mask"].dtype


def same_state(ours, theirs, names=STATE):
    for name in names:
        if name == "agent_selection" and getattr(theirs, "agents", None) == []:
            continue  # nobody is left to be selected
        mine, other = (
            outcome_of(lambda name=name: copy.copy(getattr(ours, name))),
            outcome_of(lambda name=name: copy.copy(getattr(theirs, name))),
        )
        if name == "_cumulative_rewards" and isinstance(other[0], tuple):
            # an attribute neither has yet; the message names the class
            assert mine[0][0] is other[0][0]
        else:
            assert mine == other, name


def play_both(ours, theirs, rng, moves, odd):
    """Do the same random things to both environments, and compare everything that can be seen after
    each.
    """
    for _ in range(moves):
        ended = bool(theirs.agents) and theirs.terminations[theirs.agent_selection]
        if theirs.agents:
            mine, other = ours.last(), theirs.last()
            same_observation(mine[0], other[0], ended)
            assert mine[1:4] == other[1:4]
            for agent in theirs.possible_agents:
                same_observation(ours.observe(agent), theirs.observe(agent), ended)
        legal = np.flatnonzero(theirs.observe(theirs.agent_selection)["action_mask"]).tolist()
        if rng.random() < odd:
            action = rng.choice([*ODD_ACTIONS, *range(7)])
        else:
            action = None if ended or not legal else rng.choice(legal)
        assert outcome_of(lambda action=action: ours.step(action)) == outcome_of(
            lambda action=action: theirs.step(action)
        )
        same_state(ours, theirs)
        if not theirs.agents and rng.random() < 0.7:
            ours.reset(seed=1)
            theirs.reset(seed=1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("odd", [0.0, 0.1], ids=["legal", "odd"])
def test_env_does_what_the_wrapped_connect_four_of_pettingzoo_does(seed, odd):
    ours, theirs = connect_four_v0.env(), pettingzoo_connect_four.env()
    ours.reset()
    theirs.reset()
    play_both(ours, theirs, random.Random(seed), 150, odd)


@pytest.mark.parametrize("seed", range(6))
def test_raw_env_does_what_the_raw_connect_four_of_pettingzoo_does(seed):
    ours, theirs = connect_four_v0.raw_env(), pettingzoo_connect_four.raw_env()
    ours.reset()
    theirs.reset()
    rng = random.Random(seed)
    for _ in range(8):
        play_both(ours, theirs, rng, 1, 0)
        while theirs.agents:
            play_both(ours, theirs, rng, 1, 0)
        ours.reset()
        theirs.reset()


@pytest.mark.parametrize("spec", SPECS)
def test_env_does_what_raw_env_inside_the_wrappers_of_pettingzoo_does(spec):
    wrapped = TerminateIllegalWrapper(make_raw_env(spec), illegal_reward=-1)
    ours, theirs = make_env(spec), OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))
    ours.reset()
    theirs.reset()
    play_both(ours, theirs, random.Random(7), 300, odd=0.05)


def test_raw_env_refuses_an_illegal_action_as_pettingzoo_does():
    ours, theirs = connect_four_v0.raw_env(), pettingzoo_connect_four.raw_env()
    for environment in (ours, theirs):
        environment.reset()
        for _ in range(6):
            environment.step(0)
        with pytest.raises(AssertionError, match=r"^played illegal move\."):
            environment.step(0)
    same_state(ours, theirs)
    with pytest.raises(
        IllegalMoveError, match=r"action 0 \(a\) is not legal here; legal are 1 \(b\), 2 \(c\)"
    ):
        ours.step(0)
    with pytest.raises(
        IllegalMoveError, match=r"7 is no action of connect_four; actions are 0 to 6"
    ):
        ours.step(7)


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.last(),
        lambda env: env.render(),
        lambda env: env.state(),
        lambda env: env.agent_iter(),
        *(
            lambda env, name=name: getattr(env, name)
            for name in (
                "rewards",
                "terminations",
                "truncations",
                "infos",
                "agent_selection",
                "num_agents",
                "agents",
            )
        ),
    ],
)
def test_before_reset_env_answers_as_pettingzoo_does(call):
    ours, theirs = connect_four_v0.env(), pettingzoo_connect_four.env()
    answer = outcome_of(lambda: call(ours))
    assert answer == outcome_of(lambda: call(theirs))
    assert "reset" in answer[0][1]


def test_before_reset_raw_env_has_no_state_just_like_pettingzoo():
    ours, theirs = connect_four_v0.raw_env(), pettingzoo_connect_four.raw_env()
    for name in ("agents", "num_agents", "possible_agents"):
        assert getattr(ours, name) == getattr(theirs, name)
    for environment in (ours, theirs):
        for name in ("rewards", "terminations", "infos", "agent_selection"):
            with pytest.raises(AttributeError, match=rf"has no attribute '{name}'"):
                getattr(environment, name)
        with pytest.raises(AttributeError):
            environment.step(0)


@pytest.mark.parametrize(
    "make", [connect_four_v0.env, pettingzoo_connect_four.env], ids=["plyground", "pettingzoo"]
)
def test_a_loop_over_agent_iter_that_forgets_to_step_is_noticed(make):
    environment = make()
    environment.reset()
    with pytest.raises(
        AssertionError, match=r"need to call step\(\) or reset\(\) in a loop over `agent_iter`"
    ):
        for _ in environment.agent_iter():
            pass
    environment.step(0)
    assert list(zip(environment.agent_iter(1), range(5))) == [("player_1", 0)]


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
        received = dict.fromkeys(environment.possible_agents, 0.0)
        for agent in environment.agent_iter():
            observation, reward, terminated, _, _ = environment.last()
            received[agent] += reward
            environment.step(
                None
                if terminated
                else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            )
        assert tuple(received.values()) == environment.position.returns


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
            duplicate.last()[0], environment.observe(environment.agent_selection), ended=False
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
        seen = environment.last()[0]
        assert seen["action_mask"].tolist() == [1] * 9
        assert not seen["observation"].any()
        seen["action_mask"][:] = 0
        seen["observation"][:] = 1
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
    with pytest.raises(ValueError, match="connect_four has no parameter 'size'"):
        connect_four_v0.env(size=3)


@pytest.mark.parametrize("rules", plyground.envs.BUILT_IN, ids=lambda rules: rules.declaration.name)
def test_every_game_has_both_front_doors(rules):
    declaration = rules.declaration
    parameters = {parameter.name: parameter.default for parameter in declaration.parameters}
    module = getattr(plyground.envs, declaration.game_id)
    by_name = pettingzoo.make(
        "aec",
        f"plyground/{declaration.name}-v{declaration.version}",
        render_mode="ansi",
        **parameters,
    )
    for environment in (
        by_name,
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
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.returncode) == ("(5, 7, 2)\n", 0), result.stderr


def test_making_the_functions_of_a_game_twice_neither_warns_nor_breaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rules in plyground.envs.BUILT_IN:
            env, raw_env = plyground.envs.env_functions(rules)
            assert env().game == raw_env().game == plyground.make_game(rules.declaration.name)


def test_an_environment_of_another_version_is_named():
    with pytest.raises(ImportError, match="connect_four_v9"):
        exec("from plyground.envs import connect_four_v9")
    with pytest.raises(
        AttributeError,
        match="there is no environment 'connect_four_v9'; did you mean 'connect_four_v0'",
    ):
        plyground.envs.connect_four_v9  # noqa: B018


def test_environments_work_without_compilation():
    program = """
from plyground.envs import connect_four_v0
environment = connect_four_v0.env()
environment.reset()
for action in (3, 2, 3, 2, 3, 2, 3):
    environment.step(action)
position = environment.position
print(environment.rewards, position.observation(1)[:, :4, 0].sum(axis=0), position.action_mask())
"""
    environ = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environ
    )
    assert result.stdout == "{'player_0': 1.0, 'player_1': -1.0} [0 0 3 0] [0 0 0 0 0 0 0]\n", (
        result.stderr
    )


def test_a_record_changed_by_a_search_is_what_the_position_shows():
    position = plyground.make_game("connect_four").initial_position()
    plyground.envs.rules.play(position.game.rules, position.record, 3)
    assert position == position.game.position([3])
    assert position.observation(0).sum() == 1
