"""Connect four: discs fall into columns, four in a row win."""

from . import drawing, heuristics, wide
from .rules import ConnectFour, WideConnectFour

__all__ = ["ConnectFour", "WideConnectFour", "drawing", "heuristics", "wide"]
