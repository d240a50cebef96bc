"""Connect four: discs fall into columns, four in a row win."""

from .rules import ConnectFour, WideConnectFour

__all__ = ["ConnectFour", "WideConnectFour"]
