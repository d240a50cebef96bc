"""The regret of an action as reward: the loss of value against the best one, by a judge.

Judges value the actions of a position. Some do so inside a compiled loop, by the rule
:func:`regret_of` (see ``agents/judges.py``); all others are called from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import rules as r
from ..compiled.dispatch import missing, rule
from ..compiled.kernels import announce_compilation, entry_point, inner_kernel
from ..game import Game, Position


@rule
def regret_of(judge, rules, position, action):
    """The value of the best action minus that of ``action``, float64, in units of the return."""
    raise missing(judge, "regret_of")


class Judge(NamedTuple):
    """The judge of a learner's actions.

    Attributes:
        label: its name in messages.
        values: the value of every legal action of a position, in units of the return.
        compiled: makes the NamedTuple that :func:`regret_of` takes, with separate buffers for each
            thread; None: ``values`` is called.
    """

    label: str
    values: Callable[[Position], Mapping[int, float]]
    compiled: Callable[[Game], Any] | None = None


@inner_kernel
def _judge_actions(judge, rules, batch, actions, regrets, first, last):
    """Write the regret of each game's action; 0 for an illegal one, and if the game is over."""
    for game in range(first, last):
        position, regrets[game] = batch.positions[game], 0.0
        if r.is_legal(rules, position, actions[game]):
            regrets[game] = regret_of(judge, rules, position, actions[game])


class Regrets:
    """The regrets of the actions in many games, which become their rewards.

    Args:
        judge: values the actions.
        game: the game.
        batch: the state of the games.
        actions: int64 (N,), the actions of each step, in place.
        threads: the number of threads that share the games.

    Raises:
        ValueError: several threads, and a judge that is called from Python.
    """

    def __init__(
        self, judge: Judge, game: Game, batch: Any, actions: np.ndarray, threads: int
    ) -> None:
        if judge.compiled is None and threads > 1:
            raise ValueError(
                f"threads={threads} is possible only for a judge that is compiled, and "
                f"{judge.label} is called from Python"
            )
        self._judge, self._game, self._batch, self._actions = judge, game, batch, actions
        self._values = np.zeros(len(actions))
        self._kernels: list[tuple[Any, tuple[Any, ...]]] = []
        for _ in range(threads if judge.compiled is not None else 0):
            assert judge.compiled is not None
            arguments = judge.compiled(game), game.rules, batch, actions, self._values
            with announce_compilation(f"the judge {judge.label} for {game.name}"):
                self._kernels.append((entry_point(_judge_actions, *arguments, 0, 0), arguments))

    def find(self, number: int, first: int, last: int) -> None:
        """Judge the actions of the ``number``-th slice of the games, before they are played."""
        if self._kernels:
            judge_slice, arguments = self._kernels[number]
            judge_slice(*arguments, first, last)
            return
        for index, action in enumerate(self._actions.tolist()):
            position = Position(self._game, self._batch.positions[index])
            self._values[index] = 0.0
            if position.is_legal(action):
                values = self._judge.values(position.copy())
                self._values[index] = max(values.values()) - values[action]

    def pay(self, first: int, last: int) -> None:
        """Reward the legal actions of a slice by minus their regrets, after they were played."""
        games = slice(first, last)
        is_legal = ~self._batch.illegal[games]
        np.negative(self._values[games], out=self._batch.rewards[games], where=is_legal)
