"""Kalah: sow seeds around the board; a last seed in the own store gives another move."""

from . import drawing, heuristics
from .rules import Kalah

__all__ = ["Kalah", "drawing", "heuristics"]
