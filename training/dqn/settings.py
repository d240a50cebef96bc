"""The settings of DQN, and its defaults for each game."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ...envs.loading.settings import POSITIVE, setting
from ...envs.profile import TrainingSettings
from ...envs.specification import SpecificationError
from ..settings import OpposedSettings


@dataclasses.dataclass(frozen=True)
class DQNSettings(OpposedSettings):
    """The settings of a DQN run, apart from its game and its seed."""

    algorithm: ClassVar[str] = "dqn"
    discount_setting: ClassVar[str] = "gamma"
    budgets: ClassVar[tuple[TrainingSettings, ...]] = (
        *OpposedSettings.budgets,
        # Otherwise the shortest runs would end before they learn.
        TrainingSettings({"first_steps": 1_000}, steps=100_000),
    )

    rollout: int = setting(16, "Actions in each game between two updates.", low=1)
    memory: int = setting(100_000, "Size of the replay buffer in transitions.", low=1)
    first_steps: int = setting(10_000, "Random actions before anything is learnt.", low=0)
    batch_size: int = setting(512, "Transitions in a minibatch.", low=1)
    minibatches: int = setting(32, "Minibatches of an update.", low=1)
    learning_rate: float = setting(
        1e-3,
        "Learning rate of Adam in the first update; it falls linearly, to 1/n in the last of n.",
        low=POSITIVE,
    )
    gamma: float = setting(0.99, "Discount for each action.", low=0, high=1)
    target_every: int = setting(20_000, "Steps between two copies of the target network.", low=1)
    exploration: float = setting(
        0.1, "Final share of random actions; it falls linearly from 1.", low=0, high=1
    )
    exploration_share: float = setting(
        0.5, "Share of the run after which the final share is reached.", low=POSITIVE, high=1
    )

    snapshot_every: int = setting(
        100_000, "Steps between two past versions of the learner, its opponents.", low=1
    )

    def __post_init__(self) -> None:
        """Convert and check every value, and their combinations."""
        super().__post_init__()
        if not self.units:
            raise SpecificationError("dense=none is not possible: DQN needs dense layers")
        if self.games > self.memory:
            raise SpecificationError(
                f"games={self.games} is not possible with memory={self.memory} transitions"
            )
