"""Kalah with 2 to 6 pits on a side and 1 to 6 seeds in each at the start.

Rules. Each player has a row of pits and a store at its right end. A move takes all seeds of one of
the mover's pits and sows them one by one into the next places: the mover's pits up to the store,
the store, the opponent's pits, then the mover's pits again; the opponent's store is skipped. If the
last seed falls into the mover's **store, the mover moves again**. If it falls into an empty pit of
the mover and there are seeds in the opponent's pit opposite, all of them and the last seed go to
the mover's store. The game ends as soon as one side has no seeds in its pits. The player with more
seeds in the store wins. With ``reward="win"`` the winner gets +1 and the loser −1; with
``reward="margin"`` each gets the difference of the stores at the end.

Variants. ``empty_capture="yes"``: the last seed in an empty pit goes to the store even if the
opposite pit is empty. ``remaining`` says who gets the seeds that remain in the pits at the end:
their ``owner``, the ``opponent``, or ``nobody``; then they stay in the pits.

Actions. The mover's pit, from the far end of the row to the store: ``a`` to e.g. ``f``.

Observation. (2, pits + 1, planes): binary digit of the seeds × 6, exact number of seeds × 13,
whether the observer is to move, whether the observer is player 0 (the last two are constant). The
upper row is the opponent's side, its pits from right to left, so that opposite pits share a column,
then its store; the lower row is the observer's side. The number of digits is the number that the
count of all seeds has; the lowest digit is first. The next planes are 1 for exactly 1, 2, …
2·pits + 1 seeds: 2·pits + 1 seeds end in the pit where they began.

Symmetries. None: the half turn of the board exchanges the players.

Length. Every game ends. With p pits, a seed at distance d before the store of its side has the
weight p(p − 1) + d, and a seed in a store has none. A move of seeds at distance d reduces the total
weight by at least 1: a seed that falls short of the mover's store loses at least 1; a seed that
falls into it loses p(p − 1) + d; before the next seed that falls into it, at most one seed falls
into each pit of both sides, and a seed that falls at distance e gains e − d, in total at most
2(0 + … + (p − 1)) = p(p − 1). Captures and the end of the game reduce the weight further. At the
start the total weight is s·p(2p² − p + 1), with s seeds in each pit: no game has more moves.

Position. ``seeds`` is the ring of player 0's pits and store, then player 1's. Source: Irving,
Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23, 2000 (with ``empty_capture="yes"``);
variants: Wikipedia, "Kalah".
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import SALT_1, SALT_2, mix64
from ....envs.declaration import Facts, declare_game
from ....envs.optional.complexity import Bound, Complexity
from ....envs.pictures.drawing import PLAYER_COLOURS
from ....envs.profile import Ending
from ....envs.specification import Parameter
from .profile import PROFILE

MOST_PITS = 6
PLACES = 2 * (MOST_PITS + 1)  # capacity: pits and stores
NO, YES = range(2)  # of empty captures
OWNER, OPPONENT, NOBODY = range(3)  # who gets the remaining seeds
WIN, MARGIN = range(2)  # what a game returns
BITS = np.uint64(7)  # per number of seeds in a key: there are at most 72 seeds


@declare_game(
    name="kalah",
    version=0,
    profile=PROFILE,
    colours=PLAYER_COLOURS,
    marks=("A", "B"),
    position=[("seeds", np.int8, PLACES), ("mover", np.int8)],
    parameters=(
        Parameter("pits", int, 6, "pits on a side", 2, MOST_PITS),
        Parameter("seeds", int, 4, "seeds in a pit at the start", 1, 6),
        Parameter("empty_capture", str, "no", "capture opposite empty pits", choices=("no", "yes")),
        Parameter(
            "remaining",
            str,
            "owner",
            "who gets the seeds that remain in the pits",
            choices=("owner", "opponent", "nobody"),
        ),
        Parameter("reward", str, "win", "what a game returns", choices=("win", "margin")),
    ),
    heuristics=("opportunities", "stores"),
)
class Kalah(NamedTuple):
    pits: int = 6
    seeds: int = 4
    empty_capture: int = NO
    remaining: int = OWNER
    reward: int = WIN


@kernel
def first_pit(rules, player):
    """The place of a player's pit ``a``; the store is ``rules.pits`` places later."""
    return np.int64(player) * (rules.pits + 1)


@kernel
def store_of(rules, player):
    return first_pit(rules, player) + rules.pits


@kernel
def _is_empty(rules, position, player):
    """Whether a player has no seeds in the pits."""
    first = first_pit(rules, player)
    for place in range(first, first + rules.pits):
        if position.seeds[place] != 0:
            return False
    return True


@r.start.register_body(Kalah)
def start(rules, position):
    position.seeds[:] = 0
    for player in range(2):
        first = first_pit(rules, player)
        position.seeds[first : first + rules.pits] = rules.seeds
    position.mover = 0


@r.is_over.register_body(Kalah)
def is_over(rules, position):
    return _is_empty(rules, position, 0) or _is_empty(rules, position, 1)


@r.legal_actions.register_body(Kalah)
def legal_actions(rules, position, out):
    if is_over(rules, position):
        return 0
    count, first = 0, first_pit(rules, position.mover)
    for pit in range(rules.pits):
        if position.seeds[first + pit] != 0:
            out[count] = pit
            count += 1
    return count


@r.is_legal.register_body(Kalah)
def is_legal(rules, position, action):
    if action < 0 or action >= rules.pits or is_over(rules, position):
        return False
    return position.seeds[first_pit(rules, position.mover) + action] != 0


@kernel
def sow(rules, position, action):
    """Sow the seeds of one of the mover's pits; returns the place of the last one."""
    place, left_out = first_pit(rules, position.mover) + action, store_of(rules, 1 - position.mover)
    seeds = position.seeds[place]
    position.seeds[place] = 0
    while seeds > 0:
        place = place + 1 if place <= 2 * rules.pits else 0
        if place != left_out:
            position.seeds[place] += 1
            seeds -= 1
    return place


@kernel
def _clear_pits(rules, position):
    """Put the remaining seeds into the store of the player who gets them."""
    for player in range(2):
        store = store_of(rules, player if rules.remaining == OWNER else 1 - player)
        first = first_pit(rules, player)
        for place in range(first, first + rules.pits):
            position.seeds[store] += position.seeds[place]
            position.seeds[place] = 0


@r.play.register_body(Kalah)
def play(rules, position, action):
    mover = position.mover
    last, store = sow(rules, position, np.int64(action)), store_of(rules, mover)
    if last != store:
        position.mover = 1 - mover
        opposite = 2 * rules.pits - last
        is_own = first_pit(rules, mover) <= last < store
        if is_own and position.seeds[last] == 1:
            if position.seeds[opposite] != 0 or rules.empty_capture == YES:
                position.seeds[store] += 1 + position.seeds[opposite]
                position.seeds[last] = position.seeds[opposite] = 0
    if rules.remaining != NOBODY and is_over(rules, position):
        _clear_pits(rules, position)


@r.to_move.register_body(Kalah)
def to_move(rules, position):
    return np.int64(position.mover)


@kernel
def lead(rules, position, player):
    """The seeds in a player's store minus the seeds in the opponent's store (int64)."""
    own, other = store_of(rules, player), store_of(rules, 1 - player)
    return np.int64(position.seeds[own]) - np.int64(position.seeds[other])


@r.returns.register_body(Kalah)
def returns(rules, position, player):
    if not is_over(rules, position):
        return 0.0
    margin = lead(rules, position, player)
    return float(margin) if rules.reward == MARGIN else float(np.sign(margin))


@r.margin.register_body(Kalah)
def margin(rules, position, player):
    return np.int64(0) if rules.reward == MARGIN else lead(rules, position, player)


@kernel
def _seen_place(rules, player, row, column):
    """The place that a player sees at a row and column of the observation."""
    if row == 1:
        return first_pit(rules, player) + column
    if column == rules.pits:
        return store_of(rules, 1 - player)
    return store_of(rules, 1 - player) - 1 - column


@r.observe.register_body(Kalah)
def observe(rules, position, player, out):
    out[:] = 0
    digits, lap = out.shape[2] - 2 * rules.pits - 3, 2 * rules.pits + 1
    for row in range(2):
        for column in range(rules.pits + 1):
            seeds = np.int64(position.seeds[_seen_place(rules, player, row, column)])
            for digit in range(digits):
                out[row, column, digit] = (seeds >> digit) & 1
            if 1 <= seeds <= lap:
                out[row, column, digits + seeds - 1] = 1
    out[:, :, digits + lap] = position.mover == player
    out[:, :, digits + lap + 1] = player == 0


@r.from_observation.register_body(Kalah)
def from_observation(rules, observation, position):
    planes = observation.shape[2]
    player, total = 0 if observation[0, 0, planes - 1] != 0 else 1, 0
    position.seeds[:] = 0
    for row in range(2):
        for column in range(rules.pits + 1):
            seeds = 0
            for digit in range(planes - 2 * rules.pits - 3):
                seeds += np.int64(observation[row, column, digit] != 0) << digit
            position.seeds[_seen_place(rules, player, row, column)] = seeds
            total += seeds
    position.mover = player
    cleared = position.seeds[rules.pits] + position.seeds[2 * rules.pits + 1] == total
    is_possible = cleared or rules.remaining == NOBODY or not is_over(rules, position)
    if total != 2 * rules.pits * rules.seeds or not is_possible:
        start(rules, position)  # no position has this observation


@r.key.register_body(Kalah)
def key(rules, position):
    both = np.uint64(position.mover) * SALT_2
    for player in range(2):
        side, first = np.uint64(player) * SALT_1, first_pit(rules, player)
        for place in range(first, first + rules.pits + 1):
            side = (side << BITS) ^ np.uint64(position.seeds[place])
        both ^= mix64(side)
    return both


@r.facts.register(Kalah)
def facts(rules: Kalah) -> Facts:
    total = 2 * rules.pits * rules.seeds
    best = float(total) if rules.reward == MARGIN else 1.0
    longest = rules.seeds * rules.pits * (2 * rules.pits**2 - rules.pits + 1)
    planes = total.bit_length() + 2 * rules.pits + 1 + 2
    return Facts(rules.pits, longest, -best, best, (2, rules.pits + 1, planes), moves_again=True)


@r.complexity.register(Kalah)
def complexity(rules: Kalah) -> Complexity:
    total, places = 2 * rules.pits * rules.seeds, 2 * rules.pits + 2
    board = (Bound("pits", "", 2 * rules.pits), Bound("seeds", "", total))
    ways = f"2 x C({total + places - 1}, {places - 1})"  # seeds into places, and who is to move
    number = 2 * math.comb(total + places - 1, places - 1)
    return Complexity(board, Bound("states, at most", ways, number))


@r.outcome_reason.register(Kalah)
def outcome_reason(rules: Kalah, position: Any) -> Ending:
    stores = [int(position.seeds[store_of(rules, player)]) for player in range(2)]
    return Ending("seeds", {"a": max(stores), "b": min(stores)})
