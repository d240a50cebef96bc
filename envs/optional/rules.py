"""The optional rule functions of a game.

Their arguments are those of :mod:`plyground.envs.rules`, which exports them too. Defaults are in
:mod:`plyground.envs.optional.defaults`, unless they are the body here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiled.dispatch import missing, rule
from .complexity import Complexity

UNKNOWN = -1  # the number of possible wins, where a game cannot list them


@rule
def is_legal(rules, position, action):
    """Whether ``action`` (any whole number) may be played now."""
    raise missing(rules, "is_legal")


@rule
def margin(rules, position, player):
    """The lead of ``player`` in the game's units (int64): boxes, discs.

    It breaks ties between equal results. It is 0 in games whose returns are margins, and in games
    without such units.
    """
    raise missing(rules, "margin")


@rule
def evaluate(rules, position, player, heuristic):
    """An estimate (int64) of an unfinished game from ``player``'s side, in points of the heuristic.

    ``heuristic`` is the index of a name in the game's declared ``heuristics``; without any, all
    estimates are 0.
    """
    raise missing(rules, "evaluate")


@rule
def candidates(rules, position, radius, out):
    """Like ``legal_actions``, but only actions worth searching; 0 gives all.

    The game defines the meaning of other numbers.
    """
    raise missing(rules, "candidates")


@rule
def order_actions(rules, position, actions, count):
    """Sort the first ``count`` entries of ``actions``, the most promising first, in place."""
    raise missing(rules, "order_actions")


@rule
def random_action(rules, position, rng, scratch):
    """A uniformly random legal action; ``scratch`` (int16, num_actions long) may be used."""
    raise missing(rules, "random_action")


@rule
def play_out(rules, position, last, rng, scratch, players):
    """Play to the end with the game's knowledge of good replies, otherwise at random.

    A game that registers a body has its own playouts, which ``mcts`` uses. Only ``returns`` and
    :func:`margin` of ``position`` are read afterwards.

    ``last`` is the action played last, −1 if there is none; ``players`` (int8, num_actions long) is
    filled with the player who first played each action in the playout, or NOBODY; ``scratch``
    (int16, num_actions long) may be used.
    """
    raise missing(rules, "play_out")


@rule
def propose(rules, position, out, estimates):
    """Like ``legal_actions``, for games with their own playouts: the useful actions, best first.

    An action may be left out if a listed one is as good. ``estimates`` (float32, num_actions long)
    is filled with the estimated value of each for the mover, from -1 to 1.
    """
    raise missing(rules, "propose")


@rule
def possible_wins(rules, position, player, out):
    """The actions that may win at once for ``player`` after one action of the opponent.

    Writes them into ``out`` (int16, num_actions long) and returns their number, or ``UNKNOWN``.
    An action may be listed that does not win; one that wins may not be missing.
    """
    raise missing(rules, "possible_wins")


@rule
def transform(rules, position, permutation, out):
    """Write the image of ``position`` under a symmetry into the record ``out``.

    ``permutation`` is one row of :func:`symmetries`, a permutation of the actions.
    """
    raise missing(rules, "transform")


def has_own_body(rules: Any, function: Any) -> bool:
    """Whether a game registers its own body for a rule function with a default."""
    return function.body_for(type(rules)) is not function.body_for(tuple)


# -- descriptions of a game: plain Python, never called from a kernel --


@functools.singledispatch
def complexity(rules: Any) -> Complexity:
    """Bounds on the size of the game; a game that registers none declares no bounds."""
    return Complexity()


@functools.singledispatch
def action_to_text(rules: Any, action: int) -> str:
    """The name of an action, by default from the ``board``."""
    raise missing(rules, "action_to_text")


@functools.singledispatch
def text_to_action(rules: Any, text: str) -> int:
    """The action of this name; ValueError if there is none.

    By default it reads the names of the ``board``, in any case.
    """
    raise missing(rules, "text_to_action")


@functools.singledispatch
def board_rows(rules: Any, position: Any) -> list[str]:
    """The contents of the ``board``'s places, as rows of characters, ``.`` for free ones."""
    raise missing(rules, "board_rows")


@functools.singledispatch
def set_up(rules: Any, rows: Sequence[str], player: int, position: Any) -> None:
    """Set ``position`` to these :func:`board_rows` with ``player`` to move, in place.

    It may be unreachable: see :func:`problems`.

    Raises:
        ValueError: the record cannot hold this board; the message says why.
    """
    raise ValueError("positions of this game are reached by moves only")


@functools.singledispatch
def problems(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    """Why a board, given by its :func:`board_rows`, is unreachable with ``player`` to move.

    Sentences without a full stop; empty if no reason is detected.
    """
    return []


@functools.singledispatch
def winning_cells(rules: Any, position: Any) -> list[tuple[int, int]]:
    """The (row, column) of the stones that won the game; empty if no row or chain wins."""
    return []


@functools.singledispatch
def score(rules: Any, position: Any) -> tuple[int, int] | None:
    """The count of each player so far: discs, boxes; None in games without counts.

    The difference is the :func:`margin`, or at the end the return in games that return margins. The
    unit is ``score`` among the game's words.
    """
    raise missing(rules, "score")


@functools.singledispatch
def picture(rules: Any, position: Any, last_action: int | None) -> Any:
    """The board as a :class:`~plyground.envs.pictures.drawing.Picture`.

    ``last_action`` is given by its :meth:`~plyground.envs.declaration.Board.area_number`. A game
    that draws none shows its board as text.
    """
    raise missing(rules, "picture")


@functools.singledispatch
def symmetries(rules: Any) -> np.ndarray:
    """The board's symmetries as permutations of the actions, identity first.

    int16 of shape (symmetries, num_actions).

    Row ``s`` maps action ``a`` to ``symmetries[s, a]``. A game that declares none has the identity
    only.
    """
    raise missing(rules, "symmetries")


@functools.singledispatch
def heuristic_symmetries(rules: Any, heuristic: str) -> np.ndarray:
    """The rows of :func:`symmetries` under which a heuristic is invariant, identity first.

    A search may merge mirror images of a position only if the heuristic gives them the same value.
    By default all symmetries are kept.
    """
    return symmetries(rules)


@functools.singledispatch
def plies_played(rules: Any, position: Any) -> int:
    """The number of actions from the start to the position: by default its field ``ply``.

    It is the same for every game that leads to the position. NotImplementedError if the position
    does not determine it, such as after passes. In an unreachable position it follows from the
    stones on the board.
    """
    if "ply" not in position.dtype.names:
        raise missing(rules, "plies_played")
    return int(position.ply)


@functools.singledispatch
def as_played(rules: Any) -> Any:
    """The rules of one game for all games with the same actions, observations, turns and returns.

    A parameter that affects only :func:`margin` has its default there. Networks play all such
    games.
    """
    return rules
