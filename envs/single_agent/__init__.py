"""Environments for one learner: Gymnasium, vectors of games, opponents inside a step."""

from __future__ import annotations

from typing import Any


def environment_id(declaration: Any) -> str:
    """The id of a game's environment in Gymnasium's registry: ``plyground/ConnectFour-v0``."""
    return f"plyground/{declaration.name.title().replace('_', '')}-v{declaration.version}"
