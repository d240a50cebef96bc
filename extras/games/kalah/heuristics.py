"""The heuristics and the move order of Kalah."""

from __future__ import annotations

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import sort_by_rank
from ....envs.compiled.kernels import kernel
from ....envs.compiled.scratch import stack_array
from .rules import MOST_PITS, OPPONENT, OWNER, YES, Kalah, first_pit, lead

OPPORTUNITIES, STORES = range(2)  # in the order of the declaration
# Points of `opportunities`, in hundredths of a seed: for a seed in a store or a pit; for a captured
# seed and for an extra move, to the player to move and to the opponent. They come from a linear fit
# of the margin in games of alpha-beta, rounded.
STORE_POINTS, PIT_POINTS = 100, 10
CAPTURE_POINTS, AGAIN_POINTS = (75, 40), (200, 90)


@kernel
def _last_step(rules, position, player, pit):
    """The distance of a pit's last seed from pit ``a``; ``rules.pits`` is the player's store."""
    return (pit + position.seeds[first_pit(rules, player) + pit]) % (2 * rules.pits + 1)


@kernel
def _captured_seeds(rules, position, player, pit):
    """The seeds that a player captures by sowing a pit, including the last seed."""
    first, last = first_pit(rules, player), _last_step(rules, position, player, pit)
    seeds, lap = np.int64(position.seeds[first + pit]), 2 * rules.pits + 1
    if seeds == 0 or seeds > lap or last >= rules.pits:
        return 0
    if position.seeds[first + last] != 0 and seeds != lap:
        return 0
    passes_opposite = pit + seeds >= lap  # the sowing goes through all pits of the opponent
    opposite = np.int64(position.seeds[2 * rules.pits - first - last]) + passes_opposite
    return 0 if opposite == 0 and rules.empty_capture != YES else 1 + opposite


@r.order_actions.register_body(Kalah)
def order_actions(rules, position, actions, count):
    """Extra moves first, then captures, large ones first, then the pits nearest to the store.

    Source: Irving, Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23, 2000.
    """
    ranks = stack_array(MOST_PITS, np.int64)[:count]
    for i in range(count):
        pit = np.int64(actions[i])
        ranks[i] = rules.pits - pit
        if _last_step(rules, position, position.mover, pit) == rules.pits:
            ranks[i] -= 10_000
        ranks[i] -= 100 * _captured_seeds(rules, position, position.mover, pit)
    sort_by_rank(actions, ranks)


@kernel
def side_points(rules, position, player):
    """``opportunities`` of one side, without its store."""
    first, seeds, again, most = first_pit(rules, player), 0, 0, 0
    for pit in range(rules.pits):
        seeds += np.int64(position.seeds[first + pit])
        again += _last_step(rules, position, player, pit) == rules.pits
        most = max(most, _captured_seeds(rules, position, player, pit))
    sign = 1 if rules.remaining == OWNER else -1 if rules.remaining == OPPONENT else 0
    waits = int(player != position.mover)
    return sign * PIT_POINTS * seeds + CAPTURE_POINTS[waits] * most + AGAIN_POINTS[waits] * again


@r.evaluate.register_body(Kalah)
def evaluate(rules, position, player, heuristic):
    """The heuristics ``opportunities`` and ``stores``.

    ``stores``: seeds in the own store minus the opponent's. ``opportunities``: 100 for each of
    these; 10 for each seed in the own pits if remaining seeds go to the owner (−10 if to the
    opponent); for each seed of the largest capture 75 if the side is to move, else 40; for each pit
    whose last seed falls into the store 200 or 90 likewise; minus the opponent's points.
    """
    stores = lead(rules, position, player)
    if heuristic == STORES:
        return stores
    own, other = side_points(rules, position, player), side_points(rules, position, 1 - player)
    return STORE_POINTS * stores + own - other
