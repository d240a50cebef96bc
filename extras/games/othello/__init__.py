"""Othello: enclose the opponent's discs to turn them."""

from . import drawing, heuristics
from .rules import Othello

__all__ = ["Othello", "drawing", "heuristics"]
