"""The single-agent Gymnasium environments, and the learners of stable-baselines3 on them."""

from __future__ import annotations

import gymnasium
import numpy as np
import plyground
import pytest
from gymnasium.utils.env_checker import check_env
from helpers import run_python
from plyground import IllegalActionError, make_agent
from plyground.envs import aec
from plyground.envs.loading.ids import gymnasium_id
from plyground.training.environments import make_env

IDS = [
    gymnasium_id(rules_type.declaration.name, rules_type.declaration.version)
    for rules_type in plyground.envs.BUILT_IN
]
SMALL = {
    "plyground/DotsAndBoxes-v0": {"rows": 2, "cols": 2},
    "plyground/Gomoku-v0": {"size": 5, "connect": 4},
}
# SB3 takes planes for a picture
QUIET = pytest.mark.filterwarnings("ignore:.*(image|observation space|CnnPolicy):UserWarning")


@pytest.mark.parametrize("name", IDS)
@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings(
    "ignore:.*(Discrete|not within|different from the unwrapped):UserWarning"
)
@pytest.mark.fast_cases(1)
def test_every_game_passes_gymnasiums_checks(name):
    env = gymnasium.make(name, opponent="random", render_mode="rgb_array", **SMALL.get(name, {}))
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=1)
    assert env.render().dtype == np.uint8
    env.close()


@pytest.mark.parametrize("name", IDS)
@QUIET
@pytest.mark.fast_cases(1)
def test_every_game_passes_the_checks_of_stable_baselines3(name):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(name, opponent="random", **SMALL.get(name, {})).unwrapped)


def play(env, agent_env, rng):
    """A game of random actions in a Gymnasium environment, and the same moves with the same
    opponent in an AEC environment.

    Observation, mask and reward are compared at every step; returns the learner's rewards and its
    result by the AEC environment.
    """
    observation, info = env.reset()
    agent_env.reset()
    learner = agent_env.possible_agents[info["seat"]]
    opponent = make_agent(env.get_wrapper_attr("opponents")[0])
    rewards, owed = [], {learner: 0.0}

    def step(action):
        agent_env.step(action)
        owed[learner] += agent_env.rewards[learner]
        assert sum(agent_env.rewards.values()) == 0

    def let_the_opponent_play():
        while agent_env.agent_selection != learner and not agent_env.terminations[learner]:
            step(opponent.act(agent_env))

    let_the_opponent_play()
    while True:
        agent_view = agent_env.observe(learner)
        assert np.array_equal(agent_view["observation"], observation)
        assert np.array_equal(agent_view["action_mask"], info["action_mask"])
        if agent_env.terminations[learner]:
            return rewards, agent_env.position.returns[info["seat"]]
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        owed[learner] = 0.0
        step(action)
        let_the_opponent_play()
        observation, *outcome, info = env.step(action)
        assert outcome == [owed[learner], agent_env.terminations[learner], False]
        rewards.append(outcome[0])


@pytest.mark.parametrize(
    ("name", "options", "opponent"),
    [
        ("connect_four", {"rows": 5}, "alphabeta:depth=2"),
        ("tic_tac_toe", {}, "alphabeta:depth=9"),
        ("dots_and_boxes", {"rows": 2, "cols": 2}, "alphabeta:depth=3"),
        ("dots_and_boxes", {"rows": 2, "cols": 2, "reward": "margin"}, "alphabeta:depth=3"),
    ],
)
@pytest.mark.fast_cases(1)
def test_the_same_game_through_aec_and_gymnasium_is_the_same_at_every_step(name, options, opponent):
    env, agent_env = make_env(name, opponent, **options), aec.env(name, **options)
    rng, seats = np.random.default_rng(2), set()
    env.reset(seed=11)
    for _ in range(10):
        rewards, result = play(env, agent_env, rng)
        assert sum(rewards) == result
        seats.add(int(env._games.state.seats[0]))
    assert seats == {0, 1}


def test_every_loss_reaches_the_learner():
    env, agent_env = make_env("connect_four", "alphabeta:depth=4"), aec.env("connect_four")
    rng, last, results = np.random.default_rng(3), [], []
    env.reset(seed=1)
    for _ in range(200):
        rewards, result = play(env, agent_env, rng)
        assert set(rewards[:-1]) <= {0.0}
        last.append(rewards[-1])
        results.append(result)
    assert last == results
    assert last.count(-1.0) > 190


def test_wrong_calls_are_refused_clearly():
    env = make_env("connect_four")
    with pytest.raises(ValueError, match=r"no game under way; call reset\(\)"):
        env.step(0)
    with pytest.raises(ValueError, match="only the option 'position' and with it 'seat'"):
        env.reset(options={"seat": 1})
    env.reset()
    for action in (7, -1, 1.5, None):
        with pytest.raises(IllegalActionError, match="not an action of connect_four; actions"):
            env.step(action)


def test_text_and_pixels_show_the_board():
    env = make_env("tic_tac_toe", "greedy", seat=0, render_mode="ansi")
    env.reset(seed=1)
    env.step(4)
    assert env.render().count("X") == env.render().count("O") == 1
    assert str(env) == "<tic_tac_toe against greedy>"


def test_the_name_with_its_module_needs_no_import():
    code = (
        "import gymnasium; print(gymnasium.make('plyground:plyground/ConnectFour-v0', "
        "opponent='alphabeta:depth=2', rows=5).reset(seed=1)[0].shape)"
    )
    assert run_python("-W", "ignore", "-c", code) == "(5, 7, 2)\n"


# -- stable-baselines3 --


def make_vec_env(*arguments, **options):
    return pytest.importorskip("plyground.training.sb3", exc_type=ImportError).BoardVecEnv(
        *arguments, **options
    )


def test_the_vecenv_reports_ends_of_games_as_monitored_environments_do():
    env, rng = make_vec_env("connect_four", 8, "alphabeta:depth=2"), np.random.default_rng(1)
    env.seed(3)
    observations = env.reset()
    sums, lengths, results = np.zeros(8), np.zeros(8, int), []
    for _ in range(60):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.dtype == np.bool_
        observations, rewards, dones, infos = env.step(
            np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        )
        sums, lengths = sums + rewards, lengths + 1
        for game in np.flatnonzero(dones):
            info = infos[game]
            assert (info["episode"]["r"], info["episode"]["l"]) == (sums[game], lengths[game])
            assert info["TimeLimit.truncated"] is False
            # A whole game's stones, against none or the opponent's first.
            assert info["terminal_observation"].sum() >= 7 > observations[game].sum()
            sums[game], lengths[game] = 0, 0
            results.append(info["episode"]["r"])
        assert all("episode" in info for info, over in zip(infos, dones) if over)
        assert not any(info for info, over in zip(infos, dones) if not over)
    assert results.count(-1.0) > 15


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_maskable_ppo_learns_on_both_kinds_of_environment_and_never_plays_illegally():
    ppo = pytest.importorskip("sb3_contrib").MaskablePPO
    settings = {"n_epochs": 1, "device": "cpu", "seed": 1}
    many = make_vec_env("tic_tac_toe", 32, "random", illegal="raise")
    model = ppo("MlpPolicy", many, n_steps=16, batch_size=256, **settings).learn(1024)
    assert len(model.ep_info_buffer) > 50
    one = gymnasium.make("plyground/TicTacToe-v0", opponent="random", illegal="raise")
    model = ppo("MlpPolicy", one, n_steps=64, batch_size=64, **settings).learn(256)
    assert len(model.ep_info_buffer) > 20


def test_the_vecenv_refuses_what_it_does_not_have():
    env = make_vec_env("tic_tac_toe", 2)
    with pytest.raises(AttributeError, match="have no method 'fly'"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="have no attribute 'wings'"):
        env.get_attr("wings")
