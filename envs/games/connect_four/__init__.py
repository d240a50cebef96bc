"""Connect four: discs fall into columns, four in a row win."""

from . import drawing, heuristics, wide
from .rules import ConnectFour
from .wide import WideConnectFour

__all__ = ["ConnectFour", "WideConnectFour", "drawing", "heuristics", "wide"]
