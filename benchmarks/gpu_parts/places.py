"""Where parts are measured, and the file of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from plyground import Game
from plyground.envs.compiled.cuda.devices import Device, Processor, open_device
from plyground.training.alphazero.settings import AlphaZeroSettings

RESULTS = Path(__file__).parents[2] / "docs" / "guide" / "gpu_results.jsonl"


class Place(NamedTuple):
    """Where and how long.

    Attributes:
        device: of games and trees.
        seconds: of a measurement.
        games: the most parallel games.
        quick: whether one small measurement of each kind is enough.
    """

    device: Device
    seconds: float
    games: int
    quick: bool

    @classmethod
    def open(cls, name: str, seconds: float, games: int, quick: bool) -> Place:
        """The place on this device; ``cpu`` runs the code for CUDA on the processor."""
        return cls(Processor() if name == "cpu" else open_device(name), seconds, games, quick)

    @property
    def is_gpu(self) -> bool:
        """Whether there is a card."""
        return self.device.place.type == "cuda"

    @property
    def name(self) -> str:
        """The device in words."""
        return torch.cuda.get_device_name(self.device.place) if self.is_gpu else "the processor"

    def settings(self, game: Game, shape: str, **values: Any) -> AlphaZeroSettings:
        """The settings of a run here with a network of this shape, in bfloat16 on a GPU."""
        channels, blocks = shape.split("x")
        texts: dict[str, Any] = {"channels": channels, "blocks": blocks}
        if self.is_gpu:
            texts["precision"] = "bfloat16"
        given = [f"{name}={value}" for name, value in (texts | values).items()]
        return AlphaZeroSettings.for_game(game, {}, given, gpu=self.is_gpu)

    def keep(self, text: str, row: dict[str, Any]) -> None:
        """Print a result; on a GPU, append it to :data:`RESULTS`."""
        print(text, flush=True)
        if self.is_gpu:
            with RESULTS.open("a") as file:
                about = {"device": self.name, "torch": torch.__version__}
                file.write(json.dumps(about | row | {"text": text}) + "\n")
