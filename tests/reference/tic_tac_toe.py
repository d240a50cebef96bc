"""Tic-tac-toe and the m,n,k games."""

from __future__ import annotations

from .reference import CellsReference, window_counts

# OpenSpiel's mnk game has m columns and n rows.
OPENSPIEL = [
    ("tic_tac_toe", "tic_tac_toe"),
    ("tic_tac_toe:rows=4,cols=3,connect=3", "mnk(m=3,n=4,k=3)"),
    ("tic_tac_toe:rows=5,cols=6,connect=4", "mnk(m=6,n=5,k=4)"),
    ("tic_tac_toe:rows=7,cols=7,connect=3", "mnk(m=7,n=7,k=3)"),
]


class TicTacToe(CellsReference):
    """``connect`` or more in a row win: the rule of :class:`CellsReference` as it stands."""


def lines(game: TicTacToe, player: int) -> int:
    """Lines still open to the player minus lines still open to the opponent."""
    counts = window_counts(game, player)
    return sum(theirs == 0 for _, theirs in counts) - sum(mine == 0 for mine, _ in counts)
