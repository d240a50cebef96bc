"""How far the general solver reaches in a game, estimated from random games.

The number of lines of play in a game is estimated by the product of the numbers of legal actions
along a random game (Knuth, "Estimating the efficiency of backtrack programs", Mathematics of
Computation 29, 1975). Its mean order of magnitude over random games, from a ply on, predicts the
time of a search to the end: the declared limits of a game (its longest game, a bound on its
positions) are far from actual games.
"""

from __future__ import annotations

import functools
import math
import random
from typing import NamedTuple

import numpy as np

from ....envs.game import Game

RANDOM_GAMES = 64
ENOUGH_PLIES = 4000  # total plies of the random games; fewer long games are played


class SolverReach(NamedTuple):
    """The statistics of random games of a game.

    Attributes:
        orders: the decimal order of magnitude of the number of lines from each ply on, the mean
            over the games that last that long.
        words: the indices of the 64-bit words of the position's record that change in them.
    """

    orders: tuple[float, ...]
    words: tuple[int, ...]

    @property
    def plies(self) -> int:
        """Plies of the longest of the random games."""
        return len(self.orders)

    def plies_within(self, order: float) -> int:
        """The most plies to go whose number of lines is at most of this order of magnitude."""
        larger = (ply for ply, each in enumerate(self.orders, 1) if each > order)
        return self.plies - max(larger, default=0)


@functools.lru_cache(maxsize=256)
def reach_of(game: Game) -> SolverReach:
    """The statistics of random games of a game, the same every time."""
    chance = random.Random(1)
    initial = _words(game.initial_position().record.tobytes())
    changes = np.zeros(initial.size, np.bool_)
    games: list[list[float]] = []
    while len(games) < RANDOM_GAMES and sum(map(len, games)) < ENOUGH_PLIES:
        games.append(_random_game(game, chance, initial, changes))
    plies = max(map(len, games))
    to_the_end = [[sum(each[ply:]) for each in games if len(each) > ply] for ply in range(plies)]
    orders = tuple(sum(each) / len(each) for each in to_the_end)
    return SolverReach(orders, tuple(np.flatnonzero(changes).tolist()))


def _random_game(
    game: Game, chance: random.Random, initial: np.ndarray, changes: np.ndarray
) -> list[float]:
    """The order of magnitude of the number of legal actions at each ply of a random game.

    ``changes`` records the words of the record that differ from the initial ones.
    """
    position, orders = game.initial_position(), list[float]()
    most_plies = game.facts.longest_game  # also for a game that breaks this limit
    while not position.is_over and len(orders) < most_plies:
        actions = position.legal_actions()
        orders.append(math.log10(len(actions)))
        position.play(chance.choice(actions))
        changes |= _words(position.record.tobytes()) != initial
    return orders


def _words(record: bytes) -> np.ndarray:
    """A record as 64-bit words, the last one padded with zeros."""
    return np.frombuffer(record.ljust(-(-len(record) // 8) * 8, b"\0"), np.uint64)
