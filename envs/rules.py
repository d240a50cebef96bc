"""The rule functions every game defines.

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

The compiled bodies assume valid input; :class:`plyground.envs.game.Position` is the face that
checks it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .compiled.dispatch import missing, rule
from .compiled.randomness import random_below
from .declaration import Board, Complexity
from .pictures.drawing import text_picture
from .profile import Ending

NOBODY = -1  # the value of a `winner` field while nobody has won
MOST_ACTIONS = 2**15 - 1  # lists of actions are int16


@rule
def start(rules, position):
    """Make ``position`` the initial position, in place."""
    raise missing(rules, "start")


@rule
def legal_actions(rules, position, out):
    """Write the legal actions in ascending order into ``out``; return how many there are.

    ``out`` is int16, at least num_actions long. No action is legal once the game is over.
    """
    raise missing(rules, "legal_actions")


@rule
def is_legal(rules, position, action):
    """Whether ``action`` (any whole number) may be played now."""
    raise missing(rules, "is_legal")


@rule
def play(rules, position, action):
    """Play a legal action, in place."""
    raise missing(rules, "play")


@rule
def to_move(rules, position):
    """The player whose turn it is (once the game is over: who would be next)."""
    raise missing(rules, "to_move")


@rule
def is_over(rules, position):
    """Whether the game has ended."""
    raise missing(rules, "is_over")


@rule
def returns(rules, position, player):
    """What ``player`` has won so far (float).

    Zero-sum; the difference over a move is that move's reward.
    """
    raise missing(rules, "returns")


@rule
def margin(rules, position, player):
    """By how much ``player`` leads, in the game's own units (int64): boxes, discs.

    It breaks ties between equal results. It is 0 in games whose returns are margins
    already, and in games without such units.
    """
    raise missing(rules, "margin")


@rule
def observe(rules, position, player, out):
    """Write the position as ``player`` sees it into ``out``.

    ``out`` is int8 of shape ``facts(rules).observation_shape``.
    """
    raise missing(rules, "observe")


@rule
def from_observation(rules, observation, position):
    """Make ``position`` the one that the player to move observes as ``observation``.

    This is the inverse of :func:`observe`.

    If no position has this observation, write any position with another one.
    """
    raise missing(rules, "from_observation")


@rule
def key(rules, position):
    """A 64-bit hash (uint64): equal positions have equal keys."""
    raise missing(rules, "key")


@rule
def evaluate(rules, position, player, heuristic):
    """An estimate (int64) of an unfinished game from ``player``'s side, in points of the heuristic.

    ``heuristic`` is the index of a name in the game's declared ``heuristics``; without any, all
    estimates are 0.
    """
    raise missing(rules, "evaluate")


@rule
def candidates(rules, position, radius, out):
    """Like :func:`legal_actions`, but only actions worth searching; 0 asks for all.

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

    A game that registers a body has playouts of its own, which ``mcts`` uses. Only :func:`returns`
    and :func:`margin` of ``position`` are asked afterwards.

    ``last`` is the action played last, −1 if there is none; ``players`` (int8, num_actions long) is
    filled with who first played each action in the playout, NOBODY where nobody did; ``scratch``
    (int16, num_actions long) may be used.
    """
    raise missing(rules, "play_out")


@rule
def propose(rules, position, out, estimates):
    """Like :func:`legal_actions`, for games with playouts of their own: best first, none in vain.

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


@is_legal.default_body
def _is_legal(rules, position, action):
    buffer = np.empty(MOST_ACTIONS, np.int16)  # no game has more, whatever its parameters
    count = legal_actions(rules, position, buffer)
    for i in range(count):
        if buffer[i] == action:
            return True
    return False


@margin.default_body
def _no_margin(rules, position, player):
    return np.int64(0)


@evaluate.default_body
def _no_estimate(rules, position, player, heuristic):
    return np.int64(0)


@transform.default_body
def _no_symmetry(rules, position, permutation, out):
    pass  # a game without symmetries has the identity only, which callers do not ask for


@candidates.default_body
def _all_actions(rules, position, radius, out):
    return legal_actions(rules, position, out)


@order_actions.default_body
def _keep_order(rules, position, actions, count):
    pass


@play_out.default_body
def _random_playout(rules, position, last, rng, scratch, players):
    players[:] = NOBODY
    while not is_over(rules, position):
        action, player = random_action(rules, position, rng, scratch), to_move(rules, position)
        if players[action] == NOBODY:
            players[action] = player
        play(rules, position, action)


@propose.default_body
def _propose_all(rules, position, out, estimates):
    count = legal_actions(rules, position, out)
    order_actions(rules, position, out, count)
    estimates[:count] = 0
    return count


@random_action.default_body
def _random_action(rules, position, rng, scratch):
    count = legal_actions(rules, position, scratch)
    return np.int64(scratch[random_below(rng, count)])


def register_bodies(rules_type: type, bodies: Iterable[Any]) -> None:
    """Register each body for a rules type, under the rule function of its name."""
    for body in bodies:
        globals()[body.__name__].register_body(rules_type)(body)


def has_own_body(rules: Any, function: Any) -> bool:
    """Whether a game registers a body of its own for a rule function that has a default."""
    return function.body_for(type(rules)) is not function.body_for(tuple)


# -- descriptions of a game: plain Python, never called from a kernel --


@functools.singledispatch
def facts(rules: Any) -> Any:
    """The game's :class:`~plyground.envs.declaration.Facts` for these parameters."""
    raise missing(rules, "facts")


@functools.singledispatch
def complexity(rules: Any) -> Complexity:
    """Bounds on the size of the game; a game that registers none declares no bounds."""
    return Complexity()


@functools.singledispatch
def action_to_text(rules: Any, action: int) -> str:
    """The name of an action, as people write it: that of the :func:`board`."""
    raise missing(rules, "action_to_text")


@functools.singledispatch
def text_to_action(rules: Any, text: str) -> int:
    """The action of that name; ValueError if there is none.

    It reads the names of the :func:`board`, in capital letters too, unless the game has other ways
    to write an action.
    """
    raise missing(rules, "text_to_action")


@functools.singledispatch
def board_text(rules: Any, position: Any) -> str:
    """The board as lines of text: its rows with coordinates at the sides, where it has places."""
    raise missing(rules, "board_text")


@functools.singledispatch
def board(rules: Any) -> Board:
    """Where things lie on the board, and what actions are called.

    It is asked often: keep it by :func:`functools.cache`.
    """
    return Board()


@functools.singledispatch
def board_rows(rules: Any, position: Any) -> list[str]:
    """What stands on the :func:`board`'s places, as rows of characters, ``.`` for free ones."""
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
    return None


@functools.singledispatch
def picture(rules: Any, position: Any, last_action: int | None) -> Any:
    """The board as a :class:`~plyground.envs.pictures.drawing.Picture`.

    ``last_action`` is given by its :meth:`~plyground.envs.declaration.Board.area_number`. A game
    that draws none shows its board as text.
    """
    return text_picture(board_text(rules, position))


@functools.singledispatch
def outcome_reason(rules: Any, position: Any) -> Ending | str:
    """Why a finished game ended: a key of the game's words and its values, or a few plain words."""
    raise missing(rules, "outcome_reason")


@functools.singledispatch
def symmetries(rules: Any) -> np.ndarray:
    """The board's symmetries as permutations of the actions, identity first.

    int16 of shape (symmetries, num_actions).

    Row ``s`` maps action ``a`` to ``symmetries[s, a]``. A game that declares none has the identity
    only.
    """
    return np.arange(facts(rules).num_actions, dtype=np.int16)[None]


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
