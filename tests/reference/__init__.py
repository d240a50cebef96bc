"""Slow, plain-Python rules of every game, written from the rules of play and not from the compiled
code.

They use sets, dictionaries and loops over all lines of the board, so that one can see that they are
right. The module of a game has the game's name. It holds

- a subclass of :class:`Reference` with the name of the game's rules type, made from the game's
  parameters by name;
- a function ``HEURISTIC(reference, player)`` for each declared heuristic that is held to a
  reference;
- ``OPENSPIEL``, if OpenSpiel has the game: pairs of our specification and OpenSpiel's;
- ``openspiel_actions(game, state)``, if OpenSpiel numbers the actions in another way.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from plyground.envs.game import Game
from plyground.envs.registry import game_names, rules_type
from plyground.envs.rules_types import parameter_values

from .reference import Reference, perft, value

__all__ = [
    "Reference",
    "make_reference",
    "openspiel_actions",
    "openspiel_pairs",
    "perft",
    "reference_heuristic",
    "value",
]


def make_reference(game: Game) -> Reference:
    """The plain-Python version of a game, at its initial position."""
    reference_class = getattr(_module(game.name), rules_type(game.name).__name__)
    reference: Reference = reference_class(**parameter_values(game.rules))
    return reference


def reference_heuristic(game: Game, heuristic: str) -> Callable[[Reference, int], int] | None:
    """The plain-Python version of a declared heuristic, or None if there is none."""
    return getattr(_module(game.name), heuristic, None)


def openspiel_pairs(same_actions: bool = False) -> list[tuple[str, str]]:
    """(our specification, OpenSpiel's) of every game that both have.

    With ``same_actions`` only of those whose actions have the same numbers.
    """
    return [
        pair
        for name in game_names()
        if not (same_actions and hasattr(_module(name), "openspiel_actions"))
        for pair in getattr(_module(name), "OPENSPIEL", ())
    ]


def openspiel_actions(game: Game, state: Any) -> dict[int, int | tuple[int, ...]]:
    """OpenSpiel's number of each legal action, by ours; its numbers where it takes several."""
    own_numbers = getattr(_module(game.name), "openspiel_actions", None)
    if own_numbers is None:
        return {action: action for action in state.legal_actions()}
    return own_numbers(game, state)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __package__)
