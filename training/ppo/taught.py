"""A policy that goes on from a network which AlphaZero or supervised learning left."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from ...agents.policies.named import open_network
from ...agents.policies.policy_file import OnnxNetwork
from ...agents.policies.zoo import PREFIX
from ...envs.game import Game
from ..alphazero.initial import network_of
from ..alphazero.network import BoardNetwork, PolicyAndValue
from ..alphazero.settings import AlphaZeroSettings
from ..checkpoints import initial_learner
from ..folder import TrainingError


def taught_network(game: Game, source: str) -> BoardNetwork | None:
    """The network of a policy that AlphaZero or supervised learning left.

    Args:
        game: the game.
        source: a run, whose best policy is taken, a policy file, or a network of the zoo.

    Returns:
        None for a run whose weights are those of stable-baselines3.

    Raises:
        TrainingError: there is no such network, or it does not fit.
        SpecificationError: the file is refused.
    """
    path = Path(source)
    is_run = not source.startswith(PREFIX) and path.suffix != ".onnx"
    if is_run and "policy" in initial_learner(path):
        return None
    left = open_network(source).for_game(game)
    try:
        if not isinstance(left, OnnxNetwork):
            raise TrainingError("it is not a policy file")
        return network_of(game, AlphaZeroSettings.for_game(game), left.data)
    except (TrainingError, KeyError, RuntimeError):
        raise TrainingError(
            f"initial={source} is not possible: it is a run of PPO, or a policy that AlphaZero or "
            f"supervised learning left for {game.spec}"
        ) from None


class _TaughtTrunk(BaseFeaturesExtractor):
    """The whole network; its features are the logits of the actions, then the value.

    Args:
        observation_space: as stable-baselines3 gives it.
        network: the network.
        bfloat16: whether products are computed in bfloat16 (the weights stay float32).
    """

    def __init__(self, observation_space: Any, network: BoardNetwork, bfloat16: bool) -> None:
        super().__init__(observation_space, network.game.facts.num_actions + 1)
        self.reduced = bfloat16
        self.whole = PolicyAndValue(network)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, rows, columns, planes) to (N, actions + 1)."""
        kind = observations.device.type
        reduced = torch.autocast(kind, torch.bfloat16) if self.reduced else contextlib.nullcontext()
        with reduced:
            logits, values = self.whole(observations)
        return torch.cat([logits.float(), values.float()[:, None]], dim=1)


class _Split(nn.Module):
    """The parts of these features, in place of SB3's ``mlp_extractor``."""

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.latent_dim_pi: int = num_actions
        self.latent_dim_vf: int = 1

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (N, actions) and values (N, 1)."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Logits (N, actions)."""
        return features[:, :-1]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Values (N, 1)."""
        return features[:, -1:]


class TaughtPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's policy with such a network, in its own shape.

    Args:
        observation_space, action_space, lr_schedule: as SB3 gives them.
        network: the network, whose weights the policy goes on from.
        bfloat16: see :class:`_TaughtTrunk`.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        network: BoardNetwork,
        bfloat16: bool = False,
    ) -> None:
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=[],
            ortho_init=False,
            features_extractor_class=_TaughtTrunk,
            features_extractor_kwargs={"network": network, "bfloat16": bfloat16},
        )

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.mlp_extractor: Any = _Split(self.features_dim - 1)
        # the network gives logits and value itself
        self.action_net: nn.Identity = nn.Identity()
        self.value_net: Any = nn.Identity()
        make: Any = self.optimizer_class
        self.optimizer: torch.optim.Optimizer = make(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )
