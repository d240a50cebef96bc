"""The rule functions: the required ones here, the optional ones in optional/rules.py.

Searches, environments and playouts are written in terms of them.

Arguments, everywhere:

``rules``
    the game's rules type, a NamedTuple of whole numbers (``ConnectFour(rows=6, cols=7,
    connect=4)``);
``position``
    one record of the game's position dtype; in Python an ``np.record``, so that ``position.stones``
    reads the same in compiled and in interpreted code;
``player``
    0 for the player who moves first, 1 for the other;
``action``
    a whole number from 0 up to, not including, ``facts(rules).num_actions``.

The compiled bodies assume valid input; :class:`plyground.envs.game.Position` checks it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from .compiled.dispatch import missing, rule
from .declaration import Board, Facts
from .optional.rules import *  # noqa: F403  # so that all rule functions are used in one way
from .profile import Ending

NOBODY = -1  # the value of a `winner` field without a winner
MOST_ACTIONS = 2**15 - 1  # lists of actions are int16


@rule
def start(rules, position):
    """Make ``position`` the initial position, in place."""
    raise missing(rules, "start")


@rule
def legal_actions(rules, position, out):
    """Write the legal actions in ascending order into ``out``; return their number.

    ``out`` is int16, at least num_actions long. No action is legal once the game is over.
    """
    raise missing(rules, "legal_actions")


@rule
def play(rules, position, action):
    """Play a legal action, in place."""
    raise missing(rules, "play")


@rule
def to_move(rules, position):
    """The player to move (once the game is over: who would be next)."""
    raise missing(rules, "to_move")


@rule
def is_over(rules, position):
    """Whether the game has ended."""
    raise missing(rules, "is_over")


@rule
def returns(rules, position, player):
    """The return of ``player`` so far (float).

    Zero-sum; the difference over a move is that move's reward.
    """
    raise missing(rules, "returns")


@rule
def observe(rules, position, player, out):
    """Write the observation of ``player`` into ``out``.

    ``out`` is int8 of shape ``facts(rules).observation_shape``.
    """
    raise missing(rules, "observe")


@rule
def from_observation(rules, observation, position):
    """Set ``position`` to the one with this ``observation`` for the player to move.

    The inverse of :func:`observe`. If no position has this observation, write any other.
    """
    raise missing(rules, "from_observation")


@rule
def key(rules, position):
    """A 64-bit hash (uint64): equal positions have equal keys."""
    raise missing(rules, "key")


def register_bodies(rules_type: type, bodies: Iterable[Any]) -> None:
    """Register each body for a rules type, under the rule function of its name."""
    for body in bodies:
        globals()[body.__name__].register_body(rules_type)(body)


# -- descriptions of a game: plain Python, never called from a kernel --


@functools.singledispatch
def facts(rules: Any) -> Facts:
    """The game's facts for these parameters."""
    raise missing(rules, "facts")


@functools.singledispatch
def board(rules: Any) -> Board:
    """The places on the board, and the names of actions.

    It is called often: use :func:`functools.cache`.
    """
    return Board()


@functools.singledispatch
def board_text(rules: Any, position: Any) -> str:
    """The board as lines of text: its rows and coordinates, if it has places."""
    raise missing(rules, "board_text")


@functools.singledispatch
def outcome_reason(rules: Any, position: Any) -> Ending | str:
    """Why a finished game ended: a key of the game's words and its values, or a few plain words."""
    raise missing(rules, "outcome_reason")
