"""Learn against a minimax baseline, play beside search agents in one loop, and rate all five."""

import torch
from plyground import as_policy
from plyground.envs import connect_four_v0
from plyground.evaluation import Plan, ratings
from plyground.training import BoardVecEnv
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # more would wait for each other on a busy machine
learner = BoardVecEnv("connect_four", 64, "mix:0.5 minimax:depth=1,0.5 random", opening_plies=2)
settings = {"n_steps": 32, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "learning_rate": 1e-3}
model = MaskablePPO("MlpPolicy", learner, device="cpu", seed=1, **settings).learn(65_536)

searches = ["minimax:depth=2", "alphabeta:depth=4", "montecarlo:simulations=50", "random"]
env = connect_four_v0.env()
for search in searches:
    players = {"player_0": model, "player_1": search}
    policies = {agent: as_policy(player, "connect_four") for agent, player in players.items()}
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else policies[agent](observation, info))
    print(f"policy against {search}: {env.unwrapped.position.outcome}")
print(ratings(Plan("connect_four", (model, *searches), pairs=20)))
