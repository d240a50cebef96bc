"""The solvers of a game: they are imported, and register themselves, when one is asked for."""

from __future__ import annotations

import importlib

from ...envs.loading.packages import load_knowledge

_CORE = {
    "connect_four": "connect_four",
    "dots_and_boxes": "dots_and_boxes",
    "gomoku": "mnk",
    "tic_tac_toe": "mnk",
}


def learn(game: str) -> None:
    """Import all solvers of a game, by its name, and what else packages know of it."""
    for module in ("general", *filter(None, [_CORE.get(game)])):
        importlib.import_module(f"{__package__}.{module}")
    load_knowledge(game)
