"""The rules as fast calls from Python: one compiled function for each question.

:class:`~plyground.envs.game.Position` calls them.

Calling a kernel makes numba look at the type of every argument first; for rules and records that
takes ten times as long as a move. Here the compiled form for the game's types is fetched once. A
record is passed as an array of one, which numba takes over from Python at a tenth of the cost.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import rules as r
from .compiled.kernels import entry_point, kernel
from .stepping import ILLEGAL, step


@kernel
def play_if_legal(rules, records, action):
    """Play ``action`` if it is legal, in place; whether it was."""
    return step(rules, records[0], action) != ILLEGAL


@kernel
def check_legality(rules, records, action):
    """Whether ``action`` is legal."""
    return r.is_legal(rules, records[0], action)


@kernel
def observe_as(rules, records, player, out):
    """Observe as ``player``, or as the player to move if ``player`` is negative."""
    position = records[0]
    r.observe(rules, position, r.to_move(rules, position) if player < 0 else player, out)


@kernel
def fill_mask(rules, records, mask):
    """Set ``mask`` (int8, num_actions, all zeros) to 1 at the legal actions."""
    scratch = np.empty(mask.shape[0], np.int16)
    for i in range(r.legal_actions(rules, records[0], scratch)):
        mask[scratch[i]] = 1


@kernel
def list_legal_actions(rules, records, out):
    """Write the legal actions into ``out``; returns how many."""
    return r.legal_actions(rules, records[0], out)


@kernel
def find_mover(rules, records):
    """The player to move."""
    return np.int64(r.to_move(rules, records[0]))


@kernel
def find_end(rules, records):
    """Whether the game is over."""
    return bool(r.is_over(rules, records[0]))


@kernel
def find_returns(rules, records):
    """The returns of both players."""
    return float(r.returns(rules, records[0], 0)), float(r.returns(rules, records[0], 1))


class EntryPoints:
    """The kernels above for one game, each compiled when it is first used.

    All take the rules and an array of one record.
    """

    def __init__(self, rules: Any, dtype: np.dtype[Any]) -> None:
        self._rules = rules
        self._records = np.zeros(1, dtype)

    def _compiled(self, kernel: Any, *more: Any) -> Any:
        return entry_point(kernel, self._rules, self._records, *more)

    @functools.cached_property
    def play(self) -> Any:
        return self._compiled(play_if_legal, 0)

    @functools.cached_property
    def is_legal(self) -> Any:
        return self._compiled(check_legality, 0)

    @functools.cached_property
    def observe(self) -> Any:
        return self._compiled(observe_as, 0, np.zeros((1, 1, 1), np.int8))

    @functools.cached_property
    def mask(self) -> Any:
        return self._compiled(fill_mask, np.zeros(1, np.int8))

    @functools.cached_property
    def legal_actions(self) -> Any:
        return self._compiled(list_legal_actions, np.zeros(1, np.int16))

    @functools.cached_property
    def to_move(self) -> Any:
        return self._compiled(find_mover)

    @functools.cached_property
    def is_over(self) -> Any:
        return self._compiled(find_end)

    @functools.cached_property
    def returns(self) -> Any:
        return self._compiled(find_returns)


def records_of(record: Any) -> np.ndarray:
    """An array of shape (1,) that shares the memory of a record."""
    return np.asarray(record).reshape(1)
