"""The AEC environments side by side with PettingZoo's connect four and its wrappers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from aec_states import outcome_of, same_observation, same_state
from pettingzoo.classic.connect_four import connect_four as pettingzoo_connect_four
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)
from plyground.envs import IllegalMoveError, connect_four_v0
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


def play_both(ours, theirs, rng, moves, odd):
    """Do the same random things to both environments, and compare everything that can be seen after
    each.
    """
    for _ in range(moves):
        is_dead = bool(theirs.agents) and theirs.terminations[theirs.agent_selection]
        if theirs.agents:
            mine, other = ours.last(), theirs.last()
            same_observation(mine[0], other[0], is_dead)
            assert mine[1:4] == other[1:4]
            for agent in theirs.possible_agents:
                same_observation(ours.observe(agent), theirs.observe(agent), is_dead)
        legal = np.flatnonzero(theirs.observe(theirs.agent_selection)["action_mask"]).tolist()
        if rng.random() < odd:
            action = rng.choice([*ODD_ACTIONS, *range(7)])
        else:
            action = None if is_dead or not legal else rng.choice(legal)
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


@pytest.mark.parametrize("spec", SPECS)
def test_env_does_what_raw_env_inside_the_wrappers_of_pettingzoo_does(spec):
    wrapper = TerminateIllegalWrapper(make_raw_env(spec), illegal_reward=-1)
    ours, theirs = make_env(spec), OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapper))
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
        IllegalMoveError, match=r"action 0 \(a\) is not legal here; legal actions: 1"
    ):
        ours.step(0)
    with pytest.raises(IllegalMoveError, match=r"7 is not an action of connect_four; actions are"):
        ours.step(7)


ATTRIBUTES = (
    "rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents",
)  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.last(),
        lambda env: env.render(),
        lambda env: env.state(),
        lambda env: env.agent_iter(),
        *(lambda env, name=name: getattr(env, name) for name in ATTRIBUTES),
    ],
)
def test_before_reset_env_answers_as_pettingzoo_does(call):
    ours, theirs = connect_four_v0.env(), pettingzoo_connect_four.env()
    answer = outcome_of(lambda: call(ours))
    assert answer == outcome_of(lambda: call(theirs))
    assert "reset" in answer[0][1]


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
