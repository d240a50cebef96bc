"""Breakthrough: bring a piece to the other side."""

from .rules import Breakthrough

__all__ = ["Breakthrough"]
