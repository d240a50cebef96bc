"""Tianshou's DQN learns tic-tac-toe, and plays in a tournament.

    pip install tianshou
    python examples/adapters/tianshou_dqn.py --out net.onnx
    plyground tournament tic_tac_toe policy:net.onnx random greedy --format gauntlet

The lines that plyground asks for are marked.
"""

from __future__ import annotations

import cyclopts
import torch
from plyground.extras.bridges.adapters.tianshou import make_envs  # plyground
from plyground.training import export_policy
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from torch import nn


class WithoutState(nn.Module):
    """The network alone: Tianshou's networks return a state too."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes):
        return self.network.model(planes.flatten(1))


def main(*, steps: int = 200_000, out: str = "net.onnx") -> Collector:
    torch.set_num_threads(1)  # more would wait for each other on a busy machine
    envs = make_envs("tic_tac_toe", 64, opponent="random")  # plyground
    network = Net(state_shape=(3, 3, 2), action_shape=9, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(
        model=network, action_space=envs.action_space[0], eps_training=1.0
    )
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=200
    )
    collector = Collector(algorithm, envs, VectorReplayBuffer(50_000, 64))
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=10,
            epoch_num_steps=steps // 10,
            collection_step_num_env_steps=512,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=1 / 32,
            training_fn=lambda epoch, step: policy.set_eps_training(
                max(1.0 - 1.5 * step / steps, 0.1)
            ),
            verbose=False,
            show_progress=False,
        )
    )
    export_policy(WithoutState(network), out, "tic_tac_toe", kind="dqn", action_values=True)
    return collector


if __name__ == "__main__":
    cyclopts.run(main, result_action="return_value")
