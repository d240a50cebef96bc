"""The rule functions that a game defines where it has more to say than what holds of every game.

Their arguments are those of :mod:`plyground.envs.rules`, which has them too. Defaults stand in
:mod:`plyground.envs.optional.defaults`, unless they are the body here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiled.dispatch import missing, rule
from .complexity import Complexity


@rule
def is_legal(rules, position, action):
    """Whether ``action`` (any whole number) may be played now."""
    raise missing(rules, "is_legal")


@rule
def margin(rules, position, player):
    """By how much ``player`` leads, in the game's own units (int64): boxes, discs.

    It breaks ties between equal results. It is 0 in games whose returns are margins
    already, and in games without such units.
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
    """Like ``legal_actions``, but only actions worth searching; 0 asks for all.

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
    """Play on to the end with what the game knows of good replies, at random where it knows none.

    A game that registers a body has playouts of its own, which ``mcts`` uses. Only ``returns``
    and :func:`margin` of ``position`` are asked afterwards.

    ``last`` is the action played last, −1 if there is none; ``players`` (int8, num_actions long) is
    filled with who first played each action in the playout, NOBODY where nobody did; ``scratch``
    (int16, num_actions long) may be used.
    """
    raise missing(rules, "play_out")


@rule
def propose(rules, position, out, estimates):
    """Like ``legal_actions``, for games with playouts of their own: best first, none in vain.

    An action may be left out if one that is listed is as good. ``estimates`` (float32, num_actions
    long) is filled with what each is thought to be worth to the mover, from -1 to 1.
    """
    raise missing(rules, "propose")


@rule
def transform(rules, position, permutation, out):
    """Write the image of ``position`` under a symmetry into the record ``out``.

    ``permutation`` is one row of :func:`symmetries`, a permutation of the actions.
    """
    raise missing(rules, "transform")


def has_own_body(rules: Any, function: Any) -> bool:
    """Whether a game registers a body of its own for a rule function that has a default."""
    return function.body_for(type(rules)) is not function.body_for(tuple)


# -- descriptions of a game: plain Python, never called from a kernel --


@functools.singledispatch
def complexity(rules: Any) -> Complexity:
    """Bounds on the size of the game; a game that registers none declares no bounds."""
    return Complexity()


@functools.singledispatch
def action_to_text(rules: Any, action: int) -> str:
    """The name of an action, as people write it: that of the ``board``."""
    raise missing(rules, "action_to_text")


@functools.singledispatch
def text_to_action(rules: Any, text: str) -> int:
    """The action of that name; ValueError if there is none.

    It reads the names of the ``board``, in capital letters too, unless the game has other ways
    to write an action.
    """
    raise missing(rules, "text_to_action")


@functools.singledispatch
def board_rows(rules: Any, position: Any) -> list[str]:
    """What stands on the ``board``'s places, as rows of characters, ``.`` for free ones."""
    raise missing(rules, "board_rows")


@functools.singledispatch
def set_up(rules: Any, rows: Sequence[str], player: int, position: Any) -> None:
    """Make ``position`` the one with these :func:`board_rows` and ``player`` to move, in place.

    It may be one that no game reaches: :func:`problems` tells.

    Raises:
        ValueError: the record cannot hold such a board; it says why.
    """
    raise ValueError("positions of this game are reached by moves only")


@functools.singledispatch
def problems(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    """Why no game reaches a board given by its :func:`board_rows` with ``player`` to move.

    Sentences without a full stop; none where nothing is odd.
    """
    return []


@functools.singledispatch
def winning_cells(rules: Any, position: Any) -> list[tuple[int, int]]:
    """The (row, column) of the stones that won the game; empty where no row or chain wins."""
    return []


@functools.singledispatch
def score(rules: Any, position: Any) -> tuple[int, int] | None:
    """What each player has counted so far: discs, boxes; None in games that count nothing.

    The difference is the :func:`margin`, or in the end the return in games that return margins. The
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
    """The rows of :func:`symmetries` under which a heuristic keeps its value, identity first.

    A search may merge mirror images of a position only where the heuristic gives them the same
    value. A game that declares nothing here keeps all its symmetries.
    """
    return symmetries(rules)


@functools.singledispatch
def plies_played(rules: Any, position: Any) -> int:
    """How many actions led from the start to the position: its field ``ply`` by default.

    Every game that leads to the position has as many. NotImplementedError where the position does
    not tell, such as after passes. In a position that no game reaches the number follows from the
    stones on its board.
    """
    if "ply" not in position.dtype.names:
        raise missing(rules, "plies_played")
    return int(position.ply)


@functools.singledispatch
def as_played(rules: Any) -> Any:
    """The rules of one game for all whose actions, observations, turns and returns are the same.

    A parameter that changes no more than :func:`margin` has its default there. Networks are for
    all such games.
    """
    return rules
