"""Training: ``train`` begins or resumes a run; sub-folders hold the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..envs.loading.exports import exports_on_demand

if TYPE_CHECKING:
    from .api import train
    from .environments import make_env, make_vector_env
    from .export import PolicyExporter, export_policy
    from .folder import TrainingError
    from .league import League
    from .run import Progress, TrainingRun
    from .sb3 import BoardVecEnv
    from .sb3_callbacks import LadderCallback, SelfPlayCallback

__all__ = [
    "BoardVecEnv",
    "LadderCallback",
    "League",
    "PolicyExporter",
    "Progress",
    "SelfPlayCallback",
    "TrainingError",
    "TrainingRun",
    "export_policy",
    "make_env",
    "make_vector_env",
    "train",
]

__getattr__: Callable[[str], Any] = exports_on_demand(__name__, __file__)
