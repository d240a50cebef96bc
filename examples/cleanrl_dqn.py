"""DQN with action masks in one file, in the style of CleanRL.

    python examples/cleanrl_dqn.py --game TicTacToe --steps 300000 --out dqn.onnx
    plyground tournament tic_tac_toe policy:dqn.onnx random greedy --format gauntlet

The lines that plyground asks for are marked; the algorithm is that of Mnih et al., "Human-level
control through deep reinforcement learning", 2015, with the double estimate of van Hasselt et al.,
2016. The mask counts three times: for random actions, for greedy ones, and for the best action of
the next position.
"""

from __future__ import annotations

import copy

import cyclopts
import gymnasium
import numpy as np
import torch
from plyground.training import export_policy
from torch import nn

GAMES, MEMORY, BATCH, UPDATES, TARGET_EVERY = 64, 50_000, 256, 2, 200
LEARNING_RATE, GAMMA, LAST_EPSILON = 1e-3, 1.0, 0.1


class Memory:
    """A ring of transitions."""

    def __init__(self, inputs: int, actions: int) -> None:
        self.seen = np.zeros((MEMORY, inputs), np.float32)
        self.after = np.zeros((MEMORY, inputs), np.float32)
        self.masks_after = np.zeros((MEMORY, actions), np.int8)
        self.actions = np.zeros(MEMORY, np.int64)
        self.rewards = np.zeros(MEMORY, np.float32)
        self.ended = np.zeros(MEMORY, np.float32)
        self.count = 0

    def add(self, *columns: np.ndarray) -> None:
        places = np.arange(self.count, self.count + len(columns[0])) % MEMORY
        names = ("seen", "actions", "rewards", "after", "masks_after", "ended")
        for name, values in zip(names, columns):
            getattr(self, name)[places] = values
        self.count += len(places)

    def sample(self, random: np.random.Generator) -> dict[str, torch.Tensor]:
        places = random.integers(min(self.count, MEMORY), size=BATCH)
        columns = {name: value[places] for name, value in vars(self).items() if name != "count"}
        return {name: torch.from_numpy(values) for name, values in columns.items()}


def best(network: nn.Module, planes: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """The legal action of the highest value."""
    return network(planes).masked_fill(masks == 0, -torch.inf).argmax(dim=1)


def dqn_loss(network: nn.Module, target: nn.Module, part: dict[str, torch.Tensor]) -> torch.Tensor:
    """The loss of double DQN: the network chooses the next action, the target values it."""
    with torch.no_grad():
        following = best(network, part["after"], part["masks_after"])
        worth = target(part["after"]).gather(1, following[:, None])[:, 0]
        targets = part["rewards"] + GAMMA * worth * (1.0 - part["ended"])
    values = network(part["seen"]).gather(1, part["actions"][:, None])[:, 0]
    return nn.functional.smooth_l1_loss(values, targets)


def main(
    *,
    game: str = "TicTacToe",  # as in the id plyground/TicTacToe-v0
    opponent: str = "random",
    steps: int = 300_000,
    seed: int = 1,
    out: str = "dqn.onnx",
) -> None:
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)

    envs = gymnasium.make_vec(
        f"plyground:plyground/{game}-v0",  # plyground
        num_envs=GAMES,
        opponent=opponent,
        layout="flat",
        dtype="float32",
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    network = nn.Sequential(
        nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, actions)
    )
    target = copy.deepcopy(network)
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    memory, results = Memory(inputs, actions), []
    planes, infos = envs.reset(seed=seed)
    for step in range(steps // GAMES):
        # 1. Play: a random legal action with probability epsilon, else the best one.
        epsilon = max(1.0 - 1.5 * step * GAMES / steps, LAST_EPSILON)
        masks = infos["action_mask"]  # plyground
        with torch.no_grad():
            choices = best(network, torch.from_numpy(planes), torch.from_numpy(masks)).numpy()
        explores = random.random(GAMES) < epsilon
        choices[explores] = (random.random(masks.shape) * masks).argmax(axis=1)[explores]
        after, rewards, terminated, _, infos = envs.step(choices)
        results += rewards[terminated].tolist()
        # Where a game ended, `after` is of the next one; nothing is learnt from it.
        memory.add(planes, choices, rewards, after, infos["action_mask"], terminated)
        planes = after
        if memory.count < 10 * BATCH:
            continue
        # 2. Learn from transitions of the memory.
        for _ in range(UPDATES):
            loss = dqn_loss(network, target, memory.sample(random))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        if step % TARGET_EVERY == 0:
            target.load_state_dict(network.state_dict())
            if results:
                print(f"{step * GAMES:,} steps: mean return {np.mean(results[-2000:]):+.2f}")
    export_policy(network, out, envs.unwrapped.game, kind="dqn", inputs="flat", action_values=True)


if __name__ == "__main__":
    torch.set_num_threads(1)  # more would wait for each other on a busy machine
    cyclopts.run(main)
