"""A learner that is asked without masks: one warning where most of its games end by that."""

from __future__ import annotations

import re
import warnings

import gymnasium
import numpy as np
import pytest
from plyground import evaluate
from plyground.envs.single_agent import illegal_games
from plyground.training import BoardVecEnv, make_env, make_vector_env
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_with_masks
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

GAME = "gomoku:size=6"
MESSAGE = r"of the latest 10 games of gomoku:size=6 ended by an illegal action of the learner"


@pytest.fixture(autouse=True)
def first_of_the_process(monkeypatch):
    monkeypatch.setattr(illegal_games, "_latest", {})
    monkeypatch.setattr(illegal_games, "_warned", set())


def several():
    return make_vec_env(lambda: make_env(GAME, opponent="random"), 4)


ENVIRONMENTS = {
    "one": lambda: make_env(GAME, opponent="random"),
    "several": several,
    "VecEnv": lambda: BoardVecEnv(GAME, 4, "random"),
}


@pytest.mark.filterwarnings("ignore:Evaluation environment is not wrapped")
@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_evaluate_policy_without_masks_is_warned_of_once(make):
    model = PPO("MlpPolicy", make(), device="cpu", seed=1)
    with warnings.catch_warnings(record=True) as noted:
        for _ in range(3):
            evaluate_policy(model, make(), n_eval_episodes=10)
    (message,) = [str(each.message) for each in noted if "illegal action" in str(each.message)]
    assert re.search(MESSAGE, message)


@pytest.mark.filterwarnings("ignore:Evaluation environment is not wrapped")
@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_with_masks_nothing_is_warned_of(make):
    model = MaskablePPO("MlpPolicy", make(), device="cpu", seed=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*illegal action")
        evaluate_with_masks(model, make(), n_eval_episodes=10)
        evaluate(model, GAME, "random", pairs=5)


@pytest.mark.parametrize("mode", ["same-step", "next-step"])
def test_gymnasium_s_vector_environments_warn_too(mode):
    env = make_vector_env(GAME, 3, opponent="random", autoreset_mode=mode)
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as noted:
        for _ in range(40):
            env.step(np.zeros(3, np.int64))
    assert len(noted) == 1


def test_a_few_illegal_games_among_many_are_not_warned_of():
    env = gymnasium.make("plyground/TicTacToe-v0", opponent="random")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*illegal action")
        for number in range(30):
            _, info = env.reset(seed=number)
            over = False
            while not over:
                legal = info["action_mask"]
                action = legal.argmin() if number % 3 == 0 else legal.argmax()
                *_, over, _, info = env.step(int(action))
