"""plyground: adversarial board games as reinforcement-learning environments.

With search agents, training, and an evaluation harness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .commands.terminal import loading as loading  # before all that takes time

# isort: split
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
from .training.registration import register_environments

if TYPE_CHECKING:
    from .evaluation.notebook import Widget

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
    "show",
]

register_environments()


def show(what: Any, moves: Any = None, **options: Any) -> Widget:
    """A game, or the games of a store, to step through in a notebook.

    See :func:`plyground.evaluation.notebook.show`. It is imported when it is called, since
    most programs need no reports.
    """
    from .evaluation.notebook import show as show_page

    return show_page(what, moves, **options)
