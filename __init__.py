"""plyground: adversarial board games as reinforcement-learning environments.

With search agents, training, and an evaluation harness.
"""

from __future__ import annotations

from .agents import (
    Agent,
    Decision,
    make_agent,
    register_agent,
)
from .envs import (
    Game,
    IllegalActionError,
    Position,
    make_game,
)
from .envs.version import __version__
from .training import datasets
from .training.environments import register_environments

__all__ = [
    "Agent",
    "Decision",
    "Game",
    "IllegalActionError",
    "Position",
    "__version__",
    "datasets",
    "make_agent",
    "make_game",
    "register_agent",
]

register_environments()
