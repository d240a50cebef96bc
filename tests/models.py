"""Models of stable-baselines3, as users make them."""

from __future__ import annotations

import torch
from plyground.training.sb3 import BoardVecEnv
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn


class Convolutions(BaseFeaturesExtractor):
    """An extractor of the user's own."""

    def __init__(self, space, channels=8):
        rows, columns, planes = space.shape
        super().__init__(space, channels * rows * columns)
        self.layers = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            nn.BatchNorm2d(channels),
            nn.Dropout(0.5),
            nn.Flatten(),
        )

    def forward(self, observations):
        return self.layers(observations.permute(0, 3, 1, 2))


def new_model(spec, algorithm=MaskablePPO, **policy_options):
    model = algorithm(
        "MlpPolicy",
        BoardVecEnv(spec, 4, "random"),
        n_steps=8,
        batch_size=32,
        device="cpu",
        seed=1,
        policy_kwargs=policy_options,
    )
    with torch.no_grad():  # an untrained head gives nearly the same logits everywhere
        model.policy.action_net.weight.mul_(100)
    return model
