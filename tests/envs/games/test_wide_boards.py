"""Boards beyond the usual records: connect four up to 400 cells, dots and boxes up to 480 edges."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from helpers import finished_position
from hypothesis import given, settings
from hypothesis import strategies as st
from plyground import make_agent, make_game
from plyground.envs import Game, check_env, check_game
from plyground.envs import rules as r
from plyground.envs.games.connect_four import ConnectFour, WideConnectFour
from plyground.envs.games.connect_four.wide import LargestConnectFour
from plyground.envs.games.dots_and_boxes import DotsAndBoxes, WideDotsAndBoxes
from plyground.envs.registry import BUILT_IN
from reference import make_reference, reference_heuristic

pytestmark = pytest.mark.thorough

WIDE = [
    "connect_four:rows=8,cols=9,connect=5",
    "connect_four:rows=12,cols=12",
    "dots_and_boxes:rows=8,cols=8,reward=margin",
    "dots_and_boxes:rows=15,cols=15",
]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("spec", "rules_type"),
    [
        ("connect_four", ConnectFour),
        ("connect_four:rows=7,cols=8", ConnectFour),
        ("connect_four:rows=8,cols=8", WideConnectFour),
        ("connect_four:rows=12,cols=12", WideConnectFour),
        ("connect_four:rows=20,cols=20", LargestConnectFour),
        ("dots_and_boxes:rows=7,cols=7", DotsAndBoxes),
        ("dots_and_boxes:rows=1,cols=42", DotsAndBoxes),
        ("dots_and_boxes:rows=8,cols=8", WideDotsAndBoxes),
    ],
)
def test_the_record_is_wide_where_the_board_needs_it(spec, rules_type):
    game = make_game(spec)
    assert type(game.rules) is rules_type
    assert game.new_records(1).dtype == game.declaration.dtype == rules_type.declaration.dtype


def test_the_limits_on_all_parameters_together_are_declared():
    limits = {rules_type.declaration.name: rules_type.declaration.limits for rules_type in BUILT_IN}
    assert limits["connect_four"] == "at most 400 cells, as 20 rows and 20 columns have"
    assert limits["dots_and_boxes"] == "at most 480 edges, as 15 × 15 boxes have"


def test_boxes_in_a_wide_record_have_the_values_of_those_in_the_usual_one():
    games = Game(DotsAndBoxes(4, 4)), Game(WideDotsAndBoxes(4, 4))
    moves = finished_position(games[0]).moves
    for plies in range(len(moves)):
        for index in range(len(games[0].declaration.heuristics)):
            values = {
                r.evaluate(game.rules, game.position(moves[:plies]).record, 0, index)
                for game in games
            }
            assert len(values) == 1


@settings(max_examples=10)
@given(st.sampled_from(WIDE), seeds)
def test_heuristics_of_wide_boards_are_those_of_the_reference(spec, seed):
    game, rng = make_game(spec), np.random.default_rng(seed)
    position, reference = game.initial_position(), make_reference(game)
    for _ in range(int(rng.integers(0, game.facts.longest_game))):
        if position.is_over:
            return
        for index, name in enumerate(game.declaration.heuristics):
            slow = reference_heuristic(game, name)
            if slow is not None and rng.random() < 0.1:
                for player in (0, 1):
                    points = r.evaluate(game.rules, position.record, player, index)
                    assert points == slow(reference, player)
        action = int(rng.choice(position.legal_actions()))
        position.play(action)
        reference.play(action)


def test_the_largest_board_of_connect_four_plays_from_edge_to_edge():
    game = make_game("connect_four:rows=20,cols=20")
    names = [game.action_to_text(column) for column in range(20)]
    for row, other in ((names[-4:], "a"), (names[:4], "t")):
        position = game.position([move for pair in zip(row, other * 3) for move in pair])
        assert not position.is_over
        position.play(row[3])
        assert position.outcome.winner == 0
        assert game.position_from_observation(position.observation(1)).is_over
    game = make_game("connect_four:rows=20,cols=20,connect=20")
    position = game.position(["t"] * 20)
    assert len(position.legal_actions()) == 19


@pytest.mark.parametrize("spec", WIDE)
def test_wide_boards_conform(spec):
    check_game(spec, games=1)
    check_env(spec, games=1)


@pytest.mark.parametrize(
    ("agent", "spec", "moves", "action"),
    [
        *((agent, WIDE[1], "l,a,l,b,l,c", "l")
          for agent in ("greedy", "alphabeta:depth=3", "mcts:simulations=2000")),
        ("alphabeta:depth=2", WIDE[2], "h 0 0,h 1 0,v 0 0", "v 0 1"),
    ],
)  # fmt: skip
def test_a_row_or_a_box_is_completed_on_wide_boards(agent, spec, moves, action):
    game = make_game(spec)
    found = make_agent(agent, seed=1).act(game.position(moves.split(",")))
    assert game.action_to_text(found) == action


@pytest.mark.parametrize(("name", "size"), [("ConnectFour", 12), ("DotsAndBoxes", 15)])
def test_learners_train_on_wide_boards(name, size):
    vector = gymnasium.make_vec(
        f"plyground/{name}-v0", num_envs=3, rows=size, cols=size, opponent="greedy"
    )
    _, infos = vector.reset(seed=1)
    for _ in range(50):
        _, _, _, _, infos = vector.step(infos["action_mask"].argmax(axis=1))
    assert not infos["illegal_action"].any()
