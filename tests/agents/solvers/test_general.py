"""The general solver: equal to full enumeration in every game, to the games' own solvers, and sound
whatever the keys of positions are.
"""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from broken.games import Line
from helpers import ROOT, SMALL_VARIANTS, cached_by_position
from plyground import Game, make_agent, make_game
from plyground.agents.solvers.general import search
from plyground.agents.solvers.general.reach import reach_of
from plyground.agents.solvers.general.solver import GeneralSolver
from plyground.agents.solvers.solver import make_solver, solver_class_of
from plyground.agents.solvers.table import new_table
from plyground.envs import Facts, Parameter, declare_game
from plyground.envs import rules as r
from plyground.envs.game import load_position
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

MOST_COURSES = 1_000  # of the rest of a game that is enumerated
WITH_OWN_SOLVERS = [
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "connect_four:rows=4,cols=4",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=3,reward=margin",
    "hex:size=3",
    "hex:size=3,swap=yes",
    "hex:size=4",
    "othello:size=4",
    "othello:size=4,reward=margin",
    "tic_tac_toe",
    "tic_tac_toe:rows=4,cols=5,connect=4",
    "gomoku:size=4,connect=4",
]


class SolverOfAnyBoard(GeneralSolver):
    """Without the limit of courses: of every game late positions are within reach."""

    @classmethod
    def check_game(cls, game):
        """Refuse nothing."""


@cached_by_position
def enumerated(position):
    """The return of player 0 at the end under best play, by full enumeration."""
    if position.is_over:
        return position.returns[0]
    values = [enumerated(position.after(action)) for action in position.legal_actions()]
    return max(values) if position.to_move == 0 else min(values)


def for_mover(position, value):
    return value if position.to_move == 0 else -value


def enumerated_actions(position):
    """The value of every action for the side to move, by full enumeration."""
    return {
        action: for_mover(position, enumerated(position.after(action)))
        for action in position.legal_actions()
    }


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
@pytest.mark.fast_cases(6)
def test_late_positions_of_every_game_have_the_values_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(0)
    solver = SolverOfAnyBoard(game, 1)
    for _ in range(6):
        position = late_position(game, rng)
        solution = solver.solve(position, moves="all")
        assert solution.values == enumerated_actions(position)
        assert solution.value == max(solution.values.values())
        assert solution.best_action in solution.optimal_actions
        end = position.copy()
        for action in solution.principal_variation:
            end.play(action)
        assert end.is_over
        assert end.returns[position.to_move] == solution.value
        assert solver.solve(position).value == solution.value
        assert solver.solve(position, weak=True).result == np.sign(solution.value)


@pytest.mark.parametrize("count", [500, pytest.param(4520, marks=pytest.mark.thorough)])
def test_the_positions_of_tic_tac_toe_have_the_value_of_full_enumeration(count):
    game = make_game("tic_tac_toe")
    solver, positions = GeneralSolver(game, 1), positions_of(game)
    assert len(positions) == 4520  # of 5,478 those that are not over
    sample = random.Random(3).sample(positions, count)
    values = solver.solve_batch(sample)
    assert values.tolist() == [for_mover(each, enumerated(each)) for each in sample]


@pytest.mark.parametrize("spec", WITH_OWN_SOLVERS)
@pytest.mark.fast_cases(2)
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
        assert solver.action_values(same) == enumerated_actions(position)


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


def test_values_do_not_depend_on_the_size_of_the_table():
    game = make_game("dots_and_boxes:rows=2,cols=3,reward=margin")
    position = game.initial_position()
    small, large = GeneralSolver(game, 1), GeneralSolver(game, 64)
    assert small.action_values(position) == large.action_values(position)


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


@declare_game(
    name="halves",
    version=0,
    title="Halves",
    position=[("stones", np.int8), ("mover", np.int8)],
    parameters=(Parameter("stones", int, 4, "stones at first", 1, 9),),
)
class Halves(NamedTuple):
    """Each takes a stone in turn; who takes the last wins half a point."""

    stones: int = 4


@r.start.register_body(Halves)
def start(rules, position):
    position.stones, position.mover = rules.stones, 0


@r.legal_actions.register_body(Halves)
def legal_actions(rules, position, out):
    out[0] = 0
    return min(position.stones, 1)


@r.play.register_body(Halves)
def play(rules, position, action):
    position.stones -= 1
    position.mover = 1 - position.mover


@r.to_move.register_body(Halves)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Halves)
def is_over(rules, position):
    return position.stones == 0


@r.returns.register_body(Halves)
def returns(rules, position, player):
    if position.stones > 0:
        return 0.0
    return -0.5 if position.mover == player else 0.5


@r.key.register_body(Halves)
def key(rules, position):
    return np.uint64(2 * position.stones + position.mover)


@r.facts.register(Halves)
def facts(rules: Halves) -> Facts:
    return Facts(1, rules.stones, -0.5, 0.5, (1, 1, 1))


def test_returns_that_are_no_whole_numbers_are_refused():
    game = Game(Halves())
    with pytest.raises(SpecificationError, match="it needs integer returns"):
        GeneralSolver(game).solve(game.initial_position())


def test_a_game_that_goes_on_for_longer_than_it_declares_is_refused():
    game = Game(Line(fault="longest_game_too_short"))
    with pytest.raises(SpecificationError, match=r"goes on for more plies than the \d+ that it"):
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


IN_FRESH_PROCESSES = """
import json, sys
sys.path[:0] = sys.argv[1:]
import own_game
from plyground import Position, make_game
from plyground.agents.solvers.general.solver import GeneralSolver
from plyground.agents.solvers.solver import solve
answers = []
for spec in ("tic_tac_toe", "dots_and_boxes:rows=1,cols=2,reward=margin"):
    game = make_game(spec)
    solution = GeneralSolver(game, 1).solve(game.initial_position(), moves="all")
    answers.append([solution.value, solution.principal_variation, solution.nodes])
position = make_game("twenty_one").initial_position()
while not position.is_over:
    solution = solve(position, memory_mb=1)
    answers.append([21 - int(position.record.count), solution.value])
    position.play(0)
print(json.dumps(answers))
"""


@pytest.mark.thorough
def test_it_gives_the_same_answers_cold_warm_with_bounds_checks_and_interpreted(tmp_path):
    """Twenty-One is a game of a user's own: who leaves a multiple of four wins."""
    results = []
    # Without optimisation, which changes no check.
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}
    for more in ({}, {}, checked, {"NUMBA_DISABLE_JIT": "1"}):
        environment = os.environ | {"PLYGROUND_CACHE": str(tmp_path)} | more
        process = subprocess.run(
            [sys.executable, "-c", IN_FRESH_PROCESSES, str(ROOT / "examples")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(process.stdout)
    assert len(set(results)) == 1
    answers = json.loads(results[0])[2:]
    assert all(value == (1 if left % 4 else -1) for left, value in answers)
    assert len(answers) == 21


def test_a_copy_of_a_solver_solves():
    game = make_game("tic_tac_toe")
    solver = copy.deepcopy(GeneralSolver(game, 1))
    assert solver.solve(game.initial_position()).value == 0
