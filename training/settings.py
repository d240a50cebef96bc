"""The settings of a training run, and the table of what each game is trained with by default."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable
from typing import Any

from ..envs.specification import SpecificationError


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run does, apart from its game and its seed.

    Attributes:
        opponent: whom the learner meets; see :mod:`plyground.training.curriculum`.
        steps: how many actions it takes in all.
        games: games played at once.
        opening_plies: every game begins with random moves of both players, from none to this many;
            a learner that always starts from the empty board against a deterministic opponent
            learns a few games by heart.
        rollout: actions in each game between two updates.
        batch_size: samples in a minibatch.
        epochs: passes over the samples of an update.
        learning_rate: of Adam at the beginning; it falls in a straight line to nothing.
        entropy: weight of the entropy at the beginning; it falls likewise.
        gamma: discount for each action.
        gae_lambda: of the generalised advantage estimate.
        clip: range of PPO's ratio.
        value_weight: of the value's loss.
        gradient_norm: gradients are clipped to this norm.
        channels, layers, dense, hidden: of the network; see
            :class:`~plyground.training.network.BoardPolicy`. ``dense`` lists units, ``512,256``, or
            is ``none``.
        precision: of products in the network: ``float32``, ``bfloat16``, or ``auto``: bfloat16
            where the processor has instructions for it.
        symmetries: whether the learner sees the board through random symmetries.
        threshold, window, rehearsal: of a ladder; see
            :class:`~plyground.training.curriculum.Curriculum`.
        snapshots: how many past versions of itself are kept.
        snapshot_every: steps between two of them.
        evaluate: whom the learner is measured against during the run, separated by semicolons;
            ``none``: nobody.
        evaluations: how many times.
        evaluation_pairs: openings of each of these measurements; each is played in both seats.
        evaluation_plies: random moves of each of these openings.
    """

    opponent: str = "random"
    steps: int = 2_000_000
    games: int = 256
    opening_plies: int = 4
    rollout: int = 32
    batch_size: int = 512
    epochs: int = 3
    learning_rate: float = 1e-3
    entropy: float = 0.01
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    channels: int = 32
    layers: int = 0
    dense: str = "512,256"
    hidden: int = 64
    precision: str = "auto"
    symmetries: bool = True
    threshold: float = 0.75
    window: int = 500
    rehearsal: float = 0.3
    snapshots: int = 10
    snapshot_every: int = 100_000
    evaluate: str = "random;greedy;alphabeta:depth=2;alphabeta:depth=4;mcts:simulations=100"
    evaluations: int = 20
    evaluation_pairs: int = 100
    evaluation_plies: int = 2

    def __post_init__(self) -> None:
        """Refuse what cannot be trained with."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            least, most = LIMITS.get(field.name, (-math.inf, math.inf))
            if field.type in ("int", "float") and not least <= value <= most:
                raise SpecificationError(
                    f"{field.name}={value} is not possible; it is {_range(least, most)}"
                )
        if self.precision not in PRECISIONS:
            raise SpecificationError(
                f"precision={self.precision} is not possible; it is one of {', '.join(PRECISIONS)}"
            )
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
        try:
            units = (
                () if self.dense == "none" else tuple(int(part) for part in self.dense.split(","))
            )
        except ValueError:
            units = (0,)
        if any(count < 1 for count in units):
            raise SpecificationError(
                f"dense={self.dense} is not possible; it lists units of layers, such as 512,256, "
                f"or is none"
            )
        return units


PRECISIONS = ("auto", "float32", "bfloat16")
_POSITIVE = 1e-12
LIMITS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "steps",
            "games",
            "batch_size",
            "epochs",
            "channels",
            "hidden",
            "window",
            "snapshots",
            "snapshot_every",
            "evaluations",
            "evaluation_pairs",
        ),
        (1, math.inf),
    ),
    **dict.fromkeys(("learning_rate", "clip", "gradient_norm"), (_POSITIVE, math.inf)),
    **dict.fromkeys(("entropy", "value_weight"), (0, math.inf)),
    **dict.fromkeys(("gamma", "gae_lambda", "threshold"), (0, 1)),
    "rollout": (2, math.inf),
    "layers": (0, 20),
    "opening_plies": (0, math.inf),
    "evaluation_plies": (0, math.inf),
    "rehearsal": (0, 0.9),
}

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
            "ladder:random;alphabeta:depth=1;alphabeta:depth=2;mix:0.4 alphabeta:depth=4,0.25 "
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


def make_settings(game: str, given: dict[str, Any], texts: Iterable[str] = ()) -> Settings:
    """The settings for a game.

    Args:
        game: the game's name.
        given: settings by name that replace the game's defaults; None is no setting.
        texts: more of them, each as ``name=value``.

    Raises:
        SpecificationError: an unknown name, or a value that is not possible.
    """
    chosen = DEFAULTS.get(game, {}) | {
        name: value for name, value in given.items() if value is not None
    }
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise SpecificationError(
                f"{text!r} is not of the form NAME=VALUE, such as learning_rate=0.0005"
            )
        chosen[name.strip()] = _read(name.strip(), value.strip())
    return Settings(**chosen)


def _read(name: str, text: str) -> Any:
    types = {field.name: str(field.type) for field in dataclasses.fields(Settings)}
    if name not in types:
        near = difflib.get_close_matches(name, types, 1)
        raise SpecificationError(
            f"there is no setting {name!r}{f'; did you mean {near[0]!r}?' if near else ''} (there "
            f"are: {', '.join(types)})"
        )
    if types[name] == "str":
        return text
    if types[name] == "bool":
        if text not in ("yes", "no"):
            raise SpecificationError(f"{name}={text} is not possible; it is yes or no")
        return text == "yes"
    try:
        return read_count(text) if types[name] == "int" else float(text)
    except ValueError:
        raise SpecificationError(
            f"{name}={text} is not possible; it is a "
            f"{'whole number' if types[name] == 'int' else 'number'}"
        ) from None


def read_count(text: str) -> int:
    """A whole number, also as ``300k`` or ``2M``; ValueError if it is none."""
    factor = {"k": 1000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    value = float(text[:-1] if factor > 1 else text) * factor
    if not value.is_integer():
        raise ValueError(f"{text} is no whole number")
    return int(value)


def _range(least: float, most: float) -> str:
    if least == _POSITIVE:
        return "a number above 0"
    return f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
