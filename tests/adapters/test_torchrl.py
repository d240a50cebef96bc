"""TorchRL: one batched environment, and its own wrappers of ours."""

from __future__ import annotations

import gymnasium
import pytest
import torch
from checks import check_that_it_learns, note, rate, record
from pettingzoo.classic import connect_four_v3
from plyground.extras.bridges.adapters.torchrl import make_envs
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper, check_env_specs
from torchrl.envs.libs.pettingzoo import PettingZooWrapper


class RandomLegal(torch.nn.Module):
    """A random legal action, from the mask."""

    def forward(self, mask):
        return torch.multinomial(mask.float(), 1)[:, 0]


def random_policy():
    return TensorDictModule(RandomLegal(), in_keys=["action_mask"], out_keys=["action"])


@pytest.mark.parametrize("spec", ["tic_tac_toe", "dots_and_boxes:rows=2,cols=2,reward=margin"])
@pytest.mark.parametrize("layout", ["hwc", "chw", "flat"])
def test_its_own_check_of_environments_passes(spec, layout):
    check_env_specs(make_envs(spec, 4, layout=layout))


def test_what_its_collector_hands_over_is_what_was_played():
    envs = make_envs("connect_four", 16, opponent="greedy")
    ledger = record(envs.envs.games)
    for batch in Collector(envs, random_policy(), frames_per_batch=1600, total_frames=1600):
        for row in batch.reshape(-1):
            ledger.learnt(
                row["observation"],
                row["action"],
                row["next", "reward"],
                row["next", "observation"],
                bool(row["next", "done"]),
            )
    assert len(ledger.transitions) == 1600
    ledger.check()
    assert sum(one.reward < 0 for one in ledger.transitions) > 5


def test_the_same_seed_plays_the_same_games():
    courses = []
    for _ in range(2):
        envs = make_envs("tic_tac_toe", 8, opponent="random")
        envs.set_seed(3)
        torch.manual_seed(1)
        courses.append(
            envs.rollout(20, random_policy(), break_when_any_done=False, auto_cast_to_device=True)
        )
    assert (courses[0]["observation"] == courses[1]["observation"]).all()
    assert courses[0]["next", "done"].any()


def test_its_gym_wrapper_takes_our_vector_environment():
    # it refuses next-step, as with Gymnasium's own vector environments
    envs = gymnasium.make_vec(
        "plyground:plyground/ConnectFour-v0", num_envs=4, autoreset_mode="disabled"
    )
    wrapper = GymWrapper(envs)
    assert wrapper.rollout(30, break_when_any_done=False)["observation"].shape == (4, 30, 6, 7, 2)


def test_its_ppo_beats_random_from_both_seats_in_minutes(tmp_path):
    check_that_it_learns("torchrl_ppo", "TorchRL", "torchrl", tmp_path)


def test_its_speed_is_noted():
    def steps(envs, count):
        frames = iter(Collector(envs, random_policy(), frames_per_batch=count, total_frames=10**9))
        return lambda: next(frames).numel()

    ours = rate(steps(make_envs("connect_four", 512, opponent="random"), 8192))
    env = PettingZooWrapper(connect_four_v3.env(), use_mask=True)
    theirs = rate(lambda: env.rollout(64, break_when_any_done=True).numel())
    note(steps=ours, pettingzoo=theirs)
    assert ours > theirs
