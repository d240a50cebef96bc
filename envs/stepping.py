"""Kernels that play a game: the step of every environment and match, and random openings."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import rules as r
from .compiled.kernels import inner_kernel, kernel
from .compiled.randomness import random_below

OVER, ILLEGAL = 2, 3  # what `step` returns besides the next player


@inner_kernel
def step(rules: Any, position: Any, action: Any) -> Any:
    """Play an action in place if it is legal.

    Returns the player to move next (0 or 1), OVER, or ILLEGAL; an illegal action leaves the
    position as it is.
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
    """Play ``len(out)`` random actions from ``positions[0]``, which stays as it is.

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
    the player to move and once more in the last row; ``planes`` (int8, all zeros) what that player
    sees.
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

    Returns whether it was legal, who moves next, whether the game is over, and what each player
    gained.
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
