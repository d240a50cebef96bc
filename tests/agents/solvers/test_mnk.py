"""The m,n,k solver: equal to full enumeration, to known results, and consistent with itself."""

from __future__ import annotations

import random

import helpers
import pytest
from helpers import best_of_mover, cached_by_position, worth_of_actions
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver, solve

pytestmark = pytest.mark.thorough

SMALL = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "tic_tac_toe:rows=2,cols=5,connect=3",
    "tic_tac_toe:rows=4,cols=3,connect=2",
    "gomoku:rows=3,cols=4,connect=3",
    "gomoku:size=3,connect=3,rule=caro",
]


def random_position(game, rng, most_left):
    """A position with at most so many free cells that is not over."""
    while True:
        plies = game.facts.num_actions - rng.randrange(1, most_left + 1)
        position = helpers.random_position(game, plies, rng.randrange(1 << 30))
        if not position.is_over:
            return position


@pytest.mark.parametrize("spec", SMALL)
def test_every_position_met_in_random_games_has_the_value_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(0)
    solver = make_solver(game, 1)
    for _ in range(150):
        position = random_position(game, rng, min(9, game.facts.num_actions))
        solution = solver.solve(position)
        assert (solution.value, solution.exact) == (best_of_mover(position), True)
        assert worth_of_actions(position)[solution.best_action] == solution.value


@pytest.mark.parametrize(
    "spec",
    [
        "tic_tac_toe:size=4", "tic_tac_toe:rows=4,cols=5,connect=4",
        "tic_tac_toe:rows=5,cols=5,connect=4", "gomoku:size=7", "gomoku:rows=6,cols=7,connect=4",
        "gomoku:size=5,rule=standard", "gomoku:size=5,rule=caro_overline",
    ],
)  # fmt: skip
def test_late_positions_of_larger_boards_have_the_value_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(1)
    solver = make_solver(game, 4)
    for _ in range(25):
        position = random_position(game, rng, 8)
        solution = solver.solve(position, moves="all")
        assert solution.value == best_of_mover(position)
        assert solution.values == worth_of_actions(position)


@pytest.mark.parametrize(
    ("spec", "result"),
    [
        ("tic_tac_toe", 0),
        ("tic_tac_toe:rows=3,cols=4,connect=3", 1),
        ("tic_tac_toe:size=4", 0),
        ("tic_tac_toe:rows=4,cols=5,connect=4", 0),
        ("tic_tac_toe:rows=5,cols=5,connect=4", 0),
        ("tic_tac_toe:rows=5,cols=6,connect=4", 1),
        pytest.param("tic_tac_toe:size=5", 0, marks=pytest.mark.slow),
        pytest.param("gomoku:size=5", 0, marks=pytest.mark.slow),
    ],
)
def test_empty_boards_have_the_results_the_literature_gives(spec, result):
    # van den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", 2002, table of
    # m,n,k games.
    assert solve(make_game(spec).initial_position()).value == result


def test_gomoku_is_solved_as_the_mnk_game_with_the_same_row():
    starts = [
        make_game(f"{name}:rows=4,cols=5,connect=4").initial_position()
        for name in ("gomoku", "tic_tac_toe")
    ]
    first, second = map(solve, starts)
    assert (first.value, first.nodes) == (second.value, second.nodes)
    assert first.principal_variation == second.principal_variation


@pytest.mark.parametrize("agent", ["solver:memory=4", "alphabeta:depth=1,endgame=20"])
@pytest.mark.parametrize("spec", SMALL[:2])
def test_in_a_lost_position_the_agent_holds_out_as_long_as_it_can(spec, agent):
    @cached_by_position
    def worth(position):  # 100 less the plies to a win; a loss is the other way round
        if position.is_over:
            return 100 * int(position.returns[position.to_move])
        best = max(-worth(position.after(action)) for action in position.legal_actions())
        return best - (best > 0) + (best < 0)

    game, rng, player = make_game(spec), random.Random(2), make_agent(agent)
    lost = []
    while len(lost) < 12:
        position = random_position(game, rng, 6)
        if worth(position) < 0 and len(position.legal_actions()) > 2:
            lost.append(position)
    for position in lost:
        decision = player.analyse(position)
        assert (decision.value, decision.exact) == (-1, True)
        assert -worth(position.after(decision.action)) + 1 == worth(position)
