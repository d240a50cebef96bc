"""How far the general solver reaches in a game, estimated from random games.

The number of courses of a game is the product of the numbers of legal actions along it (Knuth,
"Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975). Its mean
order of magnitude over random games, from a ply on, tells how long a search to the end takes: what
a game declares (its longest game, a bound on its positions) is far from games as they are.
"""

from __future__ import annotations

import functools
import math
import random
from typing import NamedTuple

import numpy as np

from ....envs.game import Game

RANDOM_GAMES = 64
MOST_COUNTED = 200.0  # decimal orders of magnitude; a random game goes no further


class Reach(NamedTuple):
    """What random games tell of a game.

    Attributes:
        orders: the decimal order of magnitude of the number of courses from each ply on, the mean
            over the games; those that are over have none.
        words: the numbers of the 64-bit words of the position's record that change in them.
    """

    orders: tuple[float, ...]
    words: tuple[int, ...]

    @property
    def plies(self) -> int:
        """Plies of the longest of the random games."""
        return len(self.orders)

    def plies_within(self, order: float) -> int:
        """With so many plies to go the rest has at most so many courses (order of magnitude)."""
        return sum(each <= order for each in self.orders)


@functools.lru_cache(maxsize=256)
def reach_of(game: Game) -> Reach:
    """What random games tell of a game, the same every time."""
    chance = random.Random(1)
    initial = _words(game.initial_position().record.tobytes())
    changed = np.zeros(initial.size, np.bool_)
    games = [_random_game(game, chance, initial, changed) for _ in range(RANDOM_GAMES)]
    orders = np.zeros((RANDOM_GAMES, max(map(len, games))))
    for row, orders_of_game in zip(orders, games):
        row[: len(orders_of_game)] = orders_of_game
    to_the_end = orders[:, ::-1].cumsum(axis=1)[:, ::-1].mean(axis=0)
    return Reach(tuple(to_the_end.tolist()), tuple(np.flatnonzero(changed).tolist()))


def _random_game(
    game: Game, chance: random.Random, initial: np.ndarray, changed: np.ndarray
) -> list[float]:
    """The order of magnitude of the number of legal actions at each ply of a random game.

    ``changed`` notes the words of the record that differ from the initial ones.
    """
    position, orders, total = game.initial_position(), list[float](), 0.0
    while not position.is_over and total < MOST_COUNTED:
        actions = position.legal_actions()
        orders.append(math.log10(len(actions)))
        total += orders[-1]
        position.play(chance.choice(actions))
        changed |= _words(position.record.tobytes()) != initial
    return orders


def _words(record: bytes) -> np.ndarray:
    """A record as 64-bit words, the last one filled with zeros."""
    return np.frombuffer(record.ljust(-(-len(record) // 8) * 8, b"\0"), np.uint64)
