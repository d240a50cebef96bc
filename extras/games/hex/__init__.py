"""Hex: connect your two sides of a rhombus of hexagons."""

from . import drawing, heuristics, inferior, playouts
from .rules import Hex

__all__ = ["Hex", "drawing", "heuristics", "inferior", "playouts"]
