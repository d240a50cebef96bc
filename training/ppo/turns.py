"""The samples of a rollout, with advantages by turns.

The next state of a player is the one in which it is to move again. Against another opponent that is
the next observation. In games of the learner against itself the other player's turns lie between,
and every action is a sample of the player that chose it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
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
        self._movers = np.zeros((self.buffer_size + 1, self.n_envs), np.int8)
        self._movers[0] = self._state.seats

    def add(self, *args: Any, **options: Any) -> None:
        """Add a step, after which other players may be to move."""
        super().add(*args, **options)
        self._movers[self.pos] = self._state.seats

    def compute_returns_and_advantage(self, last_values: Any, dones: np.ndarray) -> None:
        """Generalised advantage estimates over the turns of each player.

        Who is not to move after the last step loses, by estimate, what the other player gains.

        Args:
            last_values: the values of the observations after the last step.
            dones: whether the last step ended a game.
        """
        games, weight = np.arange(self.n_envs), self.gamma * self.gae_lambda
        mover = self._movers[-1]
        # of both players: the value and the advantage of their next turn, and the rewards until it
        values, advantages, rewards = np.zeros((3, 2, self.n_envs), np.float32)
        values[mover, games] = last_values.cpu().numpy().flatten()
        values[1 - mover, games] = -self._shared * values[mover, games]
        for step in reversed(range(self.buffer_size)):
            ended = self.episode_starts[step + 1] if step + 1 < self.buffer_size else dones
            for each in (values, advantages, rewards):
                each[:, ended.astype(np.bool_)] = 0.0
            mover = self._movers[step]
            rewards[mover, games] += self.rewards[step]
            rewards[1 - mover, games] -= self._shared * self.rewards[step]
            gain = rewards[mover, games] + self.gamma * values[mover, games] - self.values[step]
            advantages[mover, games] = gain + weight * advantages[mover, games]
            self.advantages[step] = advantages[mover, games]
            values[mover, games], rewards[mover, games] = self.values[step], 0.0
        self.returns = self.advantages + self.values
