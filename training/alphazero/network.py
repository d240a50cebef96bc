"""The networks of AlphaZero: a trunk, and heads for policy, result, value and plies left.

The networks are small: strength per second of CPU time counts, and a search evaluates the network
tens of thousands of times per second. There is no normalisation to fold in; residual blocks start
as the identity instead (Zhang, Dauphin, Ma, "Fixup initialization", ICLR 2019).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ...agents.policies.compiled.boards import action_order
from ...envs.game import Game
from ...envs.optional.defaults import action_cells
from ...envs.specification import SpecificationError
from .settings import DENSE, POOLED, NetworkSettings

RESULTS = 3  # win, draw, loss


class Outputs(NamedTuple):
    """The outputs for the learner.

    Attributes:
        logits: (N, actions).
        results: (N, 3), logits of win, draw and loss for the side to move.
        value: (N,), from −1 to 1: the value for the search.
        nearness: (N,), logits of the discount until the end.
    """

    logits: torch.Tensor
    results: torch.Tensor
    value: torch.Tensor
    nearness: torch.Tensor


class _GlobalPooling(nn.Module):
    """Adds a bias to each channel, computed from the channels' means and maxima over the board.

    Source: Wu, "Accelerating self-play learning in Go", 2019.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bias: nn.Linear = nn.Linear(2 * channels, channels)
        _set_to_zero(self.bias)

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        """(N, channels, rows, columns) to the same."""
        result: torch.Tensor = board + self.bias(pool(board))[:, :, None, None]
        return result


def pool(board: torch.Tensor) -> torch.Tensor:
    """Means and maxima of each channel: (N, 2 · channels)."""
    return torch.cat([board.mean(dim=(2, 3)), board.amax(dim=(2, 3))], dim=1)


def _set_to_zero(layer: nn.Module) -> None:
    """Initialise a layer to zero output."""
    for weights in layer.parameters():
        nn.init.zeros_(weights)


class _ResidualBlock(nn.Module):
    """Two convolutions of 3×3 whose result is added to their input."""

    def __init__(self, channels: int, pools: bool) -> None:
        super().__init__()
        self.first: nn.Conv2d = nn.Conv2d(channels, channels, 3, padding=1)
        self.pooling: _GlobalPooling | nn.Identity = (
            _GlobalPooling(channels) if pools else nn.Identity()
        )
        self.second: nn.Conv2d = nn.Conv2d(channels, channels, 3, padding=1)
        _set_to_zero(self.second)

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        """(N, channels, rows, columns) to the same."""
        inner = torch.relu(self.pooling(self.first(board)))
        return torch.relu(board + self.second(inner))


class _DenseBlock(nn.Module):
    """Two dense layers whose result is added to their input."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.first: nn.Linear = nn.Linear(units, units)
        self.second: nn.Linear = nn.Linear(units, units)
        _set_to_zero(self.second)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(N, units) to the same."""
        return torch.relu(features + self.second(torch.relu(self.first(features))))


class _PlanarPolicy(nn.Module):
    """A logit for each cell of the board and layer of actions; weights fit any board size.

    Actions without a cell, such as a pass, are valued by the means and maxima of the channels.

    Args:
        channels: channels of the trunk.
        hidden: width of the hidden layer.
        game: the game on its first board; :meth:`add_board` adds others.
    """

    def __init__(self, channels: int, hidden: int, game: Game) -> None:
        super().__init__()
        places = action_cells(game.rules)
        self.layers: int = 1 + int(places[:, 2].max())
        self.cells: nn.Sequential = nn.Sequential(
            nn.Conv2d(channels, hidden, 1), nn.ReLU(), nn.Conv2d(hidden, self.layers, 1)
        )
        elsewhere = int((places[:, 0] < 0).sum())
        self.whole: nn.Linear | None = nn.Linear(2 * channels, elsewhere) if elsewhere else None
        self._orders: dict[tuple[int, ...], torch.Tensor] = {}  # by rows and columns
        self.add_board(game)

    def add_board(self, game: Game) -> None:
        """Select the order of the logits: the actions of this game's board."""
        order = torch.from_numpy(action_order(game).astype(np.int64))
        self._orders[game.facts.observation_shape[:2]] = order

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        """(N, channels, rows, columns) to (N, actions)."""
        logits = self.cells(board).flatten(1)
        if self.whole is not None:
            logits = torch.cat([logits, self.whole(pool(board))], dim=1)
        board_shape = board.shape[2], board.shape[3]
        # copied to a device once: no CUDA graph can copy from here
        order = self._orders[board_shape] = self._orders[board_shape].to(logits.device)
        selection: torch.Tensor = logits[:, order]
        return selection


class BoardNetwork(nn.Module):
    """Policy, result, value and plies left, from the observations of one game.

    Args:
        game: the game.
        settings: its shape.
        discount: discount of the values. Below 1 a nearer win is worth more.
    """

    def __init__(self, game: Game, settings: NetworkSettings, discount: float) -> None:
        super().__init__()
        rows, columns, planes = game.facts.observation_shape
        self.game: Game = game
        self.settings: NetworkSettings = settings
        self.prefers_near_wins: bool = discount < 1.0
        self.margin: bool = has_margin(game)  # the value then has its own target
        self.scale: float = float(game.facts.max_return)
        hidden, channels, units = settings.hidden, settings.channels, settings.units
        if settings.trunk == DENSE:
            self.entry: nn.Module = nn.Linear(rows * columns * planes, units)
            self.blocks: nn.Sequential = nn.Sequential(
                *(_DenseBlock(units) for _ in range(settings.blocks))
            )
            features = units
        else:
            self.entry = nn.Conv2d(planes, channels, 3, padding=1)
            pooling = [block % 2 == 1 for block in range(settings.blocks)]
            self.blocks = nn.Sequential(*(_ResidualBlock(channels, each) for each in pooling))
            features = channels * (2 if settings.trunk == POOLED else rows * columns)
        self.policy: nn.Module = _policy_head(game, settings)
        self.summary: nn.Sequential = nn.Sequential(nn.Linear(features, hidden), nn.ReLU())
        self.judgement: nn.Linear = nn.Linear(hidden, RESULTS + 2)

    def add_board(self, game: Game) -> None:
        """Accept observations of another board of the game too.

        Raises:
            SpecificationError: its weights fit one board only, or it is another game.
        """
        own, planes = self.game, game.facts.observation_shape[2]
        if game.name != own.name or planes != own.facts.observation_shape[2]:
            raise SpecificationError(f"{game.spec} is not another board of {own.spec}")
        if not isinstance(self.policy, _PlanarPolicy):
            raise SpecificationError(
                f"to learn from {own.spec} and {game.spec}, a network needs trunk=pooled and a "
                f"game whose actions are cells"
            )
        self.policy.add_board(game)

    def forward(self, observations: torch.Tensor) -> Outputs:
        """Convert observations (N, rows, columns, planes) to the network's dtype."""
        if self.settings.trunk == DENSE:
            trunk = self.blocks(torch.relu(self.entry(observations.flatten(1))))
            features = trunk
        else:
            board = observations.permute(0, 3, 1, 2)
            trunk = self.blocks(torch.relu(self.entry(board)))
            features = pool(trunk) if self.settings.trunk == POOLED else trunk.flatten(1)
        values = self.judgement(self.summary(features)).float()
        results, nearness = values[:, :RESULTS], values[:, RESULTS]
        if self.margin:
            value = torch.tanh(values[:, RESULTS + 1])
        else:
            chances = torch.softmax(results, dim=1)
            value = chances[:, 0] - chances[:, 2]
            if self.prefers_near_wins:
                value = value * torch.sigmoid(nearness)
        return Outputs(self.policy(trunk).float(), results, value, nearness)


def _policy_head(game: Game, settings: NetworkSettings) -> nn.Module:
    """From the trunk to a logit for each action."""
    rows, columns, _ = game.facts.observation_shape
    actions, hidden, channels = game.facts.num_actions, settings.hidden, settings.channels
    if settings.trunk == DENSE:
        return nn.Sequential(
            nn.Linear(settings.units, hidden), nn.ReLU(), nn.Linear(hidden, actions)
        )
    if settings.trunk == POOLED and (action_cells(game.rules)[:, 0] >= 0).any():
        return _PlanarPolicy(channels, hidden, game)
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(channels * rows * columns, hidden),
        nn.ReLU(),
        nn.Linear(hidden, actions),
    )


def has_margin(game: Game) -> bool:
    """Whether the game's returns are more than win, draw and loss."""
    return game.facts.max_return != 1.0


class PolicyAndValue(nn.Module):
    """The network in the form of policy files: logits and the value in the game's unit."""

    def __init__(self, network: BoardNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(N, rows, columns, planes) to (N, actions) and (N,)."""
        outputs = self.network(observation)
        return outputs.logits, outputs.value * self.network.scale
