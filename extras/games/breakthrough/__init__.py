"""Breakthrough: bring a piece to the other side."""

from . import drawing, heuristics
from .rules import Breakthrough

__all__ = ["Breakthrough", "drawing", "heuristics"]
