"""Rules, positions, environments."""

from .game import Game, IllegalActionError, Position
from .registry import make_game

__all__ = ["Game", "IllegalActionError", "Position", "make_game"]
