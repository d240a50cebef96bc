"""Tianshou 2: its collectors and its Q-learning on our games."""

from __future__ import annotations

import numpy as np
from checks import check_that_it_learns, note, rate, record
from pettingzoo.classic import connect_four_v3
from plyground.extras.bridges.adapters.tianshou import make_envs
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net


def collector(envs, shape, actions, eps=1.0):
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=shape, action_shape=actions, hidden_sizes=[16]),
        action_space=envs.action_space[0],
        eps_inference=eps,
    )
    return Collector(policy, envs, VectorReplayBuffer(20_000, len(envs)))


def test_what_the_buffer_holds_is_what_was_played():
    envs = make_envs("connect_four", 8, opponent="greedy")
    ledger = record(envs.envs.games)
    collecting = collector(envs, (6, 7, 2), 7, eps=0.5)
    collecting.reset()
    collecting.collect(n_step=800)
    batch, _ = collecting.buffer.sample(0)
    for row in batch:
        ledger.learnt(row.obs.obs, row.act, row.rew, row.obs_next.obs, row.terminated)
    assert len(batch) == len(ledger.transitions) == 800
    ledger.check()
    assert np.isin(batch.rew, (-1.0, 0.0, 1.0)).all()
    assert (batch.rew < 0).sum() > 3


def test_games_that_are_not_asked_for_stay_as_they_are():
    envs = make_envs("tic_tac_toe", 4, opponent="random")
    observations, _ = envs.reset(seed=1)
    before = envs.envs.games.state.positions.copy()
    actions = observations.mask[1:3].argmax(axis=1)
    after, *_, infos = envs.step(actions, id=[1, 2])
    assert [info["env_id"] for info in infos] == [1, 2]
    assert after.obs.shape == (2, 3, 3, 2)
    positions = envs.envs.games.state.positions
    assert (positions[[0, 3]] == before[[0, 3]]).all()
    assert (positions[[1, 2]] != before[[1, 2]]).all()


def test_episodes_are_collected_whole():
    envs = make_envs("tic_tac_toe", 16, opponent="random")
    collecting = collector(envs, (3, 3, 2), 9)
    collecting.reset()
    stats = collecting.collect(n_episode=50)
    assert stats.n_collected_episodes == 50
    assert set(stats.returns) <= {-1.0, 0.0, 1.0}


def test_its_dqn_beats_random_from_both_seats_in_minutes(tmp_path):
    check_that_it_learns("tianshou_dqn", "Tianshou", "tianshou", tmp_path)


def test_its_speed_is_noted():
    def steps(envs, count):
        collecting = collector(envs, (6, 7, 2), 7)
        collecting.reset()
        return lambda: collecting.collect(n_step=count).n_collected_steps

    ours = rate(steps(make_envs("connect_four", 512, opponent="random"), 8192))
    theirs = rate(steps(DummyVectorEnv([lambda: PettingZooEnv(connect_four_v3.env())] * 8), 64))
    note(steps=ours, pettingzoo=theirs)
    assert ours > theirs
