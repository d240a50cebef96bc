"""How a game ended, and what data and PettingZoo's interface call the players."""

from __future__ import annotations

from typing import NamedTuple

PLAYERS = ("player_0", "player_1")


class _WinnerAndReason(NamedTuple):
    winner: int | None
    reason: str


class Outcome(_WinnerAndReason):
    """How a game ended: the winner (0, 1, or None for a draw) and why.

    Attributes:
        players: what the text calls the players.
    """

    players: tuple[str, str] = PLAYERS

    def __str__(self) -> str:
        winner = "draw" if self.winner is None else f"{self.players[self.winner]} wins"
        return f"{winner}: {self.reason}"
