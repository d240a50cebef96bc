"""Openings: seeded random first moves, so that deterministic agents do not play one and the same game again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..envs.game import Game
from ..envs.kernels import announce_compilation
from ..envs.randomness import new_stream
from ..envs.specification import SpecificationError
from ..envs.stepping import draw_opening

OPENING_STREAM = 0x6F70656E  # keeps these random numbers apart from those that agents draw from the same seed
FEWEST_TRIES = 1000


def random_openings(game: Game, plies: int, seed: int) -> Iterator[tuple[int, ...]]:
    """An endless sequence of random openings of ``plies`` actions.

    Each leads to another position, as long as there are any; then they come round again in the same order. No opening ends the
    game, lets the player to move win at once, or leaves only moves that end the game. The same seed gives the same openings, however many are taken.

    Raises:
        SpecificationError: no opening of that length leaves the game open.
    """
    if plies < 0:
        raise SpecificationError(f"an opening has 0 or more plies, not {plies}")
    if plies == 0:
        yield from _forever([()])
    rng = new_stream(seed, OPENING_STREAM)
    positions = game.new_records(3)
    scratch = np.empty(game.facts.num_actions, np.int16)
    out = np.empty(plies, np.int16)
    found: list[tuple[int, ...]] = []
    seen: set[bytes] = set()
    failures = 0
    with announce_compilation(f"openings for {game.name}"):
        draw_opening(game.rules, positions, rng.copy(), scratch, out)
    # If one of n equally likely openings were still missing, this many draws would miss it with a probability below e^-25.
    while failures < FEWEST_TRIES + 25 * len(found):
        failures += 1
        if not draw_opening(game.rules, positions, rng, scratch, out):
            continue
        state = positions[1].tobytes()
        if state not in seen:
            seen.add(state)
            found.append(tuple(out.tolist()))
            failures = 0
            yield found[-1]
    if not found:
        raise SpecificationError(f"no opening of {plies} plies leaves {game.spec} undecided (the search found none); choose fewer opening plies")
    yield from _forever(found)


def _forever(openings: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    while True:
        yield from openings
