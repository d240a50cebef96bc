"""Hex: connect your two sides of a rhombus of hexagons."""

from .rules import Hex

__all__ = ["Hex"]
