"""Gomoku and caro: five in a row on a large board."""

from . import drawing, heuristics
from .rules import Gomoku

__all__ = ["Gomoku", "drawing", "heuristics"]
