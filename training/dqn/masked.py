"""DQN of stable-baselines3 that plays, explores and bootstraps with legal actions only.

Observations are dictionaries with the planes and the action mask, so the replay buffer keeps the
masks of both positions of a transition. The network gives illegal actions a value below all others,
so the best action of this position or of the next is legal. Only random actions need the mask
itself.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from ..network import BoardTrunk

PLANES, MASK = "observation", "action_mask"
ILLEGAL = -1e8  # the value of an illegal action
# Share of random moves of a past version as an opponent, so that its games differ.
RANDOM_SHARE = 0.1


class MaskedTrunk(BoardTrunk):
    """The same trunk for the planes of a dictionary observation."""

    def __init__(self, observation_space: spaces.Dict, **options: Any) -> None:
        planes = observation_space[PLANES]
        assert isinstance(planes, spaces.Box)
        super().__init__(planes, **options)

    def forward(self, observations: Any) -> torch.Tensor:
        """(N, units of the last dense layer)."""
        return super().forward(observations[PLANES])


class MaskedQNetwork(QNetwork):
    """Values of the actions, ``ILLEGAL`` for illegal ones."""

    def forward(self, obs: Any) -> torch.Tensor:
        """(N, actions)."""
        return super().forward(obs).masked_fill(obs[MASK] == 0, ILLEGAL)


class MaskedDQNPolicy(DQNPolicy):
    """SB3's policy with this network."""

    def make_q_net(self) -> MaskedQNetwork:
        """A network with separate weights."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQNetwork(**arguments).to(self.device)

    def get_distribution(self, observations: torch.Tensor, masks: np.ndarray) -> Any:
        """The policy's distribution, in the form of actor-critic policies.

        Args:
            observations: planes, (N, rows, columns, planes).
            masks: the legal actions, bool, (N, actions).

        Returns:
            An object whose ``distribution`` has ``logits``, the values, and ``probs``: the best
            action, and a share of random ones.
        """
        legal = torch.from_numpy(np.ascontiguousarray(masks)).to(observations.device).float()
        values = self.q_net({PLANES: observations, MASK: legal})
        best = torch.nn.functional.one_hot(values.argmax(dim=1), values.shape[1])
        probs = (1 - RANDOM_SHARE) * best + RANDOM_SHARE * legal / legal.sum(dim=1, keepdim=True)
        return SimpleNamespace(distribution=SimpleNamespace(logits=values, probs=probs))


class MaskedDQN(DQN):
    """SB3's DQN, which explores with random legal actions."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """The best legal actions; without ``deterministic`` some of them are random."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if not deterministic:
            self._explore(actions, observation[MASK], self.exploration_rate)
        return actions, state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        if self.num_timesteps >= learning_starts:
            return super()._sample_action(learning_starts, action_noise, n_envs)
        observation: Any = self._last_obs
        actions = np.zeros(n_envs, np.int64)
        self._explore(actions, observation[MASK], 1.0)
        return actions, actions

    @staticmethod
    def _explore(actions: np.ndarray, masks: np.ndarray, share: float) -> None:
        """Replace a share of the actions by random legal ones, drawn as SB3 draws."""
        explores = np.random.random(len(actions)) < share  # noqa: NPY002
        drawn = (np.random.random(masks.shape) * masks).argmax(axis=1)  # noqa: NPY002
        actions[explores] = drawn[explores]


class PlainQNetwork(torch.nn.Module):
    """The same network on planes alone, without the mask, for policy files."""

    def __init__(self, policy: MaskedDQNPolicy) -> None:
        super().__init__()
        self.network: QNetwork = policy.q_net

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """(N, actions)."""
        network: Any = self.network
        values: torch.Tensor = network.q_net(network.features_extractor({PLANES: planes}))
        return values
