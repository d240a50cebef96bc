"""The compiled rules are those of the slow plain-Python reference, on random games of every size
and variant.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from helpers import SMALL_VARIANTS
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from plyground import make_game
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.game import Game
from plyground.envs.registry import BUILT_IN, game_names
from plyground.envs.specification import SpecificationError
from reference import make_reference, reference_heuristic
from reference.compare import assert_same_game, next_action

seeds = st.integers(0, 2**32 - 1)

MOST = 7  # a size is drawn from its lowest value to this much more


def possible(name, parameters):
    """Whether the game can be played with these parameters."""
    try:
        make_game(name, parameters)
    except SpecificationError:
        return False
    return True


@st.composite
def games(draw):
    """(name, parameters) of a game of the registry on a small board, in any variant."""
    declaration = draw(st.sampled_from(BUILT_IN)).declaration
    parameters = {
        parameter.name: draw(
            st.sampled_from(parameter.choices)
            if parameter.choices is not None
            else st.integers(parameter.low, min(parameter.high, parameter.low + MOST))
        )
        for parameter in declaration.parameters
    }
    assume(possible(declaration.name, parameters))
    return declaration.name, parameters


def boards_at_the_limits():
    """Every game with all its sizes at their lowest and at their highest, where that can be
    played.
    """
    for rules_type in BUILT_IN:
        declaration = rules_type.declaration
        sizes = [parameter for parameter in declaration.parameters if parameter.choices is None]
        for limit in ("low", "high"):
            parameters = {size.name: getattr(size, limit) for size in sizes}
            if possible(declaration.name, parameters):
                yield declaration.name, parameters


def small_board(name):
    """The first board of the game, counted from the smallest up, with at least six actions."""
    ranges = [
        parameter.choices or range(parameter.low, parameter.low + MOST)
        for parameter in make_game(name).declaration.parameters
    ]
    names = [parameter.name for parameter in make_game(name).declaration.parameters]
    boards = (dict(zip(names, values)) for values in itertools.product(*ranges))
    games = (make_game(name, board) for board in boards if possible(name, board))
    return next(game for game in games if game.facts.num_actions >= 6)


# Boards at the limits of what a position holds.
LARGEST = [
    *boards_at_the_limits(),
    ("tic_tac_toe", {"rows": 20, "cols": 20, "connect": 3}),
    ("tic_tac_toe", {"rows": 1, "cols": 20, "connect": 2}),
    ("connect_four", {"rows": 7, "cols": 8, "connect": 4}),
    ("connect_four", {"rows": 1, "cols": 32, "connect": 4}),
    ("connect_four", {"rows": 15, "cols": 4, "connect": 9}),
    ("connect_four", {"rows": 20, "cols": 3, "connect": 4}),
    ("connect_four", {"rows": 1, "cols": 32, "connect": 32}),
    ("connect_four", {"rows": 29, "cols": 2, "connect": 4}),
    ("connect_four", {"rows": 12, "cols": 12, "connect": 5}),
    ("connect_four", {"rows": 29, "cols": 4, "connect": 6}),
    ("connect_four", {"rows": 4, "cols": 32, "connect": 4}),
    ("dots_and_boxes", {"rows": 7, "cols": 7, "reward": "margin"}),
    ("dots_and_boxes", {"rows": 15, "cols": 15, "reward": "margin"}),
    ("dots_and_boxes", {"rows": 42, "cols": 5, "reward": "win", "start": "icelandic"}),
    ("dots_and_boxes", {"rows": 1, "cols": 42, "reward": "win"}),
    ("dots_and_boxes", {"rows": 42, "cols": 1, "reward": "win", "start": "swedish"}),
    ("gomoku", {"rows": 15, "cols": 15, "rule": "caro"}),
    ("gomoku", {"rows": 20, "cols": 20, "rule": "standard"}),
]


@settings(max_examples=50)
@given(games(), seeds)
@example(("connect_four", {"rows": 6, "cols": 7, "connect": 4}), 1)
@example(("gomoku", {"rows": 6, "cols": 6, "connect": 3, "rule": "caro"}), 2)
def test_random_games_go_as_in_the_reference(board, seed):
    assert_same_game(make_game(*board), seed)


@pytest.mark.thorough
@settings(max_examples=200)
@given(games(), seeds)
def test_many_random_games_go_as_in_the_reference(board, seed):
    assert_same_game(make_game(*board), seed)


@pytest.mark.parametrize(
    "board", LARGEST, ids=lambda board: "-".join(map(str, (board[0], *board[1].values())))
)
@pytest.mark.fast_cases(1)
def test_games_on_the_largest_boards_go_as_in_the_reference(board):
    game = make_game(*board)
    for seed in range(1 if game.facts.num_actions > 100 else 10):
        assert_same_game(game, seed)


@settings(max_examples=60)
@given(games(), seeds)
def test_heuristics_value_positions_as_the_reference_does(board, seed):
    game, rng = make_game(*board), random.Random(seed)
    # its weights are those of windows of five
    if game.name == "gomoku" and game.rules.connect != 5:
        return
    position, reference, last = game.initial_position(), make_reference(game), None
    while not position.is_over:
        for index, heuristic in enumerate(game.declaration.heuristics):
            expected = reference_heuristic(game, heuristic)
            # held to what it should say of known positions, in a test of its own
            if expected is None:
                continue
            for player in (0, 1):
                assert r.evaluate(game.rules, position.record, player, index) == expected(
                    reference, player
                )
            if heuristic in ("threats", "windows", "lines"):
                assert expected(reference, 0) == -expected(reference, 1)
        last = next_action(rng, position.legal_actions(), last, game.facts.observation_shape[1])
        position.play(last)
        reference.play(last)


@pytest.mark.parametrize("name", game_names())
def test_random_actions_are_uniform_over_the_legal_ones(name):
    game = small_board(name)
    scratch, rng, draws = np.empty(game.facts.num_actions, np.int16), new_stream(7), 4000
    for plies in (0, 1, 2, 3):
        position, choose = game.initial_position(), random.Random(plies)
        for _ in range(plies):
            position.play(choose.choice(position.legal_actions()))
        if position.is_over:
            continue
        legal = position.legal_actions()
        drawn = [r.random_action(game.rules, position.record, rng, scratch) for _ in range(draws)]
        counts = np.array([drawn.count(action) for action in legal])
        assert counts.sum() == draws
        expected = draws / len(legal)
        # Pearson's statistic has mean len - 1 and variance 2 (len - 1); six standard deviations off
        # is no accident.
        assert ((counts - expected) ** 2 / expected).sum() < len(legal) - 1 + 6 * (
            2 * len(legal)
        ) ** 0.5


# Specifications whose rules decide the same games as those of another one.
TWINS = [
    (game, twin)
    for game in map(make_game, SMALL_VARIANTS)
    if (twin := Game(r.as_played(game.rules))) != game
]


@pytest.mark.parametrize(("game", "twin"), TWINS, ids=str)
def test_rules_that_are_played_the_same_differ_in_margins_alone(game, twin):
    margins = 0
    for seed in range(200):
        rng, one, two = random.Random(seed), game.initial_position(), twin.initial_position()
        while True:
            assert (one.to_move, one.returns) == (two.to_move, two.returns)
            assert one.legal_actions() == two.legal_actions()
            assert np.array_equal(one.observation(), two.observation())
            if one.is_over:
                break
            action = rng.choice(one.legal_actions())
            one.play(action)
            two.play(action)
        margins += r.margin(game.rules, one.record, 0) != r.margin(twin.rules, two.record, 0)
    assert margins > 0
