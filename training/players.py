"""A network as a player of many games at once: the learner and its past versions."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch


class NetworkPlayer:
    """Plays a stable-baselines3 policy in a batch of games.

    It is an :class:`~plyground.envs.single_agent.opponents.Opponent`.

    Args:
        policy: the policy; each move uses its present weights.
        randomness: random generator for sampling from its probabilities; None: it plays the most
            probable action.
    """

    def __init__(self, policy: Any, randomness: torch.Generator | None = None) -> None:
        self.policy = policy
        self.randomness = randomness

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose actions for many positions by one forward pass.

        Args:
            observations: (n, rows, columns, planes), int8.
            masks: (n, actions), int8.

        Returns:
            (n,), int64.
        """
        with torch.no_grad():
            distribution = self.policy.get_distribution(
                torch.from_numpy(observations).to(self.policy.device), masks.astype(np.bool_)
            ).distribution
            if self.randomness is None:
                indices = distribution.logits.argmax(dim=1)
            else:
                chances = distribution.probs.cpu()  # the generator is on the CPU
                indices = torch.multinomial(chances, 1, generator=self.randomness)[:, 0]
        actions: np.ndarray = indices.cpu().numpy()
        return actions


class Snapshots:
    """Past versions of the learner as one opponent.

    For each rollout one of them is drawn, so that all its games need one forward pass per step.
    Half the time it is the newest, otherwise any. A snapshot samples from its probabilities instead
    of playing the most probable action.

    Args:
        policy: the learner's policy, which it copies.
        capacity: the number of versions kept; beyond that the oldest is dropped.
        seed: seed of the choice of versions and of their moves.
    """

    def __init__(self, policy: Any, capacity: int, seed: int) -> None:
        self._randomness = torch.Generator().manual_seed(seed)
        self._player = NetworkPlayer(copy.deepcopy(policy), self._randomness)
        self._player.policy.set_training_mode(False)
        self._weights: list[dict[str, torch.Tensor]] = []
        self._capacity = capacity
        self._drawn = 0
        self.add(policy)

    def add(self, policy: Any) -> None:
        """Add the present learner."""
        self._weights.append(
            {name: value.detach().clone() for name, value in policy.state_dict().items()}
        )
        del self._weights[: -self._capacity]
        self.draw()

    def draw(self) -> None:
        """Choose the version that plays from now on."""
        newest = len(self._weights) - 1
        first, second = (
            torch.randint(2, (1,), generator=self._randomness),
            torch.randint(newest + 1, (1,), generator=self._randomness),
        )
        self._drawn = newest if first else int(second)
        self._player.policy.load_state_dict(self._weights[self._drawn])

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """As :meth:`NetworkPlayer.act_batch`."""
        return self._player.act_batch(observations, masks)

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {
            "weights": list(self._weights),
            "drawn": self._drawn,
            "randomness": self._randomness.get_state(),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        self._weights, self._drawn = list(state["weights"]), state["drawn"]
        self._player.policy.load_state_dict(self._weights[self._drawn])
        self._randomness.set_state(state["randomness"])
