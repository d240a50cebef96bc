"""Strength, as small tournaments: more thinking beats less, and the defaults beat the originals.

Scores are of paired games (every opening with both seatings); the bounds leave two standard errors
or more to what was measured. Every agent that is tested must beat ``random`` as well, and the
bounds are such that ``random`` in its place fails.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from helpers import openings_of
from plyground import make_agent, make_game
from plyground.evaluation.match import play_game

BOXES = "dots_and_boxes:rows=3,cols=3"
AGAINST_RANDOM = 0.75  # the least share of points that an agent with skill gets against random


class Case(NamedTuple):
    """Two agents, and the least share of points that the stronger gets from the weaker."""

    game: str
    stronger: str
    weaker: str
    least: float
    pairs: int = 20
    plies: int = 4  # of the random openings


CASES = [
    # More depth or more simulations beat less.
    Case("connect_four", "alphabeta:depth=6", "alphabeta:depth=2", 0.6),
    Case("connect_four", "mcts:simulations=1000", "mcts:simulations=100", 0.7),
    Case("connect_four", "montecarlo:simulations=200", "montecarlo:simulations=5", 0.7),
    Case(BOXES, "alphabeta:depth=5", "alphabeta:depth=1", 0.6),
    Case(BOXES, "mcts:simulations=1000", "mcts:simulations=50", 0.7),
    Case("tic_tac_toe", "alphabeta:depth=9", "alphabeta:depth=1", 0.5, plies=1),
    # The default heuristic beats the original at equal depth.
    Case("connect_four", "alphabeta:depth=4", "alphabeta:depth=4,heuristic=windows", 0.55, 40, 6),
    Case(BOXES, "alphabeta:depth=3", "alphabeta:depth=3,heuristic=classic", 0.7, 40, 6),
    Case("dots_and_boxes", "alphabeta:depth=3", "alphabeta:depth=3,heuristic=classic", 0.6, 40, 6),
    # A tree beats as many simulations without one; montecarlo's are for each of seven actions.
    Case("connect_four", "mcts:simulations=2000", "montecarlo:simulations=286", 0.65),
    # Exact endgames do not weaken a searcher.
    Case("connect_four:rows=5,cols=5", "alphabeta:depth=3,endgame=12", "alphabeta:depth=3", 0.5),
]


def score(case: Case) -> float:
    """The share of points of the stronger agent over the case's pairs of games."""
    game, points = make_game(case.game), 0.0
    agents = make_agent(case.stronger), make_agent(case.weaker)
    openings = openings_of(game, f"random:{case.plies}", seed=7)
    for number in range(case.pairs):
        for seat in (0, 1):
            players = agents if seat == 0 else agents[::-1]
            result = play_game(game, players, openings[number], (2 * number, 2 * number + 1))
            points += 0.5 + result.returns[seat] / (2 * game.facts.max_return)
    return points / (2 * case.pairs)


def is_as_strong_as_stated(case: Case) -> bool:
    """Whether the stronger agent beats the weaker one, and ``random``, by the bounds."""
    against_random = case._replace(weaker="random", pairs=10)
    return score(against_random) >= AGAINST_RANDOM and score(case) >= case.least


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game}-{case.stronger}")
@pytest.mark.fast_cases(1)
def test_the_stronger_agent_beats_the_weaker_one_and_random(case):
    assert is_as_strong_as_stated(case)


@pytest.mark.parametrize("game", sorted({case.game for case in CASES}))
def test_the_bounds_fail_for_agents_without_skill(game):
    for case in CASES:
        if case.game == game:
            without_skill = case._replace(stronger="random")
            assert not is_as_strong_as_stated(without_skill)
            assert not is_as_strong_as_stated(without_skill._replace(weaker="random"))
