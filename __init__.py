"""plyground: adversarial board games as reinforcement-learning environments.

With search agents, training, and an evaluation harness. What ten lines of a notebook need stands
here; ``plyground.envs``, ``.agents``, ``.training`` and ``.evaluation`` export the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import envs as envs
from .envs import __version__
from .envs.loading.exports import exports_on_demand
from .envs.loading.ids import register_ids

if TYPE_CHECKING:
    from . import agents as agents
    from . import evaluation as evaluation
    from . import training as training
    from .agents import (
        Agent,
        Decision,
        Score,
        as_policy,
        load_policy,
        make_agent,
        register_agent,
        solve,
    )
    from .envs import (
        Game,
        IllegalActionError,
        IllegalPositionError,
        Position,
        SpecificationError,
        make_game,
        register_game,
    )
    from .evaluation import StoreError, evaluate, play_game
    from .evaluation.notebook import show
    from .training import TrainingError, datasets, make_env, make_vector_env, train

__all__ = [
    "Agent",
    "Decision",
    "Game",
    "IllegalActionError",
    "IllegalPositionError",
    "Position",
    "Score",
    "SpecificationError",
    "StoreError",
    "TrainingError",
    "__version__",
    "as_policy",
    "datasets",
    "evaluate",
    "load_policy",
    "make_agent",
    "make_env",
    "make_game",
    "make_vector_env",
    "play_game",
    "register_agent",
    "register_game",
    "show",
    "solve",
    "train",
]

register_ids(envs.__name__, envs.__path__[0])

__getattr__: Callable[[str], Any] = exports_on_demand(__name__, __file__)
