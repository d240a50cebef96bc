"""PPO with action masks in one file, in the style of CleanRL.

    python examples/cleanrl_ppo.py --game TicTacToe --steps 400000 --out ppo.onnx
    plyground tournament tic_tac_toe policy:ppo.onnx random greedy --format gauntlet

The lines that plyground asks for are marked; the algorithm is that of Schulman et al., "Proximal
policy optimization algorithms", 2017.
"""

from __future__ import annotations

import cyclopts
import gymnasium
import numpy as np
import torch
from plyground.training import export_policy
from torch import nn
from torch.distributions import Categorical

GAMES, ROLLOUT, EPOCHS, MINIBATCHES = 64, 32, 4, 8
LEARNING_RATE, GAMMA, GAE_LAMBDA, CLIP, ENTROPY, VALUE = 2.5e-3, 1.0, 0.95, 0.2, 0.01, 0.5


def layer(inputs: int, outputs: int, gain: float = np.sqrt(2)) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


class Network(nn.Module):
    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(layer(inputs, 128), nn.Tanh(), layer(128, 128), nn.Tanh())
        self.actor, self.critic = layer(128, actions, 0.01), layer(128, 1, 1.0)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.trunk(planes)
        return self.actor(features), self.critic(features)[:, 0]


def masked_distribution(logits: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """The distribution over legal actions."""
    return Categorical(logits=logits.masked_fill(masks == 0, -1e9))


def advantages(rewards, values, dones, last_value):
    """Generalised advantage estimates; nothing follows the end of a game."""
    result, advantage = torch.zeros_like(rewards), torch.zeros_like(last_value)
    for step in reversed(range(len(rewards))):
        after = values[step + 1] if step + 1 < len(values) else last_value
        goes_on = 1.0 - dones[step]
        error = rewards[step] + GAMMA * after * goes_on - values[step]
        advantage = error + GAMMA * GAE_LAMBDA * goes_on * advantage
        result[step] = advantage
    return result


def ppo_loss(network: nn.Module, part: dict[str, torch.Tensor]) -> torch.Tensor:
    """The clipped loss of a minibatch, its value loss and its entropy bonus."""
    logits, values = network(part["planes"])
    distribution = masked_distribution(logits, part["masks"])
    ratio = (distribution.log_prob(part["actions"]) - part["log_probs"]).exp()
    gain = (part["gains"] - part["gains"].mean()) / (part["gains"].std() + 1e-8)
    policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
    value_loss = 0.5 * (values - part["returns"]).square().mean()
    return policy_loss + VALUE * value_loss - ENTROPY * distribution.entropy().mean()


def learn(
    network: nn.Module, optimiser: torch.optim.Optimizer, batch: dict[str, torch.Tensor]
) -> None:
    """Several passes over a batch, in minibatches."""
    for _ in range(EPOCHS):
        for index in torch.randperm(GAMES * ROLLOUT).chunk(MINIBATCHES):
            loss = ppo_loss(network, {name: value[index] for name, value in batch.items()})
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def main(
    *,
    game: str = "TicTacToe",  # as in the id plyground/TicTacToe-v0
    opponent: str = "random",
    steps: int = 400_000,
    seed: int = 1,
    out: str = "ppo.onnx",
) -> None:
    torch.manual_seed(seed)

    envs = gymnasium.make_vec(
        f"plyground:plyground/{game}-v0",  # plyground
        num_envs=GAMES,
        opponent=opponent,
        layout="flat",
        dtype="float32",
    )
    network = Network(envs.single_observation_space.shape[0], int(envs.single_action_space.n))
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, eps=1e-5)
    planes, infos = envs.reset(seed=seed)
    updates = steps // (GAMES * ROLLOUT)
    for update in range(updates):
        optimiser.param_groups[0]["lr"] = LEARNING_RATE * (1.0 - update / updates)
        # 1. Play.
        storage: dict[str, list[torch.Tensor]] = {
            name: []
            for name in ("planes", "masks", "actions", "log_probs", "values", "rewards", "ended")
        }
        results = []
        for _ in range(ROLLOUT):
            observations = torch.from_numpy(planes)
            masks = torch.from_numpy(infos["action_mask"])  # plyground
            with torch.no_grad():
                logits, values = network(observations)
                distribution = masked_distribution(logits, masks)
                actions = distribution.sample()
            planes, rewards, terminated, _, infos = envs.step(actions.numpy())
            results += rewards[terminated].tolist()
            for name, value in (
                ("planes", observations),
                ("masks", masks),
                ("actions", actions),
                ("log_probs", distribution.log_prob(actions)),
                ("values", values),
                ("rewards", torch.from_numpy(rewards).float()),
                ("ended", torch.from_numpy(terminated).float()),
            ):
                storage[name].append(value)
        rows = {name: torch.stack(values) for name, values in storage.items()}
        # 2. What was each action worth?
        with torch.no_grad():
            last_value = network(torch.from_numpy(planes))[1]
        gains = advantages(rows["rewards"], rows["values"], rows["ended"], last_value)
        rows |= {"gains": gains, "returns": gains + rows["values"]}
        batch = {name: value.flatten(0, 1) for name, value in rows.items()}
        # 3. Learn.
        learn(network, optimiser, batch)
        if update % 20 == 19:
            print(f"{(update + 1) * GAMES * ROLLOUT:,} steps: mean return {np.mean(results):+.2f}")
    export_policy(network, out, envs.unwrapped.game, kind="ppo", inputs="flat")


if __name__ == "__main__":
    torch.set_num_threads(1)  # more would wait for each other on a busy machine
    cyclopts.run(main)
