"""Kalah: sow seeds round the board; the last one in one's own store moves again."""

from . import drawing, heuristics
from .rules import Kalah

__all__ = ["Kalah", "drawing", "heuristics"]
