"""Tic-tac-toe and any m,n,k game: stones on a grid, k in a row win."""

from . import drawing
from .rules import TicTacToe

__all__ = ["TicTacToe", "drawing"]
