"""Strength, as small tournaments: more thinking does not lose to less, and the default heuristics
beat the originals.

Scores are of paired games (every opening with both seatings); the bounds leave two standard errors
or more to what was measured.
"""

from __future__ import annotations

import pytest
from plyground import make_agent, make_game
from plyground.evaluation.match import play_game
from plyground.evaluation.openings import Openings


def score(game_spec, first, second, pairs, plies):
    """The share of points of ``first`` over pairs of games."""
    game, points = make_game(game_spec), 0.0
    agents = make_agent(first), make_agent(second)
    openings = Openings(game, f"random:{plies}", seed=7)
    for number in range(pairs):
        for seat in (0, 1):
            seated = agents if seat == 0 else agents[::-1]
            result = play_game(game, seated, openings[number], (2 * number, 2 * number + 1))
            points += 0.5 + result.returns[seat] / (2 * game.facts.max_return)
    return points / (2 * pairs)


@pytest.mark.parametrize(
    ("game", "more", "less", "least"),
    [
        ("connect_four", "alphabeta:depth=6", "alphabeta:depth=2", 0.6),
        ("connect_four", "mcts:simulations=1000", "mcts:simulations=100", 0.7),
        ("connect_four", "montecarlo:simulations=200", "montecarlo:simulations=5", 0.7),
        ("dots_and_boxes:rows=3,cols=3", "alphabeta:depth=5", "alphabeta:depth=1", 0.6),
        ("dots_and_boxes:rows=3,cols=3", "mcts:simulations=1000", "mcts:simulations=50", 0.7),
        ("tic_tac_toe", "alphabeta:depth=9", "alphabeta:depth=1", 0.5),
    ],
)
def test_more_depth_or_simulations_beat_less(game, more, less, least):
    assert score(game, more, less, pairs=20, plies=4 if game != "tic_tac_toe" else 1) >= least


@pytest.mark.parametrize(
    ("game", "original", "depth", "least"),
    [
        ("connect_four", "windows", 4, 0.55),
        ("dots_and_boxes:rows=3,cols=3", "classic", 3, 0.7),
        ("dots_and_boxes", "classic", 3, 0.6),
    ],
)
def test_the_default_heuristic_beats_the_original_at_equal_depth(game, original, depth, least):
    ours, theirs = f"alphabeta:depth={depth}", f"alphabeta:depth={depth},heuristic={original}"
    assert score(game, ours, theirs, pairs=40, plies=6) >= least


def test_mcts_beats_as_many_simulations_without_a_tree():
    # montecarlo's simulations are counted for each of seven actions.
    assert (
        score(
            "connect_four", "mcts:simulations=2000", "montecarlo:simulations=286", pairs=20, plies=4
        )
        >= 0.65
    )


def test_exact_endgames_do_not_weaken_a_searcher():
    assert (
        score(
            "connect_four:rows=5,cols=5",
            "alphabeta:depth=3,endgame=12",
            "alphabeta:depth=3",
            pairs=20,
            plies=4,
        )
        >= 0.5
    )
