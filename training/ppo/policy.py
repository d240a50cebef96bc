"""The policy of a PPO run, wherever it plays: its class, and the shape of its network."""

from __future__ import annotations

from typing import Any

import torch

from ...envs.game import Game
from ..devices import use_bfloat16
from ..network import BoardPolicy, action_places
from .settings import PPOSettings
from .taught import TaughtPolicy, taught_network

GRADIENT_NORM = 0.5  # to which gradients are clipped: stable-baselines3's default
HEADS = 64  # width of the heads of a network without dense layers


def kind_of_policy(
    game: Game, settings: PPOSettings, device: torch.device
) -> tuple[type[BoardPolicy] | type[TaughtPolicy], dict[str, Any]]:
    """The class of a run's policy, and the arguments that shape its network."""
    network: dict[str, Any] = {"bfloat16": use_bfloat16(settings.precision, device)}
    taught = taught_network(game, settings.initial) if settings.initial else None
    if taught is not None:
        return TaughtPolicy, network | {"network": taught}
    return BoardPolicy, network | {
        "channels": settings.channels,
        "layers": settings.layers,
        "dense": settings.units,
        "hidden": HEADS,
        "places": action_places(game),
    }
