"""Boards beyond the usual records: connect four up to 400 cells, dots and boxes up to 480 edges."""

from __future__ import annotations

import math

import gymnasium
import numpy as np
import plyground
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plyground import make_agent, make_game
from plyground.envs import Game, SpecificationError, check_env, check_game
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.conformance.perft import perft
from plyground.envs.games.connect_four import ConnectFour, WideConnectFour
from plyground.envs.games.connect_four.wide import LargestConnectFour
from plyground.envs.games.dots_and_boxes import DotsAndBoxes, WideDotsAndBoxes
from plyground.envs.registry import BUILT_IN
from reference import make_reference, reference_heuristic
from reference import perft as reference_perft

pytestmark = pytest.mark.thorough

WIDE = [
    "connect_four:rows=8,cols=9,connect=5",
    "connect_four:rows=12,cols=12",
    "dots_and_boxes:rows=8,cols=8,reward=margin",
    "dots_and_boxes:rows=15,cols=15",
]
each_wide_game = pytest.mark.parametrize("game", [make_game(spec) for spec in WIDE], ids=WIDE)
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


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (
            "connect_four:rows=21,cols=20",
            "a board may have at most 400 cells, 21 rows and 20 columns have 420",
        ),
        (
            "dots_and_boxes:rows=16,cols=15",
            "a board may have at most 480 edges, 16 × 15 boxes have 511",
        ),
    ],
)
def test_larger_boards_are_refused_with_the_limit(spec, complaint):
    with pytest.raises(SpecificationError, match=f"cannot be played so: {complaint}$"):
        make_game(spec)


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


def test_perft_of_wide_connect_four_is_that_of_the_reference():
    game = make_game(WIDE[0])
    counts = reference_perft(make_reference(game), 3)
    assert [perft(game.initial_position(), plies) for plies in range(4)] == counts


def test_perft_of_wide_dots_and_boxes_counts_every_order_of_edges():
    start = make_game(WIDE[2]).initial_position()
    assert [perft(start, plies) for plies in range(4)] == [math.perm(144, n) for n in range(4)]


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


@each_wide_game
def test_wide_boards_conform(game):
    check_game(game, games=1)
    check_env(game, games=1)


@each_wide_game
@pytest.mark.parametrize(
    "agent",
    [
        "random",
        "greedy",
        "minimax:depth=1",
        "alphabeta:depth=2",
        "montecarlo:simulations=5",
        "mcts:simulations=100",
    ],
)
def test_general_agents_play_on_wide_boards(game, agent):
    player = make_agent(agent, seed=1)
    position = game.initial_position()
    for _ in range(3):
        action = player.act(position)
        assert position.is_legal(action)
        position.play(action)


@pytest.mark.parametrize(
    ("spec", "heuristic"),
    [(spec, name) for spec in WIDE[::2] for name in make_game(spec).declaration.heuristics],
)
def test_alphabeta_and_minimax_agree_on_wide_boards(spec, heuristic):
    game = make_game(spec)
    position = game.position(game.initial_position().legal_actions()[:4])
    minimax = make_agent(f"minimax:depth=2,heuristic={heuristic}")
    alphabeta = make_agent(f"alphabeta:depth=2,heuristic={heuristic}")
    assert alphabeta.analyse(position).value == minimax.analyse(position).value


@pytest.mark.parametrize(
    ("spec", "moves", "action"),
    [
        ("connect_four:rows=12,cols=12", "l a l b l c", 11),
        ("connect_four:rows=9,cols=10", "a j a j a i", 0),
    ],
)
@pytest.mark.parametrize("agent", ["greedy", "alphabeta:depth=3", "mcts:simulations=2000"])
def test_a_row_is_completed_on_wide_boards(agent, spec, moves, action):
    assert make_agent(agent, seed=1).act(make_game(spec).position(moves.split())) == action


@pytest.mark.parametrize("spec", WIDE)
def test_solvers_refuse_wide_boards(spec):
    game = make_game(spec)
    with pytest.raises(SpecificationError, match=r"at most 64"):
        make_agent("solver").act(game.initial_position())


@pytest.mark.parametrize(("name", "size"), [("ConnectFour", 12), ("DotsAndBoxes", 15)])
def test_learners_train_on_wide_boards(name, size):
    single = gymnasium.make(
        f"plyground/{name}-v0", rows=size, cols=size, opponent="greedy", seat=1
    ).unwrapped
    _, info = single.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = single.step(np.flatnonzero(info["action_mask"])[0])
    assert not info["illegal_action"]
    vector = gymnasium.make_vec(
        f"plyground/{name}-v0", num_envs=3, rows=size, cols=size, opponent="random"
    )
    _, infos = vector.reset(seed=1)
    for _ in range(50):
        actions = infos["action_mask"].argmax(axis=1)
        _, _, _, _, infos = vector.step(actions)
    assert not infos["illegal_action"].any()


@each_wide_game
def test_agents_play_in_a_live_environment_of_a_wide_board(game):
    env = plyground.envs.aec.env(game, render_mode="rgb_array")
    env.reset()
    agent = make_agent("greedy", seed=1)
    while env.agents and not env.terminations[env.agent_selection]:
        env.step(agent.act(env))
    assert env.position.is_over
    assert env.render().ndim == 3
