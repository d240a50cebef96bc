"""Exact values of positions near the end of the game, for the kernels of a search.

Where a game takes few plies more, its solver answers in microseconds: less than a network takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...envs.compiled.dispatch import missing, rule
from ...envs.loading.packages import by_game

UNSOLVED = -1  # in the place of a number of plies


class NoLeafSolver(NamedTuple):
    """A game without a leaf solver. All have ``most``: plies to go that they answer at most."""

    most: int


@by_game
def new_leaf_solver(rules: tuple[Any, ...]) -> Any:
    """What :func:`leaf_value` works with on this board; of one type for all boards of a game."""
    return NoLeafSolver(0)


@rule
def leaf_value(rules, solver, position, plies):
    """The return of player 0 under best play (float), and the plies until the end under it.

    ``solver`` is that of :func:`new_leaf_solver`. The position is not over, and the game may take
    at most ``plies`` plies more; else the plies returned are ``UNSOLVED``.
    """
    raise missing(rules, "leaf_value")


@leaf_value.default_body
def unsolved(rules, solver, position, plies):
    return 0.0, UNSOLVED
