"""Exact values of positions near the end of the game, for the kernels of a search.

Where a game takes few plies more, its solver answers in microseconds: less than a network takes.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ...envs.compiled.dispatch import missing, rule
from ...envs.game import Game
from .knowledge import learn

UNSOLVED = -1  # in the place of a number of plies


class NoLeafSolver(NamedTuple):
    """A game without a leaf solver. All have ``most``: plies to go that they answer at most."""

    most: int


@functools.singledispatch
def leaf_solver_for(rules: tuple[Any, ...]) -> Any:
    """The leaf solver of a board: rules types register theirs here."""
    return NoLeafSolver(0)


def new_leaf_solver(game: Game) -> Any:
    """What :func:`leaf_value` works with on this board; of one type for all boards of a game."""
    learn(game.name)
    return leaf_solver_for(game.rules)


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
