"""A learner written by hand on the PettingZoo environment: actor and critic play both sides of
tic-tac-toe, no training library involved.

Run with ``python examples/train_by_hand.py`` (10 seconds). Note what the AEC interface asks for:
the reward of a move arrives when its player is next asked, after the opponent's reply, so what a
player has won is added up for each player by itself.
"""

from __future__ import annotations

import numpy as np
import torch
from plyground import make_agent
from plyground.envs import tic_tac_toe_v0
from torch import nn

GAMES, BATCH = 1500, 30


def make_network() -> nn.Sequential:
    """From 18 observed cells to 9 logits and a value."""
    return nn.Sequential(nn.Linear(18, 128), nn.ReLU(), nn.Linear(128, 10))


def decide(network, observation):
    """The distribution over legal actions and the value, as the player to move sees them."""
    out = network(torch.from_numpy(observation["observation"]).float().flatten())
    mask = torch.from_numpy(observation["action_mask"]).bool()
    return torch.distributions.Categorical(logits=out[:9].masked_fill(~mask, -1e9)), out[9]


def play_both_sides(env, network):
    """One game; returns (log-probability, value, entropy, return) of every move of both players."""
    env.reset()
    moves = {player: [] for player in env.possible_agents}
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for player in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        totals[player] += reward
        if termination or truncation:
            env.step(None)
            continue
        distribution, value = decide(network, observation)
        action = distribution.sample()
        moves[player].append((distribution.log_prob(action), value, distribution.entropy()))
        env.step(int(action))
    return [(*move, totals[player]) for player, made in moves.items() for move in made]


def learn(network, games, seed=1):
    torch.manual_seed(seed)
    env, optimiser, moves = (
        tic_tac_toe_v0.env(),
        torch.optim.Adam(network.parameters(), lr=3e-3),
        [],
    )
    for game in range(1, games + 1):
        moves += play_both_sides(env, network)
        if game % BATCH == 0:
            log_probabilities, values, entropies = (
                torch.stack(column) for column in list(zip(*moves))[:3]
            )
            returns = torch.tensor([move[3] for move in moves])
            advantages = (returns - values).detach()
            loss = (
                -(log_probabilities * advantages).mean()
                + 0.5 * (returns - values).square().mean()
                - 0.03 * entropies.mean()
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            moves.clear()


def score_against(network, opponent, games=100):
    """Points of the most probable moves against an agent, seats in turn."""
    env, agent, points = tic_tac_toe_v0.env(), make_agent(opponent, seed=1), 0.0
    for game in range(games):
        env.reset()
        learner = env.possible_agents[game % 2]
        total = 0.0
        for player in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            total += reward if player == learner else 0.0
            if termination or truncation:
                env.step(None)
            elif player == learner:
                with torch.no_grad():
                    env.step(int(decide(network, observation)[0].probs.argmax()))
            else:
                env.step(agent.act(env))
        points += (np.sign(total) + 1) / 2
    return points / games


if __name__ == "__main__":
    torch.set_num_threads(1)
    network = make_network()
    print(f"before: {100 * score_against(network, 'random'):.0f} % against random")
    learn(network, GAMES)
    print(
        f"after {GAMES} games against itself: {100 * score_against(network, 'random'):.0f} % "
        f"against random"
    )
