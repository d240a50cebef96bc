"""MLflow: a run of the experiment ``MLFLOW_EXPERIMENT_NAME``, or ``plyground``.

The library's own settings hold, such as ``MLFLOW_TRACKING_URI``.
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

FORBIDDEN = re.compile(r"[^\w\-. :/]")  # in the names of its metrics


class MLflow:
    """A run there, which goes on where the run does."""

    @staticmethod
    def prepare() -> str:
        """Make the store and the experiment, if there is none yet; the experiment's id."""
        client, title = mlflow.MlflowClient(), os.environ.get("MLFLOW_EXPERIMENT_NAME", "plyground")
        with contextlib.suppress(mlflow.MlflowException):  # it is there, or another run makes it
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
        """Keep numbers of a step."""
        metrics = {FORBIDDEN.sub("_", name): value for name, value in values.items()}
        mlflow.log_metrics(metrics, step=step, run_id=self._run)

    def close(self) -> None:
        """Say that the run ends, or stops for now."""
        self._client.set_terminated(self._run)
