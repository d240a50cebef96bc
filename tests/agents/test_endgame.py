"""Searching agents that hand their endgames to the exact solver."""

from __future__ import annotations

import random

import pytest
from helpers import SMALL_GAMES
from plyground import make_agent, make_game
from plyground.agents.compiled_opponents import compiled_form
from plyground.agents.solvers.solver import make_solver
from plyground.envs.specification import SpecificationError
from reference.search import alphabeta


@pytest.mark.parametrize(
    "spec",
    ["connect_four:rows=4,cols=5", "othello:size=4", "dots_and_boxes:rows=2,cols=2", "tic_tac_toe"],
)
@pytest.mark.parametrize("name", ["alphabeta:depth=1", "mcts:simulations=5"])
@pytest.mark.fast_cases(1)
def test_once_few_enough_plies_are_left_play_is_perfect(spec, name):
    game, rng = make_game(spec), random.Random(3)
    agent, solver = make_agent(f"{name},endgame=8"), make_solver(game, 1)
    for _ in range(8):
        position = game.initial_position()
        while not position.is_over and solver.plies_left(position) > 8:
            position.play(rng.choice(position.legal_actions()))
        if position.is_over:
            continue
        decision = agent.analyse(position)
        assert decision.exact
        assert decision.action in solver.solve(position, moves="all").optimal_actions


def test_before_that_the_agent_searches_as_ever():
    position = make_game("connect_four").initial_position()
    with_solver, without = (make_agent(f"alphabeta:depth=4{more}") for more in (",endgame=10", ""))
    assert with_solver.analyse(position).nodes == without.analyse(position).nodes


@pytest.mark.parametrize(
    "spec",
    ["connect_four:rows=7,cols=8", "othello", "dots_and_boxes:rows=4,cols=4", "gomoku:size=7"],
)
@pytest.mark.parametrize("name", ["alphabeta:depth=1", "mcts:simulations=5"])
@pytest.mark.fast_cases(1)
def test_endgame_solver_means_what_the_solver_of_the_game_solves_at_once(spec, name):
    game, rng = make_game(spec), random.Random(4)
    agent, solver = make_agent(f"{name},endgame=solver"), make_solver(game, 256)
    plies = solver.plies_at_once
    position, count = game.initial_position(), 0
    while not position.is_over:
        left = solver.plies_left(position)
        decision = agent.analyse(position)
        if left == plies + 1:
            assert decision.nodes == make_agent(name).analyse(position).nodes
        if left <= plies:
            assert decision.exact
            assert decision.action in solver.solve(position, moves="all").optimal_actions
            count += 1
        position.play(rng.choice(position.legal_actions()))
        if position.is_over and not count:
            position = game.initial_position()
    assert count


def test_endgame_takes_a_number_or_the_word_solver():
    assert make_agent("mcts:endgame=12").options["endgame"] == 12
    assert make_agent("mcts:endgame=solver").spec == "mcts:endgame=solver"
    with pytest.raises(
        SpecificationError, match="endgame must be a whole number from 0 to 400, or solver"
    ):
        make_agent("mcts:endgame=always")
    assert compiled_form(make_agent("alphabeta:depth=2,endgame=solver")) is None
    assert compiled_form(make_agent("alphabeta:depth=2")) is not None


# -- lost endings, searched to their end --


@pytest.mark.parametrize("spec", SMALL_GAMES)
@pytest.mark.fast_cases(2)
def test_a_lost_ending_is_lost_as_late_and_by_as_little_as_can_be(spec):
    agent, lost = make_agent("alphabeta:depth=60"), 0
    rng, game = random.Random(5), make_game(spec)
    for _ in range(60):
        line, position = [], game.initial_position()
        while not position.is_over:
            line.append(position.copy())
            position.play(rng.choice(position.legal_actions()))
        position = line[-min(rng.randint(2, 5), len(line))]
        decision = agent.analyse(position)
        if decision.value >= 0:
            continue
        lost += 1
        children = {each: position.after(each) for each in position.legal_actions()}
        values = {
            each: alphabeta(child, 60, position.to_move, -1, ply=1)[0]
            for each, child in children.items()
        }
        assert values[decision.action] == max(values.values())
    assert lost >= 3
