"""TorchRL's PPO learns tic-tac-toe, and plays in a tournament.

    pip install torchrl
    python examples/adapters/torchrl_ppo.py --out net.onnx
    plyground tournament tic_tac_toe policy:net.onnx random greedy --format gauntlet

The lines that plyground asks for are marked.
"""

from __future__ import annotations

import cyclopts
import torch
from plyground.extras.bridges.adapters.torchrl import make_envs  # plyground
from plyground.training import export_policy
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE


def dense(outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(18, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs)
    )


def main(*, steps: int = 300_000, out: str = "net.onnx") -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)  # more would wait for each other on a busy machine

    envs = make_envs("tic_tac_toe", 64, opponent="random", layout="flat")  # plyground
    network, critic = dense(9), ValueOperator(dense(1), in_keys=["observation"])
    actor = ProbabilisticActor(
        TensorDictModule(network, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    collector = Collector(envs, actor, frames_per_batch=2048, total_frames=steps)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(
        actor, critic, entropy_coeff=0.03, critic_coeff=0.5, normalize_advantage=True
    )
    optimiser = torch.optim.Adam(loss.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.02, steps // 2048)
    for batch in collector:
        with torch.no_grad():
            advantage(batch)
        rows = batch.reshape(-1)
        for _ in range(4):
            for index in torch.randperm(len(rows)).chunk(8):
                losses = loss(rows[index])
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimiser.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
        schedule.step()
    collector.shutdown()
    export_policy(network, out, "tic_tac_toe", kind="ppo", inputs="flat")


if __name__ == "__main__":
    cyclopts.run(main)
