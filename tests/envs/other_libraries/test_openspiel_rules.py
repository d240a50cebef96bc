"""OpenSpiel as a second opinion: the same legal actions, turns and returns on random games."""

from __future__ import annotations

import pytest
from plyground import make_game
from reference import openspiel_pairs
from reference.compare import assert_same_as_openspiel

pyspiel = pytest.importorskip("pyspiel")

PAIRS = openspiel_pairs()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours for ours, _ in PAIRS])
def test_random_games_go_as_in_openspiel(ours, theirs):
    games = 5 if make_game(ours).facts.num_actions > 100 else 30
    lengths = {assert_same_as_openspiel(ours, theirs, seed) for seed in range(games)}
    assert len(lengths) > 1 or ours.startswith("dots_and_boxes:rows=1,cols=1")


@pytest.mark.parametrize(("ours", "theirs"), openspiel_pairs(same_actions=True))
def test_games_with_the_same_actions_have_as_many(ours, theirs):
    theirs = pyspiel.load_game(theirs)
    assert make_game(ours).facts.num_actions == theirs.num_distinct_actions()
