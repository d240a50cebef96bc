"""The settings of supervised learning from a dataset of perfect play."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from ....envs.game import Game
from ....envs.loading.settings import parameters_of, setting
from ....training.alphazero.settings import AlphaZeroSettings, LearnerSettings, NetworkSettings


@dataclasses.dataclass(frozen=True)
class SupervisedSettings(LearnerSettings):
    """The settings of supervised learning. Its network is AlphaZero's for the same game.

    There is no discount, and game length is not learnt.
    """

    algorithm: ClassVar[str] = "supervised"
    steps: int = setting(10_000_000, "Total training positions.", low=1)
    data: str = setting(
        "",
        "The dataset: a file of plyground dataset, or several, separated by semicolons. With "
        "trunk=pooled they may be of several boards.",
        metavar="FILE;FILE",
    )
    held_out: float = setting(
        0.05, "Share of the positions held out for evaluation.", low=0.001, high=0.5
    )
    batches_per_update: int = setting(200, "Minibatches per line of metrics.", low=1)
    evaluations: int = setting(10, "Number of evaluations of the learner.", low=1)

    @classmethod
    def defaults(
        cls,
        game: Game,
        length: Mapping[str, Any] = {},
        gpu: bool = False,
    ) -> dict[str, Any]:
        """AlphaZero's network for this game."""
        alphazero = AlphaZeroSettings.defaults(game)
        names = [each.name for each in parameters_of(NetworkSettings)]
        return {name: alphazero[name] for name in names if name in alphazero}
