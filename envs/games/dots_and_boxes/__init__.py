"""Dots and boxes: draw edges, the fourth edge of a box takes it and moves again."""

from . import drawing, heuristics
from .rules import DotsAndBoxes, WideDotsAndBoxes

__all__ = ["DotsAndBoxes", "WideDotsAndBoxes", "drawing", "heuristics"]
