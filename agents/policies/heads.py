"""Third-party networks as functions of observations; importing this file imports torch.

Heads take observations as plyground writes them (float32, (N, rows, columns, planes)), arrange them
in the layout of the network's training, and return logits (N, actions) and values (N,), as in
policy files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...envs.environments.observations import LAYOUTS
from ...envs.game import Game
from ...envs.specification import SpecificationError, first_line
from .policy_file import NO_VALUE, OF_ACTIONS, TO_COME


class Normalisation(torch.nn.Module):
    """The normalisation of stable-baselines3's VecNormalize, with its current statistics.

    Args:
        env: the VecNormalize.
    """

    def __init__(self, env: Any) -> None:
        super().__init__()
        mean, deviation, clip, unit = 0.0, 1.0, np.inf, 1.0
        if env.norm_obs:
            mean, clip = env.obs_rms.mean, env.clip_obs
            deviation = np.sqrt(env.obs_rms.var + env.epsilon)
        if env.norm_reward:
            unit = np.sqrt(env.ret_rms.var + env.epsilon)
        values = {"mean": mean, "deviation": deviation, "clip": clip, "unit": unit}
        self.mean: torch.Tensor
        self.deviation: torch.Tensor
        self.clip: torch.Tensor
        self.unit: torch.Tensor
        for name, value in values.items():  # in float64, as it computes
            self.register_buffer(name, torch.as_tensor(np.array(value, np.float64)))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """The observations, normalised."""
        normal = (observation.double() - self.mean) / self.deviation
        return torch.minimum(torch.maximum(normal, -self.clip), self.clip).float()

    def restore(self, values: torch.Tensor) -> torch.Tensor:
        """Values learnt from normalised rewards, in the game's unit."""
        return (values.double() * self.unit).float()


class Heads(torch.nn.Module):
    """A network as a function of observations.

    Attributes:
        layout: the layout of the planes in the network's input.
        normalisation: the normalisation of its observations, or None.
        meaning: the meaning of its values, one of ``policy_file.VALUES``.
        has_policy: whether its logits mean anything.
    """

    meaning = TO_COME
    has_policy = True

    def __init__(self, layout: str) -> None:
        super().__init__()
        self.layout = layout
        self.normalisation: Normalisation | None = None

    def arrange(self, observation: torch.Tensor) -> torch.Tensor:
        """The observations in the network's layout, normalised as in its training."""
        if self.layout == "chw":
            observation = observation.permute(0, 3, 1, 2)
        elif self.layout == "flat":
            observation = observation.flatten(1)
        return observation if self.normalisation is None else self.normalisation(observation)

    def restore(self, values: torch.Tensor) -> torch.Tensor:
        """The network's values in the game's unit."""
        return values if self.normalisation is None else self.normalisation.restore(values)


class ActorCriticHeads(Heads):
    """An actor-critic policy of stable-baselines3."""

    def __init__(self, policy: Any, layout: str) -> None:
        super().__init__(layout)
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values."""
        policy = self.policy
        features = policy.extract_features(self.arrange(observation))
        if policy.share_features_extractor:
            actor, critic = policy.mlp_extractor(features)
        else:
            actor, critic = (
                policy.mlp_extractor.forward_actor(features[0]),
                policy.mlp_extractor.forward_critic(features[1]),
            )
        return policy.action_net(actor), self.restore(policy.value_net(critic).squeeze(-1))


class QHeads(Heads):
    """The network of a DQN or QR-DQN of stable-baselines3, whose logits are action values."""

    meaning = OF_ACTIONS

    def __init__(self, network: Any, layout: str) -> None:
        super().__init__(layout)
        self.network = network

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Action values, and zeros."""
        worth = self.network(self.arrange(observation))
        if worth.dim() == 3:  # quantiles: (N, quantiles, actions)
            worth = worth.mean(dim=1)
        return self.restore(worth), worth[:, 0] * 0.0


class ModuleHeads(Heads):
    """Any module that returns logits, a value, both, or action values.

    Args:
        module: takes float32 observations in the layout ``inputs``. It returns a tensor (N,
            actions), a tensor (N,) or (N, 1), or a tuple, list or dictionary with one of each;
            other outputs are ignored.
        game: the game it plays.
        inputs: ``"hwc"``, ``"chw"`` or ``"flat"``.
        action_values: whether its outputs (N, actions) are action values, as in a Q network.
        value: the meaning of its value, ``"to come"`` or ``"return"``.

    Raises:
        SpecificationError: it does not take these observations, or returns something else.
    """

    def __init__(
        self, module: torch.nn.Module, game: Game, inputs: str, action_values: bool, value: str
    ) -> None:
        super().__init__(inputs)
        self.module: Any = module
        self._actions = game.facts.num_actions
        policy, values = self._try(game)
        self.has_policy: bool = policy is not None
        if action_values:
            self.meaning = OF_ACTIONS
        else:
            self.meaning: str = value if values is not None else NO_VALUE

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values; zeros for an output that the module does not have."""
        policy, values = self._outputs(self.module(self.arrange(observation)))
        zeros = observation.flatten(1)[:, :1] * 0.0
        if policy is None:
            policy = zeros.expand(-1, self._actions)
        return policy, zeros[:, 0] if values is None else values.flatten()

    def _try(self, game: Game) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """The outputs for two empty boards."""
        weights = next(self.module.parameters(), torch.zeros(1))
        example = torch.zeros((2, *game.facts.observation_shape), device=weights.device)
        try:
            with torch.no_grad():
                output = self.module(self.arrange(example))
        except Exception as error:  # whatever the module raises if the shapes do not fit
            shape = tuple(self.arrange(example).shape[1:])
            raise SpecificationError(
                f"the module does not take observations of {game.spec} in the layout "
                f"{self.layout}, shape (N, {', '.join(map(str, shape))}): {first_line(error)}; "
                f"inputs= is one of {', '.join(LAYOUTS)}"
            ) from None
        outputs = self._outputs(output)
        if outputs == (None, None):
            raise SpecificationError(
                f"the module gives neither a policy, a tensor of shape (N, {self._actions}), nor a "
                f"value, a tensor of shape (N,) or (N, 1)"
            )
        return outputs

    def _outputs(self, output: Any) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """The policy and the value among the module's outputs, identified by their shapes."""
        if isinstance(output, dict):
            output = tuple(output.values())
        parts = output if isinstance(output, (tuple, list)) else (output,)
        tensors = [part for part in parts if isinstance(part, torch.Tensor)]
        policies = [part for part in tensors if part.dim() == 2 and part.shape[1] == self._actions]
        values = [part for part in tensors if part.dim() == 1 or part.shape[1:] == (1,)]
        return policies[0] if policies else None, values[0] if values else None
