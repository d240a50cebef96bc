"""OpenSpiel as a second opinion: the same legal actions, turns and returns on random games."""

from __future__ import annotations

import random

import pytest
from plyground import make_game
from reference import openspiel_pairs

pyspiel = pytest.importorskip("pyspiel")

PAIRS = openspiel_pairs()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours for ours, _ in PAIRS])
def test_random_games_go_as_in_openspiel(ours, theirs):
    game, other_game = make_game(ours), pyspiel.load_game(theirs)
    assert game.facts.num_actions == other_game.num_distinct_actions()
    lengths = set()
    for seed in range(5 if game.facts.num_actions > 100 else 30):
        rng, position, state = (
            random.Random(seed),
            game.initial_position(),
            other_game.new_initial_state(),
        )
        plies = 0
        while not state.is_terminal():
            assert position.legal_actions() == state.legal_actions()
            assert position.to_move == state.current_player()
            action = rng.choice(state.legal_actions())
            position.play(action)
            state.apply_action(action)
            plies += 1
        assert position.is_over
        assert list(position.returns) == state.returns()
        lengths.add((plies, position.returns))
    assert len(lengths) > 1 or ours.startswith("dots_and_boxes:rows=1,cols=1")
