"""Registrations of the extras besides games, agents and commands, imported on demand."""

from __future__ import annotations

from ..envs.loading.packages import (
    EXPORTS,
    KNOWLEDGE,
    LEARNERS,
    PLACES,
    POLICIES,
    RECORDS,
    REPORTS,
    TRACKERS,
    plug_in,
)

for kind, name, value in (
    # Solvers, search forms and heuristic networks, by game.
    (KNOWLEDGE, "gomoku", "gomoku_engine.guide"),
    (KNOWLEDGE, "hex", "games.hex.solver"),
    (KNOWLEDGE, "othello", "games.othello.solver"),
    (LEARNERS, "supervised", "perfect_play.supervised.settings:SupervisedSettings"),
    (REPORTS, "review", "perfect_play.reviews.reviewer:Reviewer"),
    (RECORDS, "minari", "bridges.minari:export"),
    (RECORDS, "psq", "records.export:export_psq"),
    (RECORDS, "sgf", "records.export:export_sgf"),
    (EXPORTS, "py", "bridges.kaggle:export_submission"),
    (POLICIES, "hf", "hub.source:fetch"),
    (PLACES, "ray", "ray.jobs:RayJobs"),
    (TRACKERS, "mlflow", "trackers.mlflow:MLflow"),
    (TRACKERS, "tensorboard", "trackers.tensorboard:TensorBoard"),
    (TRACKERS, "wandb", "trackers.wandb:WeightsAndBiases"),
):
    plug_in(kind, name, f"{__package__}.{value}")
