"""The settings of PPO, and what each game is trained with by default."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ...envs.specification import SpecificationError
from ..settings import POSITIVE, RunSettings, make_settings, setting

PRECISIONS = ("auto", "float32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class PPOSettings(RunSettings):
    """The settings of a PPO run, apart from its game and its seed.

    A learner that always starts from the empty board against a deterministic opponent learns a few
    games by heart. Random moves at the beginning (``opening_plies``) prevent that.
    """

    algorithm: ClassVar[str] = "ppo"

    opponent: str = setting(
        "random", "Opponents of the learner: an agent, a mixture mix:…, or a curriculum."
    )
    games: int = setting(256, "Games played at once.", low=1)
    opening_plies: int = setting(4, "Random moves at the beginning of a game, at most.", low=0)
    rollout: int = setting(32, "Actions in each game between two updates.", low=2)
    batch_size: int = setting(512, "Samples in a minibatch.", low=1)
    epochs: int = setting(3, "Passes over the samples of an update.", low=1)
    learning_rate: float = setting(
        1e-3, "Of Adam at the beginning; it falls linearly to 0.", low=POSITIVE
    )
    entropy: float = setting(
        0.01, "Weight of the entropy at the beginning; it falls linearly to 0.", low=0
    )
    gamma: float = setting(0.99, "Discount for each action.", low=0, high=1)
    gae_lambda: float = setting(0.95, "Of the generalised advantage estimate.", low=0, high=1)
    clip: float = setting(0.2, "Range of the ratio of new to old probability.", low=POSITIVE)
    value_weight: float = setting(0.5, "Weight of the value's loss.", low=0)
    gradient_norm: float = setting(0.5, "Gradients are clipped to this norm.", low=POSITIVE)
    channels: int = setting(32, "Channels of each convolution of the network.", low=1)
    layers: int = setting(0, "Convolutions of the network.", low=0, high=20)
    dense: str = setting("512,256", "Units of the network's dense layers, or none.")
    hidden: int = setting(64, "Width of the heads of a network without dense layers.", low=1)
    precision: str = setting(
        "auto",
        "Of products in the network; auto: bfloat16 where the processor multiplies it.",
        choices=PRECISIONS,
    )
    symmetries: bool = setting(True, "Whether the learner sees boards through random symmetries.")
    threshold: float = setting(
        0.75, "Score against the newest stage that starts the next stage.", low=0, high=1
    )
    window: int = setting(500, "Games over which that score is taken.", low=1)
    rehearsal: float = setting(
        0.3, "Share of the games against the opponents of earlier stages.", low=0, high=0.9
    )
    snapshots: int = setting(10, "Past versions of the learner that are kept as opponents.", low=1)
    initial: str = setting(
        "", "A run of PPO whose weights this one begins with, if they fit; empty: none."
    )
    snapshot_every: int = setting(100_000, "Steps between two of these versions.", low=1)

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

    @property
    def units(self) -> tuple[int, ...]:
        """The units of the dense layers."""
        if self.dense == "none":
            return ()
        try:
            units = tuple(int(part) for part in self.dense.split(","))
        except ValueError:
            units = (0,)
        if any(count < 1 for count in units):
            raise SpecificationError(
                f"dense={self.dense} is not possible; it lists units of layers, such as 512,256, "
                f"or is none"
            )
        return units


# What the commands of the documentation run with. Games that are not listed take the defaults
# above.
DEFAULTS: dict[str, dict[str, Any]] = {
    "tic_tac_toe": {
        "opponent": "mix:0.55 random,0.35 self,0.1 alphabeta:depth=9",
        "steps": 2_500_000,
        "games": 128,
        "epochs": 4,
        "opening_plies": 3,
        "dense": "256,128",
        "entropy": 0.03,
        "gamma": 1.0,
        "evaluate": "random;alphabeta:depth=9",
        "evaluation_plies": 0,
        "evaluation_pairs": 500,
    },
    "connect_four": {
        "opponent": (
            "curriculum:random;alphabeta:depth=1;alphabeta:depth=2;mix:0.4 alphabeta:depth=4,0.25 "
            "alphabeta:depth=2,0.2 random,0.15 self"
        ),
        "steps": 16_000_000,
        "threshold": 0.6,
        "window": 1000,
        "rehearsal": 0.2,
        "evaluate": "random;alphabeta:depth=2;alphabeta:depth=4",
        "evaluation_plies": 3,
        "evaluations": 40,
    },
    "dots_and_boxes": {
        "opponent": "mix:0.6 greedy,0.25 self,0.15 random",
        "steps": 4_000_000,
        "games": 128,
        "batch_size": 256,
        "opening_plies": 3,
        "dense": "256,128",
        "entropy": 0.03,
        "gamma": 1.0,
        "evaluate": "random;greedy;alphabeta:depth=4",
        "evaluation_pairs": 200,
    },
    "gomoku": {
        "opponent": "mix:0.7 self,0.3 random",
        "steps": 500_000,
        "games": 128,
        "layers": 3,
        "dense": "none",
        "snapshot_every": 25_000,
        "evaluate": "random;easy",
        "evaluation_pairs": 50,
        "evaluations": 5,
    },
}


def ppo_settings(
    game: str, given: Mapping[str, Any] | None = None, texts: Iterable[str] = ()
) -> PPOSettings:
    """The settings for a game; see :func:`plyground.training.settings.make_settings`."""
    return make_settings(PPOSettings, DEFAULTS.get(game, {}), given or {}, texts)
