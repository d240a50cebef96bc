"""Learn by self-play, play and rate it beside search agents."""

from plyground import as_policy, train
from plyground.envs import connect_four_v0
from plyground.evaluation import Plan, ratings

game = "connect_four"
# Half a minute of one core, then the end of the round. A second start
# finds the finished run.
options = {"hours": 1 / 120, "clock": "processor", "workers": 1}
train("alphazero", game, "runs/first", **options)
learned = "mcts:network=runs/first,simulations=400"

others = ["zoo:connect_four", "alphabeta:depth=4", "minimax:depth=1"]
others += ["greedy", "mcts:simulations=400", "random"]
env = connect_four_v0.env()
for other in others:
    pair = [as_policy(player, game) for player in (learned, other)]
    policies = dict(zip(env.possible_agents, pair))
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else policies[agent](observation, info))
    print(f"learned against {other}: {env.unwrapped.position.outcome}")
print(ratings(Plan(game, (learned, *others), pairs=10)))
