"""Wins by threats of fours: found by the option ``threes``, and true."""

from __future__ import annotations

import pytest
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver

SMALL = "gomoku:size=6,connect=4"


def decision(options: str, spec: str, moves: str):
    game = make_game(spec)
    return make_agent(f"gomoku:depth=1{options}", game).analyse(game.position(moves.split(",")))


@pytest.mark.parametrize("rule", ["freestyle", "caro"])
def test_a_fork_of_two_threes_is_a_win_in_five_plies(rule):
    case = f"gomoku:rule={rule}", "f8,a1,g8,c1,h9,a3,h10,c3"
    assert decision("", *case).mate_in is None
    choice = decision(",threes=20000", *case)
    assert (make_game(case[0]).action_to_text(choice.action), choice.mate_in) == ("h8", 5)


@pytest.mark.parametrize(
    "moves", ["a2,d2,e2,b1,a5,a3", "a4,a5,a3,c6,d5,b1,b2,a1,f2,c1", "f3,d2,a1,b5,b3,e2,c5,f5"]
)
@pytest.mark.fast_cases(2)
def test_the_exact_solver_agrees_that_it_is_won(moves):
    assert decision("", SMALL, moves).mate_in is None
    choice = decision(",threes=20000", SMALL, moves)
    assert choice.mate_in > 5
    game = make_game(SMALL)
    after = game.position(moves.split(",")).after(choice.action)
    assert make_solver(game, 16).solve(after, time=60).result == -1


def test_the_search_ends_with_its_moves():
    assert decision(",threes=1", "gomoku", "f8,a1,g8,c1,h9,a3,h10,c3").mate_in is None
