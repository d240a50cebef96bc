"""Kernels that play a game: steps of environments, random openings, fast calls from Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import rules as r
from .compiled.kernels import entry_point, inner_kernel, kernel
from .compiled.randomness import random_below

OVER, ILLEGAL = 2, 3  # what `step` returns besides the next player


@inner_kernel
def step(rules: Any, position: Any, action: Any) -> Any:
    """Play an action in place if it is legal.

    Returns the player to move next (0 or 1), OVER, or ILLEGAL; an illegal action leaves the
    position unchanged.
    """
    if not r.is_legal(rules, position, action):
        return np.int64(ILLEGAL)
    r.play(rules, position, action)
    return np.int64(OVER) if r.is_over(rules, position) else np.int64(r.to_move(rules, position))


@kernel
def random_walk(rules: Any, position: Any, rng: Any, scratch: Any, out: Any) -> Any:
    """Play ``len(out)`` uniformly random actions in place and write them into ``out`` (int16).

    ``scratch`` is int16 of length num_actions. Returns whether the game goes on after them.
    """
    for ply in range(len(out)):
        count = r.legal_actions(rules, position, scratch)
        if count == 0:
            return False
        out[ply] = scratch[random_below(rng, count)]
        r.play(rules, position, np.int64(out[ply]))
    return not r.is_over(rules, position)


@kernel
def draw_opening(rules: Any, positions: Any, rng: Any, scratch: Any, out: Any) -> Any:
    """Play ``len(out)`` random actions from ``positions[0]``, which is not changed.

    The position reached is left in ``positions[1]``.

    Returns whether the game is open there: it is not over, its mover cannot win at once, and some
    move lets it go on. ``positions`` has three records, ``scratch`` is int16 of length num_actions.
    """
    positions[1] = positions[0]
    if not random_walk(rules, positions[1], rng, scratch, out):
        return False
    mover = r.to_move(rules, positions[1])
    open_moves = 0
    for i in range(r.legal_actions(rules, positions[1], scratch)):
        positions[2] = positions[1]
        r.play(rules, positions[2], np.int64(scratch[i]))
        if not r.is_over(rules, positions[2]):
            open_moves += 1
        elif r.returns(rules, positions[2], mover) > 0:
            return False
    return open_moves > 0


@kernel
def describe_turn(rules, records, masks, planes):
    """Write legal actions and observation of a position (``records`` has length 1).

    Returns the player to move and whether the game is over.

    ``masks``, int8 of shape (3, num_actions) and all zeros, gets the legal actions in the row of
    the player to move and again in the last row; ``planes`` (int8, all zeros) gets that player's
    observation.
    """
    position = records[0]
    scratch = np.empty(masks.shape[1], np.int16)
    mover = r.to_move(rules, position)
    for i in range(r.legal_actions(rules, position, scratch)):
        masks[mover, scratch[i]] = 1
        masks[2, scratch[i]] = 1
    r.observe(rules, position, mover, planes)
    return np.int64(mover), bool(r.is_over(rules, position))


@kernel
def step_turn(rules, records, action, masks, planes):
    """Play ``action`` if it is legal and describe the position after it, in one call from Python.

    Returns whether it was legal, who moves next, whether the game is over, and each player's gain.
    """
    position = records[0]
    before_0, before_1 = r.returns(rules, position, 0), r.returns(rules, position, 1)
    if step(rules, position, action) == ILLEGAL:
        return False, np.int64(0), False, 0.0, 0.0
    mover, over = describe_turn(rules, records, masks, planes)
    return (
        True,
        mover,
        over,
        r.returns(rules, position, 0) - before_0,
        r.returns(rules, position, 1) - before_1,
    )


@kernel
def _play_if_legal(rules, records, action):
    """Play ``action`` if it is legal, in place; returns whether it was."""
    return step(rules, records[0], action) != ILLEGAL


@kernel
def _check_legality(rules, records, action):
    """Whether ``action`` is legal."""
    return r.is_legal(rules, records[0], action)


@kernel
def _observe_as(rules, records, player, out):
    """Observe as ``player``, or as the player to move if ``player`` is negative."""
    position = records[0]
    r.observe(rules, position, r.to_move(rules, position) if player < 0 else player, out)


@kernel
def _fill_mask(rules, records, mask):
    """Set ``mask`` (int8, num_actions, all zeros) to 1 at the legal actions."""
    scratch = np.empty(mask.shape[0], np.int16)
    for i in range(r.legal_actions(rules, records[0], scratch)):
        mask[scratch[i]] = 1


@kernel
def _list_legal_actions(rules, records, out):
    """Write the legal actions into ``out``; returns their number."""
    return r.legal_actions(rules, records[0], out)


@kernel
def _find_mover(rules, records):
    """The player to move."""
    return np.int64(r.to_move(rules, records[0]))


@kernel
def _find_end(rules, records):
    """Whether the game is over."""
    return bool(r.is_over(rules, records[0]))


@kernel
def _find_returns(rules, records):
    """The returns of both players."""
    return float(r.returns(rules, records[0], 0)), float(r.returns(rules, records[0], 1))


@kernel
def _replay_game(rules, records, actions, first, counts):
    """Play ``actions`` (int64) in place up to the first that cannot be played.

    Returns the number played. ``counts`` (int64 of shape (2,), zeros) gets the number of each
    player, without those before ``first``. All actions must exist.
    """
    position = records[0]
    for ply in range(len(actions)):
        if r.is_over(rules, position):
            return ply
        mover = r.to_move(rules, position)
        if step(rules, position, actions[ply]) == ILLEGAL:
            return ply
        if ply >= first:
            counts[mover] += 1
    return len(actions)


# The kernels that `Position` calls, and examples of their arguments after rules and records.
ENTRIES: dict[str, tuple[Any, ...]] = {
    "play": (_play_if_legal, 0),
    "is_legal": (_check_legality, 0),
    "observe": (_observe_as, 0, np.zeros((1, 1, 1), np.int8)),
    "mask": (_fill_mask, np.zeros(1, np.int8)),
    "legal_actions": (_list_legal_actions, np.zeros(1, np.int16)),
    "to_move": (_find_mover,),
    "is_over": (_find_end,),
    "returns": (_find_returns,),
    "replay": (_replay_game, np.zeros(1, np.int64), 0, np.zeros(2, np.int64)),
}


class EntryPoints:
    """The kernels of :data:`ENTRIES` for one game as fast calls from Python.

    Each is compiled on first use. A call of a kernel makes numba examine the type of every argument
    first; for rules and records that takes ten times as long as a move. Here the compiled form for
    the game's types is fetched once. A record is passed as an array of one, which numba unpacks at
    a tenth of the cost.
    """

    def __init__(self, rules: Any, dtype: np.dtype[Any]) -> None:
        self._rules = rules
        self._records = np.zeros(1, dtype)

    def __getattr__(self, name: str) -> Any:
        if name not in ENTRIES:
            raise AttributeError(f"there is no entry point {name!r}")
        kernel, *more = ENTRIES[name]
        function = entry_point(kernel, self._rules, self._records, *more)
        setattr(self, name, function)  # later accesses are direct
        return function


def records_of(record: Any) -> np.ndarray:
    """An array of shape (1,) that shares the memory of a record."""
    return np.asarray(record).reshape(1)
