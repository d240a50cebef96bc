"""The general solver: equal to full enumeration in every game, to the games' own solvers, and sound
whatever the keys of positions are.
"""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest
from broken.games import Line
from helpers import SMALL_VARIANTS, best_of_mover, worth_of_actions
from plyground import Game, make_agent, make_game
from plyground.agents.solvers.general import search
from plyground.agents.solvers.general.reach import reach_of
from plyground.agents.solvers.general.solver import GeneralSolver
from plyground.agents.solvers.solver import make_solver, solver_class_of
from plyground.agents.solvers.table import new_table
from plyground.envs.game import load_position
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

MOST_COURSES = 300  # of the rest of a game that is enumerated
WITH_OWN_SOLVERS = [
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "connect_four:rows=4,cols=4",
    "dots_and_boxes:rows=2,cols=3,reward=margin",
    "hex:size=3,swap=yes",
    "othello:size=4,reward=margin",
    "tic_tac_toe",
    "gomoku:size=4,connect=4",
]


class SolverOfAnyBoard(GeneralSolver):
    """Without the limit of courses: of every game late positions are within reach."""

    @classmethod
    def check_game(cls, game):
        """Refuse nothing."""


def late_position(game, rng, most_courses=MOST_COURSES):
    """A position of a random game whose rest has about so many courses at most."""
    line, position, courses = [], game.initial_position(), 1
    while not position.is_over:
        line.append(position.copy())
        position.play(rng.choice(position.legal_actions()))
    while len(line) > 1 and courses * len(line[-2].legal_actions()) <= most_courses:
        courses *= len(line.pop().legal_actions())
    return line[-1]


def positions_of(game):
    """All positions of a small game that are not over."""
    positions, waiting = {}, [game.initial_position()]
    while waiting:
        position = waiting.pop()
        if not position.is_over and position.record.tobytes() not in positions:
            positions[position.record.tobytes()] = position
            waiting += [position.after(action) for action in position.legal_actions()]
    return list(positions.values())


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_late_positions_of_every_game_have_the_values_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(0)
    solver = SolverOfAnyBoard(game, 1)
    for _ in range(6):
        position = late_position(game, rng)
        solution = solver.solve(position, moves="all")
        assert solution.values == worth_of_actions(position)
        assert solution.value == max(solution.values.values())
        assert solution.best_action in solution.optimal_actions
        end = position.copy()
        for action in solution.principal_variation:
            end.play(action)
        assert end.is_over
        assert end.returns[position.to_move] == solution.value
        assert solver.solve(position).value == solution.value
        assert solver.solve(position, weak=True).result == np.sign(solution.value)


def test_the_positions_of_tic_tac_toe_have_the_value_of_full_enumeration():
    game = make_game("tic_tac_toe")
    positions = positions_of(game)
    assert len(positions) == 4520  # of 5,478 those that are not over
    sample = random.Random(3).sample(positions, 500)
    values = GeneralSolver(game, 1).solve_batch(sample)
    assert values.tolist() == [*map(best_of_mover, sample)]


@pytest.mark.parametrize("spec", WITH_OWN_SOLVERS)
def test_every_action_has_the_value_that_the_games_own_solver_gives_it(spec):
    game, rng = make_game(spec), random.Random(1)
    own, general = make_solver(game), GeneralSolver(game, 64)
    for plies in (0, 1, 2, 3, 4):
        position = game.initial_position()
        for _ in range(plies):
            position.play(rng.choice(position.legal_actions()))
        assert general.action_values(position) == {
            action: own.expected_return(position, value)
            for action, value in own.action_values(position).items()
        }


# -- the table --


@pytest.mark.parametrize("fault", ["none", "key_ignores_cells", "key_ignores_colours"])
def test_positions_with_equal_keys_are_told_apart(fault):
    game = Game(Line(fault=fault))
    solver, positions = GeneralSolver(game, 1), positions_of(Game(Line()))
    for position in positions:
        same = load_position(game, position.record.tobytes())
        assert solver.action_values(same) == worth_of_actions(position)


@pytest.mark.parametrize("stored", [(0,), (1, 50)])
def test_a_position_that_the_table_cannot_hold_is_neither_stored_nor_mistaken(stored):
    game = make_game("tic_tac_toe")
    solver, position = GeneralSolver(game, 1), game.initial_position()
    values = solver.action_values(position)
    solver._stack, solver._table = search.new_stack(game, stored), new_table(1, 1 + len(stored))
    assert solver.action_values(position) == values


def test_the_words_of_records_that_no_game_uses_are_not_stored():
    assert reach_of(make_game("connect_four:rows=4,cols=4")).words == (0, 1, 2)
    small, large = (len(reach_of(make_game(f"tic_tac_toe:size={n}")).words) for n in (3, 6))
    assert small < large


# -- limits --


def test_a_search_that_was_stopped_gives_its_bounds_and_goes_on_from_them():
    game = make_game("connect_four:rows=5,cols=5")
    solver, position = GeneralSolver(game), game.initial_position()
    stopped = solver.solve(position, most_nodes=100_000)
    assert not stopped.exact
    assert (stopped.lower, stopped.upper) == (-1, 1)
    assert position.is_legal(stopped.best_action)
    whole = solver.solve(position)
    assert (whole.value, whole.exact) == (0, True)
    solver.clear()
    assert whole.nodes < solver.solve(position).nodes


def test_boards_with_too_many_courses_are_refused_with_the_limit():
    with pytest.raises(
        SpecificationError,
        match=r"gomoku is beyond the solver: it takes games with some 10\^45 courses at most, this "
        r"one has some 10\^2\d\d, by random games$",
    ):
        GeneralSolver(make_game("gomoku"))
    with pytest.raises(SpecificationError, match=r"rows \* \(cols \+ 1\) may be at most 64"):
        solver_class_of(make_game("gomoku"))  # its own solver refuses it, and no other steps in


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("longest_game_too_short", r"goes on for more plies than the \d+ that it"),
        ("returns_are_fractions", "it needs integer returns"),
    ],
)
def test_a_game_that_is_not_as_the_solver_takes_it_is_refused(fault, complaint):
    game = Game(Line(fault=fault))
    with pytest.raises(SpecificationError, match=complaint):
        GeneralSolver(game).solve(game.initial_position())


# -- in use --


def test_agents_use_it_for_a_game_without_a_solver_of_its_own():
    game, rng = Game(Line()), random.Random(2)
    solver, agent = make_solver(game), make_agent("solver", game)
    search = make_agent("alphabeta:depth=1,endgame=solver", game)
    assert isinstance(solver, GeneralSolver)
    for _ in range(20):
        position = late_position(game, rng)
        best = solver.solve(position, moves="all")
        decision = agent.analyse(position)
        assert decision.exact
        assert decision.value == best.value
        assert search.analyse(position).action in best.optimal_actions
        if best.value >= 0:  # else it resists as long as it can
            assert decision.action in best.optimal_actions


def test_a_copy_of_a_solver_solves():
    game = make_game("tic_tac_toe")
    solver = copy.deepcopy(GeneralSolver(game, 1))
    assert solver.solve(game.initial_position()).value == 0
