"""The settings of PPO, and its defaults for each game."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ...envs.loading.settings import POSITIVE, setting
from ...envs.specification import SpecificationError
from ..settings import OpposedSettings

PRECISIONS = ("auto", "float32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class PPOSettings(OpposedSettings):
    """The settings of a PPO run, apart from its game and its seed."""

    algorithm: ClassVar[str] = "ppo"
    discount_setting: ClassVar[str] = "gamma"

    rollout: int = setting(32, "Actions in each game between two updates.", low=2)
    batch_size: int = setting(512, "Samples in a minibatch.", low=1)
    epochs: int = setting(3, "Passes over the samples of an update.", low=1)
    learning_rate: float = setting(
        1e-3,
        "Learning rate of Adam in the first update; it falls linearly, to 1/n in the last of n.",
        low=POSITIVE,
    )
    entropy: float = setting(
        0.01,
        "Weight of the entropy in the first update; it falls as the learning rate does.",
        low=0,
    )
    gamma: float = setting(0.99, "Discount for each action.", low=0, high=1)
    gae_lambda: float = setting(
        0.95, "Lambda of the generalised advantage estimate.", low=0, high=1
    )
    clip: float = setting(
        0.2, "Clipping range of the ratio of new to old probability.", low=POSITIVE
    )
    value_weight: float = setting(0.5, "Weight of the value's loss.", low=0)
    precision: str = setting(
        "auto",
        "Precision of products in the network; auto: bfloat16 if the processor supports it.",
        choices=PRECISIONS,
    )

    def __post_init__(self) -> None:
        """Convert and check every value, and their combinations."""
        super().__post_init__()
        if not self.units and not self.layers:
            raise SpecificationError(
                "layers=0 is not possible with dense=none: the network would have no layers"
            )
        if self.batch_size > self.games * self.rollout:
            samples = self.games * self.rollout
            raise SpecificationError(
                f"batch_size={self.batch_size} is not possible: an update has games × rollout = "
                f"{samples} samples"
            )
