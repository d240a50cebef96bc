"""Tic-tac-toe and the m,n,k games."""

from .reference import CellsReference


class TicTacToe(CellsReference):
    """``connect`` or more in a row win: the rule of :class:`CellsReference` as it stands."""
