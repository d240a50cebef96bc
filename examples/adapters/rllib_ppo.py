"""RLlib's PPO learns tic-tac-toe, and plays in a tournament.

    pip install "ray[rllib]" torch
    python examples/adapters/rllib_ppo.py --out net.onnx
    plyground tournament tic_tac_toe policy:net.onnx random greedy --format gauntlet

The lines that plyground asks for are marked.
"""

from __future__ import annotations

import cyclopts
import torch
from plyground.extras.bridges.adapters.rllib import board  # plyground
from plyground.training import export_policy
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.models.base import ACTOR, ENCODER_OUT
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from torch import nn


class Policy(nn.Module):
    """The module's logits for planes in a row, without the mask."""

    def __init__(self, module) -> None:
        super().__init__()
        self.encoder, self.pi = module.encoder, module.pi

    def forward(self, planes):
        return self.pi(self.encoder({"obs": planes})[ENCODER_OUT][ACTOR])


def main(*, steps: int = 200_000, out: str = "net.onnx") -> None:
    torch.set_num_threads(1)  # more would wait for each other on a busy machine
    config = (
        PPOConfig()
        .environment(**board("tic_tac_toe", opponent="random"))  # plyground
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=64,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=32,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={
                    "head_fcnet_hiddens": [128, 128],
                    "head_fcnet_activation": "tanh",
                },
            )
        )
        .training(
            lr=[[0, 2e-3], [steps, 5e-5]],
            gamma=1.0,
            train_batch_size_per_learner=2048,
            minibatch_size=256,
            num_epochs=4,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
        )
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    for _ in range(steps // 2048):
        algorithm.train()
    module = algorithm.get_module()
    export_policy(Policy(module), out, "tic_tac_toe", kind="ppo", inputs="flat")
    algorithm.stop()


if __name__ == "__main__":
    cyclopts.run(main)
