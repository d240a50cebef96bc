"""TensorBoard: events in the folder ``tensorboard`` of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    needs = '--log tensorboard needs torch and TensorBoard: pip install "plyground[train]"'
    raise ImportError(needs) from error


class TensorBoard:
    """A run's events; events after the step from which it resumes are dropped."""

    def __init__(self, folder: Path, step: int, description: dict[str, Any]) -> None:
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)

    def log(self, values: dict[str, float], step: int) -> None:
        """Write numbers of a step."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Flush."""
        self._writer.close()
