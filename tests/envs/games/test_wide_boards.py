"""Boards beyond the usual records: connect four up to 400 cells, dots and boxes up to 480 edges."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plyground import make_agent, make_game
from plyground.envs import Game, SpecificationError, check_env, check_game
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import new_stream
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
sizes = st.integers(1, 8)


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


def assert_played_alike(standard, wide, seed):
    """Play one random game by both types of rules and compare everything at every ply."""
    one, two, rng = standard.initial_position(), wide.initial_position(), new_stream(seed)
    standard_actions, wide_actions = np.zeros((2, standard.facts.num_actions), np.int16)
    assert wide.facts == standard.facts
    np.testing.assert_array_equal(wide.symmetries, standard.symmetries)
    while True:
        legal = one.legal_actions()
        assert two.legal_actions() == legal
        np.testing.assert_array_equal(two.action_mask(), one.action_mask())
        assert two.to_move == one.to_move
        assert two.returns == one.returns
        assert two.outcome == one.outcome
        assert str(two) == str(one)
        assert two.to_svg() == one.to_svg()
        for player in (0, 1):
            np.testing.assert_array_equal(two.observation(player), one.observation(player))
        for symmetry in range(len(standard.symmetries)):
            image = two.transformed(symmetry)
            np.testing.assert_array_equal(
                image.observation(), one.transformed(symmetry).observation()
            )
            assert (
                image.transformed(
                    list(map(list, wide.symmetries)).index(
                        np.argsort(wide.symmetries[symmetry]).tolist()
                    )
                )
                == two
            )
        assert wide.position_from_observation(one.observation()) == two
        if not legal:
            return
        for heuristic in range(len(standard.declaration.heuristics)):
            for player in (0, 1):
                assert r.evaluate(wide.rules, two.record, player, heuristic) == r.evaluate(
                    standard.rules, one.record, player, heuristic
                )
        standard_actions[: len(legal)] = wide_actions[: len(legal)] = legal
        r.order_actions(standard.rules, one.record, standard_actions, len(legal))
        r.order_actions(wide.rules, two.record, wide_actions, len(legal))
        np.testing.assert_array_equal(wide_actions, standard_actions)
        action = int(r.random_action(standard.rules, one.record, rng.copy(), standard_actions))
        assert r.random_action(wide.rules, two.record, rng, wide_actions) == action
        one.play(action)
        two.play(action)


@settings(max_examples=20)
@given(sizes, sizes, st.integers(2, 6), seeds)
def test_both_records_play_the_same_connect_four(rows, cols, connect, seed):
    if (rows + 1) * cols > 64 or connect > max(rows, cols):
        rows, cols, connect = 6, 7, 4
    standard, wide = ConnectFour(rows, cols, connect), WideConnectFour(rows, cols, connect)
    assert_played_alike(Game(standard), Game(wide), seed)


@settings(max_examples=20)
@given(sizes, sizes, st.integers(0, 1), st.integers(0, 1), seeds)
def test_both_records_play_the_same_dots_and_boxes(rows, cols, reward, start, seed):
    if 2 * rows * cols + rows + cols > 128:
        rows, cols = 4, 4
    standard = DotsAndBoxes(rows, cols, reward, start)
    assert_played_alike(Game(standard), Game(WideDotsAndBoxes(rows, cols, reward, start)), seed)


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


@pytest.mark.parametrize("spec", WIDE)
def test_solvers_refuse_wide_boards(spec):
    with pytest.raises(SpecificationError, match=r"at most 64"):
        make_agent("solver").act(make_game(spec).initial_position())


@pytest.mark.parametrize(("name", "size"), [("ConnectFour", 12), ("DotsAndBoxes", 15)])
def test_learners_train_on_wide_boards(name, size):
    vector = gymnasium.make_vec(
        f"plyground/{name}-v0", num_envs=3, rows=size, cols=size, opponent="greedy"
    )
    _, infos = vector.reset(seed=1)
    for _ in range(50):
        _, _, _, _, infos = vector.step(infos["action_mask"].argmax(axis=1))
    assert not infos["illegal_action"].any()
