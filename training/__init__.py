"""Training: ``train`` begins or resumes a run; sub-folders hold the algorithms.

What needs torch or stable-baselines3 is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .api import train
from .folder import TrainingError

if TYPE_CHECKING:
    from .environments import make_env, make_vector_env
    from .export import PolicyExporter, export_policy
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

_MODULES = {
    "environments": ("make_env", "make_vector_env"),
    "export": ("PolicyExporter", "export_policy"),
    "league": ("League",),
    "run": ("Progress", "TrainingRun"),
    "sb3": ("BoardVecEnv",),
    "sb3_callbacks": ("LadderCallback", "SelfPlayCallback"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
