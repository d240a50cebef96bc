"""The settings of supervised learning from a dataset of perfect play."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from ...envs.game import Game
from ..alphazero.settings import AlphaZeroSettings
from ..alphazero.settings import defaults_of as alphazero_defaults
from ..settings import RunSettings, setting

# What the learner and its network share with AlphaZero's.
LEARNER = (
    "batch_size",
    "learning_rate",
    "weight_decay",
    "gradient_norm",
    "averaging",
    "value_weight",
    "precision",
)
NETWORK = ("trunk", "channels", "blocks", "units", "hidden", "pooled")


def _as_alphazero(name: str) -> Any:
    """A setting of AlphaZero's, with its default, its help and its limits."""
    field = AlphaZeroSettings.__dataclass_fields__[name]
    return dataclasses.field(default=field.default, metadata=field.metadata)


@dataclasses.dataclass(frozen=True)
class SupervisedSettings(RunSettings):
    """What a run of supervised learning does. Its network is AlphaZero's for the same game."""

    algorithm: ClassVar[str] = "supervised"

    steps: int = setting(10_000_000, "Positions that are learnt from in all.", low=1)
    data: str = setting("", "The dataset, a file made by plyground dataset.")
    held_out: float = setting(
        0.05, "Share of the positions that are kept for measuring.", low=0.001, high=0.5
    )
    batches_per_update: int = setting(200, "Minibatches between two lines of metrics.", low=1)
    batch_size: int = _as_alphazero("batch_size")
    learning_rate: float = _as_alphazero("learning_rate")
    weight_decay: float = _as_alphazero("weight_decay")
    gradient_norm: float = _as_alphazero("gradient_norm")
    averaging: float = _as_alphazero("averaging")
    value_weight: float = _as_alphazero("value_weight")
    trunk: str = _as_alphazero("trunk")
    channels: int = _as_alphazero("channels")
    blocks: int = _as_alphazero("blocks")
    units: int = _as_alphazero("units")
    hidden: int = _as_alphazero("hidden")
    pooled: bool = _as_alphazero("pooled")
    precision: str = _as_alphazero("precision")
    evaluate: str = _as_alphazero("evaluate")
    evaluations: int = setting(10, "How many times the learner is measured.", low=1)
    evaluation_plies: int = _as_alphazero("evaluation_plies")

    def of_learner(self) -> AlphaZeroSettings:
        """The same for AlphaZero's learner. No result is discounted, no length is learnt."""
        shared = {name: getattr(self, name) for name in (*LEARNER, *NETWORK)}
        return AlphaZeroSettings(**shared, discount=1.0, length_weight=0.0, count_exponent=0.0)


def supervised_defaults(game: Game) -> dict[str, Any]:
    """The network that AlphaZero has for this game."""
    chosen = alphazero_defaults(game)
    return {name: chosen[name] for name in NETWORK if name in chosen}
