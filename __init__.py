"""plyground: adversarial board games as reinforcement-learning environments.

With search agents, training, and an evaluation harness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import envs as envs
from .envs import __version__
from .envs.loading.exports import exports_on_demand
from .envs.loading.ids import register_built_in_ids

if TYPE_CHECKING:
    from . import agents as agents
    from . import evaluation as evaluation
    from . import training as training
    from .agents import Agent, Decision, make_agent, register_agent
    from .envs import Game, IllegalActionError, Position, make_game
    from .evaluation.notebook import Widget
    from .training import datasets

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

register_built_in_ids(envs.__name__, envs.__path__[0], f"{__name__}.training.environments")

__getattr__ = exports_on_demand(
    __name__,
    {
        ".agents": ("Agent", "Decision", "make_agent", "register_agent"),
        ".envs": ("Game", "IllegalActionError", "Position", "make_game"),
        ".evaluation": (),
        ".training": (),
        ".training.datasets": (),
    },
)


def show(what: Any, moves: Any = None, **options: Any) -> Widget:
    """A game, or the games of a store, to step through in a notebook.

    See :func:`plyground.evaluation.notebook.show`. It is imported when it is called, since most
    programs need no reports.
    """
    from .evaluation.notebook import show as show_page

    return show_page(what, moves, **options)
