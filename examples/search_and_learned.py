"""Learn against a minimax baseline, play beside search agents in one loop, and rate all five."""

import torch
from plyground.agents import make_agent
from plyground.envs import connect_four_v0
from plyground.evaluation import Plan, ratings
from plyground.training import BoardVecEnv, export_policy
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # more would wait for each other on a busy machine
learner = BoardVecEnv("connect_four", 64, "mix:0.5 minimax:depth=1,0.5 random", opening_plies=2)
settings = {"n_steps": 32, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "learning_rate": 1e-3}
model = MaskablePPO("MlpPolicy", learner, device="cpu", seed=1, **settings).learn(65_536)

searches = ["minimax:depth=2", "alphabeta:depth=4", "montecarlo:simulations=50", "random"]
env = connect_four_v0.env()
for search in map(make_agent, searches):
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        elif agent == "player_0":
            action, _ = model.predict(observation["observation"], action_masks=info["action_mask"])
        else:
            action = search.act(env)
        env.step(action)
    print(f"policy against {search}: {env.unwrapped.position.outcome}")
export_policy(model, "policy.onnx", "connect_four")
print(ratings(Plan("connect_four", ("onnx:policy.onnx", *searches), pairs=20)))
