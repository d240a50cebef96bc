"""How a game ended, and the names of players in data and in PettingZoo's interface."""

from __future__ import annotations

from typing import NamedTuple

PLAYERS = ("player_0", "player_1")


class _WinnerAndReason(NamedTuple):
    winner: int | None
    reason: str


class Outcome(_WinnerAndReason):
    """How a game ended: the winner (0, 1, or None for a draw) and why.

    Attributes:
        players: the names of the players in the text.
    """

    players: tuple[str, str] = PLAYERS

    def __str__(self) -> str:
        winner = "draw" if self.winner is None else f"{self.players[self.winner]} wins"
        return f"{winner}: {self.reason}"
