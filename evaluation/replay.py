"""How a stored game ended, in the game's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..envs import rules as r
from ..envs.game import IllegalActionError
from ..envs.profile import Ending
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from .match import AGREEMENT, RESIGNATION
from .store.store import StoredGame


def ending_of(game: StoredGame, settings: Mapping[str, Any]) -> Ending | str:
    """Why a stored game ended: by its rules, or ``reason.…`` or ``fault.…`` and its values.

    Args:
        game: the stored game.
        settings: the settings of its tournament.
    """
    result = game.result
    if result.fault is not None:
        values = {"player": result.forfeited, "reason": result.reason}
        return Ending(f"fault.{result.fault.replace(' ', '_')}", values)
    try:
        position = make_game(settings["game"]).position(result.moves)
    except (SpecificationError, IllegalActionError):  # such as a package no longer installed
        return result.reason
    if position.is_over:
        return r.outcome_reason(position.game.rules, position.record)
    if result.reason == RESIGNATION:
        return Ending("reason.resignation")
    if result.reason == AGREEMENT:
        return Ending("reason.draw_agreed")
    if result.winner is None and "draw_after" in settings:
        return Ending("reason.drawn_after", {"plies": settings["draw_after"]})
    if result.winner is not None and "agreed_after" in settings:
        return Ending("reason.agreed", {"player": result.winner})
    return result.reason
