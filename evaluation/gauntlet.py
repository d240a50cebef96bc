"""A player that answers many games at once, measured against a ladder of opponents: paired
openings, both seats, batched.

It is how a learner is measured while it trains. The rules of evidence are those of the tournaments:
the unit is the pair (one opening, both seats), a game that deterministic players repeat counts
once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.opponents import make_opponents
from ..envs.game import Game
from ..envs.single_agent.game_batch import GameBatch
from .openings import random_openings

NORMAL_95 = 1.96


class Score(NamedTuple):
    """What a player reached against one opponent.

    Attributes:
        opponent: the opponent's specification.
        games: distinct games played.
        wins, draws, losses: among them.
        score: points for each game (a win is one, a draw half a point).
        low, high: 95 % interval of the score, from the spread of the pairs.
    """

    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float


def play_ladder(
    game: Game, player: Any, opponents: Sequence[str], pairs: int, opening_plies: int, seed: int
) -> list[Score]:
    """Play against each opponent from the same openings.

    Args:
        game: the game.
        player: an object with ``act_batch(observations, masks)``; see
            :class:`~plyground.envs.single_agent.opponents.Opponent`.
        opponents: specifications of agents.
        pairs: openings, each played in both seats.
        opening_plies: random moves of each opening.
        seed: decides the openings and the opponents' random numbers.
    """
    openings = list(itertools.islice(random_openings(game, opening_plies, seed), pairs))
    starts = game.new_records(2 * pairs)
    for index, opening in enumerate(openings):
        starts[2 * index] = starts[2 * index + 1] = game.position(opening).record
    seats = np.tile(np.array([0, 1], np.int8), pairs)
    return [_play_one(game, player, opponent, starts, seats, seed) for opponent in opponents]


def _play_one(
    game: Game, player: Any, opponent: str, starts: np.ndarray, seats: np.ndarray, seed: int
) -> Score:
    count = len(starts)
    batch = GameBatch(game, count, make_opponents(opponent, game), restart=False)
    batch.reset(seed)
    batch.start_from(starts, seats)
    state = batch.state
    courses = [[start.tobytes()] for start in starts]
    results = np.zeros(count)
    going = np.ones(count, np.bool_)
    while True:
        ended = going & state.terminated
        results[ended] = state.final_returns[ended]
        going &= ~state.terminated
        index = np.flatnonzero(going)
        if not index.size:
            break
        actions = np.zeros(count, np.int64)
        actions[index] = player.act_batch(state.observations[index], state.masks[index])
        batch.step(actions)
        for number in index.tolist():
            courses[number].append(state.positions[number].tobytes())
    batch.close()
    return summarise(
        opponent,
        np.sign(results),
        [b"".join(course) + bytes([seat]) for course, seat in zip(courses, seats)],
    )


def summarise(opponent: str, results: np.ndarray, courses: Sequence[bytes]) -> Score:
    """The score from results (1, 0, −1) of games in pairs, side by side; a pair whose two games
    both repeat earlier ones does not count.
    """
    points = (results + 1) / 2
    seen: set[bytes] = set()
    pairs, kept = [], []
    for first in range(0, len(points), 2):
        new = [index for index in (first, first + 1) if courses[index] not in seen]
        seen.update(courses[first : first + 2])
        kept += new
        if new:
            pairs.append(points[new].mean())
    score, spread = float(np.mean(pairs)), float(np.std(pairs))
    # One pair more of each extreme keeps the interval from shrinking to nothing where all pairs end
    # alike.
    total = len(pairs)
    width = (
        NORMAL_95
        * math.sqrt(
            (spread**2 * total + 0.5 * (1 + (1 - 2 * score) ** 2) / 2) / (total + 2) / (total + 2)
        )
        if total
        else 0.0
    )
    wins, draws, losses = (int((results[kept] == value).sum()) for value in (1, 0, -1))
    return Score(
        opponent,
        len(kept),
        wins,
        draws,
        losses,
        score,
        max(0.0, score - width),
        min(1.0, score + width),
    )
