"""The samples of a rollout, with advantages by turns.

The next state of a player is the one in which it is to move again. Against another opponent that is
the next observation. In games of the learner against itself the other player's turns lie between,
and every action is a sample of the player that chose it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from ...envs.single_agent.game_batch import GameBatch


class TurnBuffer(MaskableRolloutBuffer):
    """MaskablePPO's rollout buffer, which also notes who is to move.

    Args:
        *args, **options: as for MaskableRolloutBuffer.
        games: the games of the rollouts. What one player gains the other loses, unless a judge
            rewards the actions.
    """

    def __init__(self, *args: Any, games: GameBatch, **options: Any) -> None:
        self._state = games.state
        self._shared = 1.0 if games.judge is None else 0.0  # how much of a gain the other loses
        super().__init__(*args, **options)

    def reset(self) -> None:
        """Begin a rollout in the present positions of the games."""
        super().reset()
        self._movers = np.zeros((self.buffer_size + 1, self.n_envs), np.int64)
        self._movers[0] = self._state.seats

    def add(self, *args: Any, **options: Any) -> None:
        """Add a step, after which other players may be to move."""
        super().add(*args, **options)
        self._movers[self.pos] = self._state.seats

    def compute_returns_and_advantage(self, last_values: Any, dones: np.ndarray) -> None:
        """As :func:`turn_advantages`, with the values after the last step and whether it ended."""
        values = np.array([*self.values, last_values.cpu().numpy().flatten()])
        ended = np.array([*self.episode_starts[1:], dones], bool)
        new = torch.from_numpy
        turns = new(self.rewards), new(values), new(self._movers), new(ended)
        self.advantages = turn_advantages(*turns, self.gamma, self.gae_lambda, self._shared).numpy()
        self.returns = self.advantages + self.values


def turn_advantages(
    rewards: torch.Tensor,
    values: torch.Tensor,
    movers: torch.Tensor,
    ended: torch.Tensor,
    gamma: float,
    gae_lambda: float,
    shared: float = 1.0,
) -> torch.Tensor:
    """Generalised advantage estimates over the turns of each player, float32 (T, N).

    Rewards, float32 (T, N), are of who acted; ``ended``, bool (T, N): whether it ended a game;
    values, float32 (T + 1, N), and movers, int64 (T + 1, N), are of who is to move. The other
    player loses ``shared`` of a gain; who is not to move after the last step does by estimate.
    """
    players = torch.arange(2, device=movers.device)[:, None]
    advantages = torch.zeros_like(rewards)
    # of both players: the value and the advantage of their next turn, and the rewards until it
    value = torch.where(players == movers[-1], values[-1], -shared * values[-1])
    advantage, reward = torch.zeros_like(value), torch.zeros_like(value)
    for step in reversed(range(len(rewards))):
        acts, mover = players == movers[step], movers[step][None]
        value, advantage, reward = (
            each.masked_fill(ended[step], 0.0) for each in (value, advantage, reward)
        )
        reward = reward + torch.where(acts, rewards[step], -shared * rewards[step])
        gain = reward + gamma * value - values[step]
        advantages[step] = (gain + gamma * gae_lambda * advantage).gather(0, mover)[0]
        value = torch.where(acts, values[step], value)
        advantage, reward = torch.where(acts, advantages[step], advantage), reward * ~acts
    return advantages
