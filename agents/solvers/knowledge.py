"""The solvers of a game: they are imported, and register themselves, when one is asked for."""

from __future__ import annotations

from typing import Any

from ...envs.loading.packages import KNOWLEDGE
from ...envs.loading.registry import Registry

OTHERS = ""  # the name under which the solver of games that have none is kept
_MODULES = {
    OTHERS: "general",
    "connect_four": "connect_four",
    "dots_and_boxes": "dots_and_boxes",
    "gomoku": "mnk",
    "tic_tac_toe": "mnk",
}
# the solver classes, by the names of games
SOLVERS: Registry[str, Any] = Registry(
    "there is no solver of",
    KNOWLEDGE,
    {game: f"{__package__}.{module}" for game, module in _MODULES.items()},
    registers=True,
)


def learn(game: str) -> None:
    """Import all solvers of a game, by its name, and what else packages know of it."""
    SOLVERS.load(OTHERS)
    SOLVERS.load(game)
