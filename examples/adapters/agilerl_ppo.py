"""AgileRL's PPO learns tic-tac-toe, and plays in a tournament.

    pip install agilerl peft
    python examples/adapters/agilerl_ppo.py --out net.onnx
    plyground tournament tic_tac_toe policy:net.onnx random greedy --format gauntlet

The line that plyground asks for is marked: AgileRL takes its vector environments as they are, and
finds the legal actions in ``info["action_mask"]``, both where it plays and where it learns.
"""

from __future__ import annotations

import cyclopts
import gymnasium
import torch
from agilerl.algorithms.ppo import PPO
from agilerl.training.train_on_policy import train_on_policy
from plyground.training import export_policy
from torch import nn

NETWORK = {
    "latent_dim": 64,
    "encoder_config": {"hidden_size": [128]},
    "head_config": {"hidden_size": [128]},
}
# Share of the steps, learning rate and weight of the entropy: both fall as the policy settles.
PHASES = ((0.4, 1e-3, 0.03), (0.7, 3e-4, 0.02), (1.0, 1e-4, 0.01))


class Logits(nn.Module):
    """What the actor says of each action before one is drawn."""

    def __init__(self, actor: nn.Module) -> None:
        super().__init__()
        self.actor = actor

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.actor.head_net.wrapped(self.actor.extract_features(observations))


def main(*, steps: int = 700_000, out: str = "net.onnx") -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)  # more would wait for each other on a busy machine

    envs = gymnasium.make_vec(
        "plyground:plyground/TicTacToe-v0",  # plyground
        num_envs=64,
        layout="flat",
        dtype="float32",
    )
    agent = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config=NETWORK,
        share_encoders=False,
        num_envs=64,
        learn_step=2048,
        batch_size=256,
        gamma=1.0,
    )
    for share, rate, entropy in PHASES:
        agent.ent_coef = entropy
        for group in agent.optimizer.optimizer.param_groups:
            group["lr"] = rate
        (agent,), _ = train_on_policy(
            env=envs,
            env_name="tic-tac-toe",
            algo="PPO",
            pop=[agent],
            max_steps=int(share * steps),
            evo_steps=steps // 7,
            eval_steps=20,
            verbose=False,
        )
    export_policy(Logits(agent.actor), out, "tic_tac_toe", kind="ppo", inputs="flat")


if __name__ == "__main__":
    cyclopts.run(main)
