"""The solvers of a game, imported and registered on demand."""

from __future__ import annotations

from typing import Any

from ...envs.loading.packages import KNOWLEDGE
from ...envs.loading.registry import Registry

OTHERS = ""  # the name of the solver for games without one
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
    """Import all solvers of a game, by its name, and other knowledge of packages."""
    SOLVERS.load(OTHERS)
    SOLVERS.load(game)
