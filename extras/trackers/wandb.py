"""Weights & Biases: a run of the project ``WANDB_PROJECT``, or ``plyground``.

The library's own settings apply, such as ``WANDB_MODE=offline`` and ``wandb login``.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from ...training.trackers import name_in

try:
    import wandb
except ImportError as error:
    raise ImportError('--log wandb needs W&B: pip install "plyground[trackers]"') from error


class WeightsAndBiases:
    """A run in W&B, resumed together with the training run."""

    def __init__(self, folder: Path, step: int, description: dict[str, Any]) -> None:
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "plyground"),
            name=str(folder),
            id=name_in(folder / "wandb.id", lambda: secrets.token_hex(4)),
            resume="allow",
            dir=folder,
            config=description,
            settings=wandb.Settings(console="off"),  # do not record the progress bar
        )
        # Its own step counter cannot repeat steps, which a resumed run does.
        self._run.define_metric("*", step_metric="step")

    def log(self, values: dict[str, float], step: int) -> None:
        """Send numbers of a step."""
        self._run.log({**values, "step": step})

    def close(self) -> None:
        """Flush."""
        self._run.finish()
