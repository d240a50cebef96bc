"""Bounds that a game declares on its size."""

from __future__ import annotations

from typing import NamedTuple


class Bound(NamedTuple):
    """A number for the size of a game: what is counted, the formula, the number."""

    quantity: str
    formula: str
    value: int


class Complexity(NamedTuple):
    """Bounds that a game declares on its size, for reports.

    Attributes:
        board: the parts of the board.
        states: an upper bound on the number of positions; None if unknown.
        fewer_each_ply: whether the number of legal actions is at most the longest game at the
            start, and the bound decreases by one with every ply.
    """

    board: tuple[Bound, ...] = ()
    states: Bound | None = None
    fewer_each_ply: bool = False


def cells_complexity(
    cells: int, positions_each: int = 1, fewer_each_ply: bool = False
) -> Complexity:
    """The complexity of a game whose cells are free or taken by one of the players.

    Args:
        cells: the number of cells.
        positions_each: the most positions with the same cells.
        fewer_each_ply: see :class:`Complexity`.
    """
    formula = f"{f'{positions_each} x ' if positions_each > 1 else ''}3^{cells}"
    states = Bound("states, at most", formula, positions_each * 3**cells)
    return Complexity((Bound("cells", "", cells),), states, fewer_each_ply)
