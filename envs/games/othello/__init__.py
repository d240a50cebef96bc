"""Othello: enclose the opponent's discs to turn them."""

from .rules import Othello

__all__ = ["Othello"]
