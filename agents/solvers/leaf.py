"""Exact values of positions near the end of the game, for the kernels of a search.

With few plies left, a game's solver answers in microseconds, faster than a network.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ...envs.compiled.dispatch import missing, rule
from ...envs.game import Game
from .knowledge import learn

UNSOLVED = -1  # returned as the number of plies


class NoLeafSolver(NamedTuple):
    """A game without a leaf solver. ``most`` is the most remaining plies of a leaf solver."""

    most: int


@functools.singledispatch
def leaf_solver_for(rules: tuple[Any, ...]) -> Any:
    """The leaf solver of a board: rules types register theirs here."""
    return NoLeafSolver(0)


def new_leaf_solver(game: Game) -> Any:
    """The data of :func:`leaf_value` for this board; of one type for all boards of a game."""
    learn(game.name)
    return leaf_solver_for(game.rules)


@rule
def leaf_value(rules, solver, position, plies):
    """The return of player 0 under best play (float), and the plies until the end under it.

    ``solver`` is made by :func:`new_leaf_solver`. The position must not be over, with at most
    ``plies`` plies left; else the plies returned are ``UNSOLVED``.
    """
    raise missing(rules, "leaf_value")


@leaf_value.default_body
def unsolved(rules, solver, position, plies):
    return 0.0, UNSOLVED
