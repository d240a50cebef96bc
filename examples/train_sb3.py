"""Plain sb3-contrib on plyground: MaskablePPO learns connect four against mixed opponents."""

import torch
from plyground.training import BoardVecEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

torch.set_num_threads(1)  # more would wait for each other on a busy machine
env = BoardVecEnv("connect_four", 128, "mix:0.8 random,0.2 greedy")
model = MaskablePPO(
    "MlpPolicy",
    env,
    n_steps=32,
    batch_size=512,
    n_epochs=4,
    learning_rate=1e-3,
    device="cpu",
    seed=1,
)
model.learn(65_536)
mean, _ = evaluate_policy(
    model, BoardVecEnv("connect_four", 64, "random"), n_eval_episodes=256, warn=False
)
print(f"mean return against random: {mean:+.2f}")
