"""Networks for small boards: convolutions that keep the board's size, then layers for the heads.

These are either dense layers or heads with the board's geometry. SB3's own image extractor refuses
boards of fewer than 36 cells a side. On a CPU, dense layers learn most in a given time if the board
is small (connect four: three times the steps per second of two layers of convolutions); on a large
one they would have to learn every pattern anew in every place.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from ..envs.game import Game
from ..envs.optional.defaults import action_cells

VALUE_CHANNELS = 8  # channels of the value head


class BoardTrunk(BaseFeaturesExtractor):
    """Convolutions of 3×3 that keep the board's size, then dense layers.

    Args:
        observation_space: int8 planes of shape (rows, columns, planes).
        channels: channels of each convolution.
        layers: number of convolutions; may be 0.
        dense: units of each dense layer; may be empty.
        bfloat16: whether products are computed in bfloat16 (the weights stay float32).
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        channels: int = 32,
        layers: int = 0,
        dense: Sequence[int] = (256,),
        bfloat16: bool = False,
    ) -> None:
        rows, columns, planes = observation_space.shape
        units = [(channels if layers else planes) * rows * columns, *dense]
        super().__init__(observation_space, units[-1])
        self.reduced = bfloat16
        convolutions: list[nn.Module] = []
        for layer in range(layers):
            convolutions += [
                nn.Conv2d(channels if layer else planes, channels, 3, padding=1),
                nn.ReLU(),
            ]
        self.convolutions: nn.Sequential = nn.Sequential(*convolutions)
        self.dense: nn.Sequential = nn.Sequential(
            *(
                layer
                for pair in itertools.pairwise(units)
                for layer in (nn.Linear(*pair), nn.ReLU())
            )
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, rows, columns, planes) to (N, units of the last dense layer).

        Without dense layers the result is (N, rows · columns · channels), in this order.
        """
        kind = observations.device.type
        reduced = torch.autocast(kind, torch.bfloat16) if self.reduced else contextlib.nullcontext()
        with reduced:
            board = self.convolutions(observations.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
            features: torch.Tensor = self.dense(board.flatten(1))
        return features.float()


def action_places(game: Game) -> list[list[int]]:
    """The row, column and layer of each action on the observed board.

    The game declares them as ``cells`` of its :class:`~plyground.envs.declaration.Board`.
    """
    places: list[list[int]] = action_cells(game.rules).tolist()
    return places


class _BoardHeads(nn.Module):
    """Policy and value heads on a :class:`BoardTrunk`, replacing SB3's ``mlp_extractor``.

    If actions are columns, a convolution over whole columns gives their logits; if actions are
    cells, the features of each cell give its logit, and the value head's channels give the logits
    of actions without a place; if no action has a place, the policy head is dense.

    Args:
        shape: rows, columns and channels of the trunk.
        num_actions: number of actions of the game.
        places: places of the actions, see :func:`action_places`; None: the head is dense.
        hidden: width of the heads.
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        num_actions: int,
        places: list[list[int]] | None,
        hidden: int,
    ) -> None:
        super().__init__()
        self.shape: tuple[int, int, int] = shape
        rows, columns, channels = shape
        self.latent_dim_pi: int = num_actions
        self.latent_dim_vf: int = hidden
        self.narrow: nn.Conv2d = nn.Conv2d(channels, VALUE_CHANNELS, 1)
        self.value: nn.Sequential = nn.Sequential(
            nn.ReLU(), nn.Flatten(), nn.Linear(VALUE_CHANNELS * rows * columns, hidden), nn.ReLU()
        )
        self.planar: bool = False
        on_board = [place for place in places or () if place[0] >= 0]
        if places == [[-1, column, 0] for column in range(columns)]:
            self.policy: nn.Sequential = nn.Sequential(
                nn.Conv2d(channels, hidden, (rows, 1)),
                nn.ReLU(),
                nn.Conv2d(hidden, 1, 1),
                nn.Flatten(),
            )
        elif on_board:
            layers = 1 + max(layer for _, _, layer in on_board)
            self.policy = nn.Sequential(
                nn.Conv2d(channels, hidden, 1),
                nn.ReLU(),
                nn.Conv2d(hidden, layers, 1),
                nn.Flatten(),
            )
            self._choose_logits(places or [], layers)
        else:
            dense = nn.Linear(channels * rows * columns, hidden)
            self.policy = nn.Sequential(
                nn.Flatten(), dense, nn.ReLU(), nn.Linear(hidden, num_actions)
            )

    def _choose_logits(self, places: list[list[int]], layers: int) -> None:
        """The index of each action's logit; actions without a cell come after the cells."""
        rows, columns, _ = self.shape
        self.planar = True
        cells: int = layers * rows * columns
        elsewhere: int = 0
        selection: list[Any] = []
        for row, column, layer in places:
            if row >= 0:
                selection.append((layer * rows + row) * columns + column)
            else:
                selection.append(cells + elsewhere)
                elsewhere += 1
        self.elsewhere: nn.Linear | None = (
            nn.Linear(VALUE_CHANNELS * rows * columns, elsewhere) if elsewhere else None
        )
        self.chosen: torch.Tensor
        self.register_buffer("chosen", torch.tensor(selection), persistent=False)

    def _board(self, features: torch.Tensor) -> torch.Tensor:
        rows, columns, channels = self.shape
        return features.view(-1, rows, columns, channels).permute(0, 3, 1, 2)

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (N, actions) and the value head's hidden layer (N, hidden)."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Logits (N, actions)."""
        board = self._board(features)
        logits: torch.Tensor = self.policy(board)
        if not self.planar:
            return logits
        if self.elsewhere is not None:
            whole = torch.relu(self.narrow(board)).flatten(1)
            logits = torch.cat([logits, self.elsewhere(whole)], dim=1)
        return logits[:, self.chosen]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """The value head's hidden layer (N, hidden)."""
        values: torch.Tensor = self.value(self.narrow(self._board(features)))
        return values


class BoardPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's policy with this network.

    Args:
        observation_space, action_space, lr_schedule: as SB3 gives them.
        channels, layers, dense, bfloat16: settings of the trunk.
        hidden: width of the heads with the board's geometry, used without dense layers.
        places: places of the actions, see :func:`action_places`.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        channels: int = 32,
        layers: int = 0,
        dense: Sequence[int] = (256,),
        hidden: int = 64,
        bfloat16: bool = False,
        places: list[list[int]] | None = None,
        **options: Any,
    ) -> None:
        self._geometric = not dense
        shape = (*observation_space.shape[:2], channels)
        self._heads: dict[str, Any] = {
            "shape": shape,
            "num_actions": int(action_space.n),
            "places": places,
            "hidden": hidden,
        }
        trunk: dict[str, Any] = {"features_extractor_class": BoardTrunk, "net_arch": []}
        trunk["features_extractor_kwargs"] = {
            "channels": channels,
            "layers": layers,
            "dense": tuple(dense),
            "bfloat16": bfloat16,
        }
        super().__init__(observation_space, action_space, lr_schedule, **(trunk | options))
        # Observations have the planes last. So have the weights: in this layout convolutions on a
        # CPU are fastest. Only now, because SB3 initialises weights in the usual layout.
        nn.Module.to(self, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _build_mlp_extractor(self) -> None:
        super()._build_mlp_extractor()
        if self._geometric:
            self.mlp_extractor: Any = _BoardHeads(**self._heads)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if not self._geometric:
            return
        self.action_net: nn.Identity = nn.Identity()  # the policy head returns the logits itself
        # at first all actions are about equally probable
        nn.init.orthogonal_(_last_layer(self.mlp_extractor.policy).weight, 0.01)
        if self.mlp_extractor.planar and self.mlp_extractor.elsewhere is not None:
            nn.init.orthogonal_(self.mlp_extractor.elsewhere.weight, 0.01)
        make: Any = self.optimizer_class
        self.optimizer: torch.optim.Optimizer = make(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


@contextlib.contextmanager
def full_precision(policy: Any) -> Iterator[None]:
    """Compute the policy in float32 during the body, as it is exported and evaluated."""
    trunk: Any = policy.features_extractor
    before, trunk.reduced = trunk.reduced, False
    try:
        yield
    finally:
        trunk.reduced = before


def _last_layer(layers: nn.Sequential) -> Any:
    return next(layer for layer in reversed(layers) if hasattr(layer, "weight"))
