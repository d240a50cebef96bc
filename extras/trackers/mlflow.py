"""MLflow: a run of the experiment ``MLFLOW_EXPERIMENT_NAME``, or ``plyground``.

The library's own settings apply, such as ``MLFLOW_TRACKING_URI``.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

from ...training.trackers import name_in

try:
    import mlflow
except ImportError as error:
    raise ImportError('--log mlflow needs MLflow: pip install "plyground[trackers]"') from error

FORBIDDEN = re.compile(r"[^\w\-. :/]")  # characters not allowed in names of metrics


class MLflow:
    """A run in MLflow, resumed together with the training run."""

    @staticmethod
    def prepare() -> str:
        """Create the store and the experiment if missing; returns the experiment's id."""
        client, title = mlflow.MlflowClient(), os.environ.get("MLFLOW_EXPERIMENT_NAME", "plyground")
        with contextlib.suppress(mlflow.MlflowException):  # it exists, or another run creates it
            client.create_experiment(title)
        experiment: Any = client.get_experiment_by_name(title)
        return str(experiment.experiment_id)

    def __init__(self, folder: Path, step: int, description: dict[str, Any]) -> None:
        self._client = mlflow.MlflowClient()
        self._run = name_in(folder / "mlflow.id", lambda: self._begin(str(folder), description))
        self._client.update_run(self._run, "RUNNING")

    def _begin(self, name: str, description: dict[str, Any]) -> str:
        run: str = self._client.create_run(self.prepare(), run_name=name).info.run_id
        mlflow.log_params(description, run_id=run)
        return run

    def log(self, values: dict[str, float], step: int) -> None:
        """Log numbers of a step."""
        metrics = {FORBIDDEN.sub("_", name): value for name, value in values.items()}
        mlflow.log_metrics(metrics, step=step, run_id=self._run)

    def close(self) -> None:
        """Mark the run as finished, or as stopped for now."""
        self._client.set_terminated(self._run)
