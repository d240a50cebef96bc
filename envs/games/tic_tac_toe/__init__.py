"""Tic-tac-toe and any m,n,k game: stones on a grid, so many in a row win."""

from . import drawing
from .rules import TicTacToe

__all__ = ["TicTacToe", "drawing"]
