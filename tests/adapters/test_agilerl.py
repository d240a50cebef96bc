"""AgileRL: its DQN and PPO on our vector environments as they are."""

from __future__ import annotations

import gymnasium
from agilerl.algorithms.dqn import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy
from checks import check_that_it_learns, record


def test_what_its_buffer_holds_is_what_was_played():
    envs = gymnasium.make_vec(
        "plyground:plyground/ConnectFour-v0",
        num_envs=8,
        opponent="greedy",
        layout="flat",
        dtype="float32",
    )
    ledger = record(envs.unwrapped.games)
    agent = DQN(envs.single_observation_space, envs.single_action_space, learn_step=1000)
    memory = ReplayBuffer(10_000)
    agent.set_training_mode(True)
    train_off_policy(
        env=envs,
        env_name="connect four",
        algo="DQN",
        pop=[agent],
        memory=memory,
        max_steps=800,
        evo_steps=800,
        eval_steps=1,
        eps_start=0.5,
        verbose=False,
    )
    rows = memory.storage[: len(memory)]
    for row in rows:
        ledger.learnt(row["obs"], row["action"], row["reward"], row["next_obs"], bool(row["done"]))
    assert len(rows) == 800
    ledger.check()
    assert (rows["reward"] < 0).sum() > 3


def test_its_ppo_beats_random_from_both_seats_in_minutes(tmp_path):
    check_that_it_learns("agilerl_ppo", "AgileRL", "agilerl", tmp_path)
