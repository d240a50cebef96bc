"""Ultimate tic-tac-toe: nine small boards in a large one; a cell sends the opponent to a board."""

from . import drawing, heuristics
from .rules import UltimateTicTacToe

__all__ = ["UltimateTicTacToe", "drawing", "heuristics"]
