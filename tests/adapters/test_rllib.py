"""RLlib: PPO with its module for action masks, its env runners, its PettingZoo wrapper."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check_that_it_learns, note, rate, record
from pettingzoo.classic import connect_four_v3
from plyground import as_policy, evaluate, play_game
from plyground.envs import connect_four_v0, tic_tac_toe_v0
from plyground.extras.bridges.adapters.rllib import board
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

GAME = "tic_tac_toe"


class RandomLegal(TorchRLModule):
    """Random legal actions."""

    def _forward(self, batch, **options):
        masks = np.asarray(batch["obs"]["action_mask"])
        return {"actions": (np.random.default_rng().random(masks.shape) * masks).argmax(axis=1)}


def runner(mode, count, game="connect_four", **options):
    config = (
        PPOConfig()
        .environment(**board(game, **options))
        .env_runners(num_env_runners=0, num_envs_per_env_runner=count, gym_env_vectorize_mode=mode)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=RandomLegal))
    )
    return SingleAgentEnvRunner(config=config, worker_index=0)


def test_episodes_are_what_was_played():
    running = runner("vector_entry_point", 8, opponent="greedy")
    ledger = record(running.env.unwrapped.games)
    episodes = running.sample(num_timesteps=800)
    learnt = 0
    for episode in episodes:
        observations, rewards = episode.get_observations()["observations"], episode.get_rewards()
        for step, action in enumerate(episode.get_actions()):
            is_last = episode.is_terminated and step == len(rewards) - 1
            ledger.learnt(
                observations[step], action, rewards[step], observations[step + 1], is_last
            )
            learnt += 1
    assert learnt > 700
    ledger.check()
    assert sum(one.reward < 0 for one in ledger.transitions) > 3


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_its_ways_to_step_many_games_work(mode):
    running = runner(mode, 4, "dots_and_boxes:rows=2,cols=2,reward=margin")
    episodes = running.sample(num_episodes=6)
    assert all(episode.get_return() in (-4, -2, 0, 2, 4) for episode in episodes)


def test_its_pettingzoo_wrapper_takes_our_environment_for_both_players():
    env = PettingZooEnv(connect_four_v0.env())
    observations, _ = env.reset(seed=1)
    ends = {"__all__": False}
    while not ends["__all__"]:
        (agent,) = observations
        action = int(observations[agent]["action_mask"].argmax())
        observations, rewards, ends, _, _ = env.step({agent: action})
    assert sorted(rewards.values()) == [-1, 1]


def test_its_ppo_beats_random_from_both_seats_in_minutes(tmp_path):
    check_that_it_learns("rllib_ppo", "RLlib", "ray", tmp_path)


def a_module(module_class, **settings):
    env = runner("sync", 1, GAME, opponent="random").env
    return module_class(
        observation_space=env.single_observation_space,
        action_space=env.single_action_space,
        model_config=settings,
        catalog_class=PPOCatalog,
    )


@pytest.mark.parametrize("module_class", [RandomLegal, ActionMaskingTorchRLModule])
def test_its_modules_are_policies(module_class):
    module = a_module(module_class, head_fcnet_hiddens=[16], head_fcnet_activation="tanh")
    policy = as_policy(module, GAME)
    env = tic_tac_toe_v0.env()
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else policy(observation, info))
    assert play_game(GAME, ["random", module]).fault is None
    (result,) = evaluate(module, GAME, ["random"], pairs=5)
    assert result.games > 5


def test_its_speed_is_noted():
    running = runner("vector_entry_point", 256, opponent="random")

    def ours():
        return sum(len(episode) for episode in running.sample(num_timesteps=4096))

    register_env("pettingzoo", lambda config: PettingZooEnv(connect_four_v3.env()))
    config = (
        PPOConfig()
        .environment("pettingzoo")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda *arguments, **more: "both")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"both": RLModuleSpec(module_class=RandomLegal)}
            )
        )
    )
    both = MultiAgentEnvRunner(config=config, worker_index=0)

    def theirs():
        return sum(episode.env_steps() for episode in both.sample(num_timesteps=128))

    note(steps=rate(ours), pettingzoo=rate(theirs))
