"""Learn by self-play, play beside search agents in one loop, and rate all of them."""

from plyground import as_policy, train
from plyground.envs import connect_four_v0
from plyground.evaluation import Plan, ratings

# Half a minute of one core, then the end of the round. A second start finds the finished run.
train("alphazero", "connect_four", "runs/first", hours=1 / 120, clock="processor", workers=1)
learned = "mcts:network=runs/first,simulations=400"

others = ["zoo:connect_four", "alphabeta:depth=4", "minimax:depth=1", "greedy"]
others += ["mcts:simulations=400", "random"]
env = connect_four_v0.env()
for other in others:
    players = {"player_0": learned, "player_1": other}
    policies = {agent: as_policy(player, "connect_four") for agent, player in players.items()}
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else policies[agent](observation, info))
    print(f"learned against {other}: {env.unwrapped.position.outcome}")
print(ratings(Plan("connect_four", (learned, *others), pairs=10)))
