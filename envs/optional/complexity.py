"""Bounds that a game declares on its size."""

from __future__ import annotations

from typing import NamedTuple


class Bound(NamedTuple):
    """A number that tells how large a game is: what is counted, the formula, the number."""

    quantity: str
    formula: str
    value: int


class Complexity(NamedTuple):
    """Bounds that a game declares on its size, for reports.

    Attributes:
        board: the parts of the board.
        states: the most positions there can be; None where no bound is known.
        fewer_each_ply: whether the number of legal actions is at most the longest game at first,
            and at most one less after every ply.
    """

    board: tuple[Bound, ...] = ()
    states: Bound | None = None
    fewer_each_ply: bool = False


def cells_complexity(
    cells: int, positions_each: int = 1, fewer_each_ply: bool = False
) -> Complexity:
    """The complexity of a game whose cells are free or taken by one of the players.

    Args:
        cells: how many there are.
        positions_each: how many positions may have the same cells.
        fewer_each_ply: see :class:`Complexity`.
    """
    formula = f"{f'{positions_each} x ' if positions_each > 1 else ''}3^{cells}"
    states = Bound("states, at most", formula, positions_each * 3**cells)
    return Complexity((Bound("cells", "", cells),), states, fewer_each_ply)
