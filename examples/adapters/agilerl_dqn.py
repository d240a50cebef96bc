"""AgileRL's DQN learns tic-tac-toe, and plays in a tournament.

    pip install agilerl peft
    python examples/adapters/agilerl_dqn.py --out net.onnx
    plyground tournament tic_tac_toe onnx:net.onnx random greedy --format gauntlet

The line that plyground asks for is marked: AgileRL takes its vector environments as they are.
"""

from __future__ import annotations

import argparse

import gymnasium
import torch
from agilerl.algorithms.dqn import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy
from plyground.training.export import export_policy


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=400_000)
    parser.add_argument("--out", default="net.onnx")
    options = parser.parse_args(arguments)
    torch.manual_seed(1)

    envs = gymnasium.make_vec(
        "plyground:plyground/TicTacToe-v0",  # plyground
        num_envs=64,
        layout="flat",
        dtype="float32",
    )
    agent = DQN(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"encoder_config": {"hidden_size": [128, 128]}},
        batch_size=256,
        lr=5e-4,
        learn_step=8,
        double=True,
        gamma=1.0,
        tau=0.005,
    )
    (trained,), _ = train_off_policy(
        env=envs,
        env_name="tic-tac-toe",
        algo="DQN",
        pop=[agent],
        memory=ReplayBuffer(50_000),
        max_steps=options.steps,
        evo_steps=options.steps // 5,
        eval_steps=20,
        learning_delay=2000,
        eps_start=1.0,
        eps_end=0.05,
        eps_decay=0.05 ** (128 / options.steps),
        verbose=False,
    )
    export_policy(
        trained.actor, options.out, "tic_tac_toe", kind="dqn", inputs="flat", action_values=True
    )


if __name__ == "__main__":
    main()
