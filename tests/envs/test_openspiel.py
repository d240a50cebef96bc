"""OpenSpiel as a second opinion: the same legal actions, turns and returns on random games."""

from __future__ import annotations

import random

import pytest
from plyground import make_game

pyspiel = pytest.importorskip("pyspiel")

# Our game, OpenSpiel's name for it, and whether actions are numbered alike. OpenSpiel counts boxes
# in rows and columns as we do; its mnk game has m columns and n rows; its gomoku is freestyle on a
# square board.
PAIRS = [
    ("tic_tac_toe", "tic_tac_toe"),
    ("tic_tac_toe:rows=4,cols=3,connect=3", "mnk(m=3,n=4,k=3)"),
    ("tic_tac_toe:rows=5,cols=6,connect=4", "mnk(m=6,n=5,k=4)"),
    ("tic_tac_toe:rows=7,cols=7,connect=3", "mnk(m=7,n=7,k=3)"),
    ("connect_four", "connect_four"),
    ("connect_four:rows=4,cols=5,connect=3", "connect_four(rows=4,columns=5,x_in_row=3)"),
    ("connect_four:rows=7,cols=8,connect=5", "connect_four(rows=7,columns=8,x_in_row=5)"),
    ("gomoku", "gomoku"),
    ("gomoku:size=7,connect=4", "gomoku(size=7,connect=4)"),
    ("gomoku:size=6,connect=3", "gomoku(size=6,connect=3)"),
    ("dots_and_boxes:rows=1,cols=1", "dots_and_boxes(num_rows=1,num_cols=1)"),
    ("dots_and_boxes:rows=2,cols=2", "dots_and_boxes(num_rows=2,num_cols=2)"),
    (
        "dots_and_boxes:rows=2,cols=3,reward=margin",
        "dots_and_boxes(num_rows=2,num_cols=3,utility_margin=true)",
    ),
    ("dots_and_boxes:rows=4,cols=3", "dots_and_boxes(num_rows=4,num_cols=3)"),
]


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
