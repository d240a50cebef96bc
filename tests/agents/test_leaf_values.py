"""Exact values of leaves: those of the solvers, and what self-play makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.agents.solvers.leaf import UNSOLVED, leaf_value, new_leaf_solver
from plyground.agents.solvers.solver import make_solver
from self_play.forest import Oracle, options, play_until, self_play

pytestmark = pytest.mark.thorough

BOARDS = [
    ("connect_four", 14),
    ("connect_four:rows=4,cols=5", 20),
    ("dots_and_boxes:rows=2,cols=3", 17),
    ("dots_and_boxes:rows=3,cols=3,reward=margin", 12),
    ("othello:size=4", 10),
    ("othello:size=6,reward=margin", 8),
]


def positions_near_the_end(game, solver, plies, count):
    """Positions of random games, not over, with at most so many plies to go."""
    random, positions = np.random.default_rng(3), []
    while len(positions) < count:
        position = game.initial_position()
        while not position.is_over:
            if solver.plies_left(position) <= plies and random.random() < 0.3:
                positions.append(position.copy())
            position.play(int(random.choice(position.legal_actions())))
    return positions


@pytest.mark.parametrize(("spec", "plies"), BOARDS)
def test_leaves_have_the_solver_s_value(spec, plies):
    game = make_game(spec)
    solver, leaf_solver = make_solver(game, 64), new_leaf_solver(game)
    assert leaf_solver.most >= plies
    for position in positions_near_the_end(game, solver, plies, 60):
        value, left = leaf_value(game.rules, leaf_solver, position.record, plies)
        solution = solver.solve(position)
        expected = solver.expected_return(position, solution.value)
        assert value == (1 - 2 * position.to_move) * expected
        assert 0 < left <= plies
        too_far = solver.plies_left(position) - 1
        assert leaf_value(game.rules, leaf_solver, position.record, too_far)[1] == UNSOLVED


def test_the_plies_to_the_end_are_those_of_best_play():
    game = make_game("connect_four")
    solver, leaf_solver = make_solver(game, 64), new_leaf_solver(game)
    for position in positions_near_the_end(game, solver, 14, 60):
        _, left = leaf_value(game.rules, leaf_solver, position.record, 14)
        assert left == len(solver.solve(position).principal_variation)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four:rows=8,cols=8", "dots_and_boxes"])
def test_boards_without_a_leaf_solver_know_nothing(spec):
    game = make_game(spec)
    leaf_solver = new_leaf_solver(game)
    assert leaf_solver.most == 0
    record = game.initial_position().record
    assert leaf_value(game.rules, leaf_solver, record, 0)[1] == UNSOLVED


@pytest.mark.parametrize(
    ("spec", "discount"),
    [("connect_four:rows=4,cols=5", 0.99), ("dots_and_boxes:rows=2,cols=2,reward=margin", 1.0)],
)
def test_self_play_learns_perfect_play_where_leaves_are_solved(spec, discount):
    game, plies = make_game(spec), 12
    solver = make_solver(game, 64)
    play = self_play(game, options(game, discount, opening_plies=6, solved_plies=plies))
    play_until(game, play, Oracle(game), lambda: play.tally[0].games >= 12)
    solved = 0
    for index in range(int(play.samples.count[0])):
        position = game.position_from_observation(play.samples.observations[index])
        if solver.plies_left(position) > plies:
            continue
        solved += 1
        assert play.samples.marks[index].exact
        policy = play.samples.policies[index]
        solution = solver.solve(position, moves="all")
        assert set(np.flatnonzero(policy)) <= set(solution.optimal_actions)
        result = solver.expected_return(position, solution.value) / game.facts.max_return
        root = play.samples.marks[index].root
        assert np.sign(root) == np.sign(result)
        if discount == 1.0:
            assert root == pytest.approx(result)
    assert solved > 30
