"""The trace of an environment finds each classic mistake of a library, and none where none is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from plyground.envs import connect_four_v0, dots_and_boxes_v0, trace
from plyground.training.environments import make_env, make_vector_env

ILLEGAL = "an illegal action was taken"
# What is learnt of a step by a learner without mistakes, and by one with each of them; ``first`` is
# an observation after a reset.
LEARNT = {
    None: lambda reward, after, over, first: (reward, after, over),
    ILLEGAL: lambda reward, after, over, first: (reward, after, over),
    "the reward at the end of a game was lost": lambda reward, after, over, first: (
        0.0 if over else reward, after, over,
    ),
    "the wrong player was credited": lambda reward, after, over, first: (-reward, after, over),
    "a reset observation was learnt from": lambda reward, after, over, first: (
        reward, first if over else after, False,
    ),
    "the last transition of a game was never learnt from": lambda reward, after, over, first: (
        None if over else (reward, after, over)
    ),
    "a game was lost, and no loss was ever seen": lambda reward, after, over, first: (
        max(reward, 0.0), after, over,
    ),
}  # fmt: skip
each_mistake = pytest.mark.parametrize("mistake", LEARNT)


class Learner:
    """A learner with a mistake, or without one."""

    def __init__(self, ledger, mistake):
        self.ledger, self.mistake = ledger, mistake

    def learn(self, observation, action, reward, after, over, player=None, first=None):
        learnt = LEARNT[self.mistake](reward, after, over, first)
        if learnt is not None:
            self.ledger.learnt(observation, action, *learnt, player)

    def choose(self, mask, rng):
        any_action = self.mistake == ILLEGAL
        return int(rng.integers(len(mask)) if any_action else rng.choice(np.flatnonzero(mask)))


def assert_found(ledger, expected):
    findings = ledger.findings()
    if expected is None:
        assert findings == []
        ledger.check()
    else:
        assert any(sentence.startswith(expected) for sentence in findings), findings
        with pytest.raises(AssertionError, match=expected):
            ledger.check()


@each_mistake
@pytest.mark.parametrize("form", [{}, {"observation": "dict", "layout": "chw"}], ids=str)
def test_mistakes_with_one_game_are_found(mistake, form):
    env, rng = trace(make_env("connect_four", "greedy", **form)), np.random.default_rng(1)
    student = Learner(env.ledger, mistake)
    first, info = env.reset(seed=1)
    for _ in range(20):
        observation, pending, over = first, [], False
        while not over:
            action = student.choose(info["action_mask"], rng)
            after, reward, over, _, info = env.step(action)
            pending.append((observation, action, reward, after, over))
            observation = after
        first, info = env.reset()
        for one in pending:
            student.learn(*one, first=first)
    assert_found(env.ledger, mistake)


@each_mistake
@pytest.mark.parametrize("mode", ["same-step", "next-step", "disabled"])
def test_mistakes_with_many_games_are_found(mistake, mode):
    envs = trace(make_vector_env("connect_four", 4, "greedy", autoreset_mode=mode))
    rng, student = np.random.default_rng(1), Learner(envs.ledger, mistake)
    observation, infos = envs.reset(seed=1)
    over = np.zeros(4, np.bool_)
    start = observation[0].copy()
    for _ in range(80):
        masks = np.where(over[:, None], 1, infos["action_mask"])
        actions = np.array([student.choose(mask, rng) for mask in masks])
        after, rewards, endings, _, infos = envs.step(actions)
        for game in range(4):
            if over[game] and mode == "next-step":
                continue
            last = (
                infos["final_obs"][game] if mode == "same-step" and endings[game] else after[game]
            )
            student.learn(
                observation[game], actions[game], rewards[game], last, endings[game], first=start
            )
        over = endings
        if mode == "disabled" and endings.any():
            after, infos = envs.reset(options={"reset_mask": endings.copy()})
            over = np.zeros(4, np.bool_)
        observation = after
    assert_found(envs.ledger, mistake)


def test_the_step_that_begins_the_next_game_is_not_to_be_learnt_from():
    envs = trace(make_vector_env("tic_tac_toe", 2, "random", autoreset_mode="next-step"))
    rng = np.random.default_rng(1)
    observation, infos = envs.reset(seed=1)
    for _ in range(30):
        legal = np.where(infos["action_mask"].any(axis=1)[:, None], infos["action_mask"], 1)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in legal])
        after, rewards, over, _, infos = envs.step(actions)
        for game in range(2):
            envs.ledger.learnt(
                observation[game], actions[game], rewards[game], after[game], over[game]
            )
        observation = after
    assert [text.partition(" (")[0] for text in envs.ledger.findings()] == [
        "an action after the end of a game, which was never played, was learnt from"
    ]


@each_mistake
@pytest.mark.parametrize(
    "make", [connect_four_v0.env, lambda: dots_and_boxes_v0.env(rows=2, cols=2, reward="margin")]
)
def test_mistakes_in_turns_of_two_players_are_found(mistake, make):
    env, rng = trace(make()), np.random.default_rng(1)
    student = Learner(env.ledger, mistake)
    env.reset()
    first = env.observe("player_0")
    for _ in range(10):
        env.reset()
        waiting = {}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            if agent in waiting:
                student.learn(*waiting.pop(agent), reward, observation, over, agent, first)
            action = None if over else student.choose(info["action_mask"], rng)
            if not over:
                waiting[agent] = (observation, action)
            env.step(action)
    assert_found(env.ledger, mistake)


def test_the_wrong_player_is_noticed_by_name():
    env = trace(connect_four_v0.env())
    env.reset()
    observation = env.observe("player_0")
    env.step(3)
    env.step(3)
    env.step(3)
    env.ledger.learnt(observation, 3, 0.0, player="player_1")
    assert env.ledger.findings() == ["the wrong player was credited: another one acted (1 times)"]


def test_a_transition_that_never_happened_is_noticed():
    env = trace(make_env("tic_tac_toe", seat=0))
    observation, _ = env.reset(seed=1)
    env.step(4)
    env.ledger.learnt(observation, 5, 0.0)
    assert env.ledger.findings() == ["a transition that never happened was learnt from (1 times)"]


def test_only_environments_are_traced():
    with pytest.raises(TypeError, match="trace takes a Gymnasium, a vector or an AEC environment"):
        trace("connect_four")


@pytest.mark.parametrize(("opening_plies", "warns"), [(0, True), (4, False)])
def test_games_that_repeat_each_other_are_warned_of(opening_plies, warns):
    env = trace(make_env("connect_four", "alphabeta:depth=2", opening_plies=opening_plies))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for seed in range(8):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    said = [str(one.message) for one in heard if "move for move" in str(one.message)]
    warning = (
        "the newest 4 games are only 2 different ones, move for move; their mean says "
        "little. opening_plies=4 begins each game with random moves"
    )
    assert said == [warning] * warns
    assert env.ledger.findings() == []
