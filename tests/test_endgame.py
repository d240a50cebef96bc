"""Searching agents that hand their endgames to the exact solver."""

from __future__ import annotations

import random

import pytest
from plyground import make_agent, make_game
from plyground.agents.solver import solve
from plyground.envs.specification import SpecificationError


@pytest.mark.parametrize("spec", ["connect_four:rows=4,cols=5", "dots_and_boxes:rows=2,cols=2", "tic_tac_toe"])
@pytest.mark.parametrize("name", ["alphabeta:depth=1", "mcts:simulations=5"])
def test_once_few_enough_plies_are_left_play_is_perfect(spec, name):
    game, rng = make_game(spec), random.Random(3)
    agent = make_agent(f"{name},endgame=8")
    for _ in range(8):
        position = game.initial_position()
        while not position.is_over and game.facts.longest_game - _plies(position) > 8:
            position.play(rng.choice(position.legal_actions()))
        if position.is_over:
            continue
        decision = agent.analyse(position)
        assert decision.exact
        assert decision.action in solve(position, moves="all").optimal_actions


def _plies(position):
    return int(position.record.drawn if position.game.name == "dots_and_boxes" else position.record.ply)


def test_before_that_the_agent_searches_as_ever():
    position = make_game("connect_four").initial_position()
    with_solver, without = make_agent("alphabeta:depth=4,endgame=10"), make_agent("alphabeta:depth=4")
    assert with_solver.analyse(position).nodes == without.analyse(position).nodes


def test_a_game_without_solver_is_refused():
    with pytest.raises(SpecificationError, match="no exact solver for gomoku"):
        make_agent("mcts:endgame=10", game="gomoku")
