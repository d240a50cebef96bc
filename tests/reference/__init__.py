"""Slow, plain-Python rules of every game, written from the rules of play and not from the compiled
code.

They use sets, dictionaries and loops over all lines of the board, so that one can see that they are
right. Each class has the same methods as :class:`Reference`; :func:`make_reference` makes one from
a game's specification.
"""

from __future__ import annotations

from plyground.envs.declaration import parameter_values
from plyground.envs.game import Game

from .connect_four import ConnectFour
from .dots_and_boxes import DotsAndBoxes
from .gomoku import Gomoku
from .reference import Reference, perft
from .tic_tac_toe import TicTacToe

__all__ = ["Reference", "make_reference", "perft"]

CLASSES = {
    "tic_tac_toe": TicTacToe,
    "connect_four": ConnectFour,
    "dots_and_boxes": DotsAndBoxes,
    "gomoku": Gomoku,
}


def make_reference(game: Game) -> Reference:
    """The plain-Python version of a game, at its initial position."""
    return CLASSES[game.name](**parameter_values(game.rules))
