"""Gomoku and caro: five in a row on a large board."""

from .rules import Gomoku

__all__ = ["Gomoku"]
