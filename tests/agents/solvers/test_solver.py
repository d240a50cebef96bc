"""The solver as a function and as an agent, for every game: results, refusals, time, memory."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time as clock

import pytest
from helpers import run_python
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import SolveInterrupted, make_solver, solve

pytestmark = pytest.mark.thorough

SMALL = [
    "connect_four:rows=4,cols=4",
    "dots_and_boxes:rows=2,cols=2",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "gomoku:rows=4,cols=4,connect=4",
    "othello:size=4",
    "hex:size=3",
    "hex:size=3,swap=yes",
    "breakthrough:rows=4,cols=3",
    "kalah:pits=3,seeds=2",
]
LARGE = [
    "connect_four:rows=7,cols=7",  # without stored openings
    "dots_and_boxes:rows=4,cols=4",
    "tic_tac_toe:size=6",
    "othello",
    "hex:size=8",
    "kalah",
]


@pytest.mark.parametrize("spec", SMALL)
def test_a_batch_gives_the_values_of_its_positions_as_objects_and_as_records(spec):
    game = make_game(spec)
    positions = [
        game.initial_position().after(action) for action in game.initial_position().legal_actions()
    ]
    solver = make_solver(game)
    values = [solve(position).value for position in positions]
    assert solver.solve_batch(positions).tolist() == values
    assert solver.solve_batch(solver.records_of(positions)).tolist() == values
    assert solver.solve_batch(positions, weak=True).tolist() == [
        solve(position).result for position in positions
    ]


@pytest.mark.parametrize("spec", LARGE)
def test_a_time_limit_gives_the_bounds_proved_until_then_and_a_legal_action(spec, monkeypatch):
    ticks = itertools.count()  # a clock that advances by a second each time it is read
    monkeypatch.setattr(clock, "perf_counter", lambda: float(next(ticks)))
    position = make_game(spec).initial_position()
    reports = []
    solution = solve(position, time=6, progress=reports.append, memory_mb=64)
    assert 1 < len(reports) < 8
    assert 0 < solution.nodes <= len(reports) * 2**18  # the largest slice
    assert not solution.exact
    assert solution.value is None
    assert solution.lower < solution.upper
    assert position.is_legal(solution.best_action)
    assert reports
    assert reports[-1].nodes <= solution.nodes
    assert (reports[-1].lower, reports[-1].upper) == (solution.lower, solution.upper)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
def test_ctrl_c_hands_over_the_bounds_proved_until_then():
    game = make_game(LARGE[0])
    solver = make_solver(game, 64)
    solver.solve(game.initial_position(), time=0.01)  # compiles, which Ctrl-C ends too
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(SolveInterrupted) as interrupt:
        solver.solve(game.initial_position(), time=60)
    assert isinstance(interrupt.value, KeyboardInterrupt)
    assert interrupt.value.solution.seconds > 0


@pytest.mark.parametrize("spec", LARGE)
def test_after_an_interrupt_the_bounds_are_handed_over_and_the_solver_solves_on(spec):
    def press_ctrl_c(progress):
        raise KeyboardInterrupt

    game = make_game(spec)
    solver, line, position = make_solver(game, 64), [], game.initial_position()
    with pytest.raises(SolveInterrupted) as interrupt:
        solver.solve(position, progress=press_ctrl_c)
    solution = interrupt.value.solution
    assert not solution.exact
    assert solution.lower < solution.upper
    assert position.is_legal(solution.best_action)
    while not position.is_over:
        line.append(position.copy())
        position.play(position.legal_actions()[-1])
    late = line[-8]
    assert solver.solve(late).value == make_solver(game, 64).solve(late).value


@pytest.mark.parametrize(
    "spec", ["connect_four:rows=4,cols=6", "dots_and_boxes:rows=3,cols=4", "tic_tac_toe:size=4"]
)
def test_a_cleared_solver_searches_as_a_new_one(spec):
    game = make_game(spec)
    solver = make_solver(game, 8)
    first = solver.solve(game.initial_position())
    assert solver.solve(game.initial_position()).nodes < first.nodes / 2
    solver.clear()
    assert solver.solve(game.initial_position()).nodes == first.nodes


PEAK_MEMORY = """
import sys
from pathlib import Path
from plyground import make_game
from plyground.agents.solvers.solver import make_solver
def peak():  # MiB; getrusage would count what the process had before it became this one
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
game = make_game(sys.argv[1])
make_solver(game, 1).solve(game.initial_position(), time=0.5)  # loads kernels
before = peak()
solver = make_solver(game, 128)
solver.solve(game.initial_position(), time=float(sys.argv[2]))
print(peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("spec", LARGE[:4])  # one of each kind of table
def test_memory_stays_within_what_was_asked(spec):
    for seconds in ("0.1", "2"):  # compiling, the first time, takes memory of its own
        peak = run_python("-c", PEAK_MEMORY, spec, seconds)
    assert 16 < float(peak) <= 128 + 8


@pytest.mark.parametrize("spec", SMALL)
def test_the_agent_plays_an_optimal_action_and_says_that_it_is_proved(spec):
    position = make_game(spec).initial_position()
    solution = solve(position, moves="all")
    for options in ("", ":moves=all", ":memory=8,time=20"):
        decision = make_agent(f"solver{options}").analyse(position)
        assert decision.exact, options
        assert decision.value == solution.result, options
        assert decision.action in solution.optimal_actions, options
        assert decision.nodes > 0, options
    assert make_agent("solver:moves=all").analyse(position).values.keys() == solution.values.keys()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"moves": "some"}, "moves must be 'best' or 'all'"),
        ({"time": 0}, "positive number of seconds"),
        ({"memory_mb": 0}, "memory must be"),
    ],
)
def test_options_that_are_not_possible_are_refused(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        solve(make_game("connect_four").position([3, 3]), **options)


def test_positions_that_a_solver_does_not_take_are_refused():
    solver = make_solver(make_game("connect_four"))
    with pytest.raises(ValueError, match="the game is over"):
        solver.solve(solver.game.position([0, 1, 0, 1, 0, 1, 0]))
    with pytest.raises(ValueError, match="made for connect_four,"):
        solver.solve(make_game("connect_four:rows=4,cols=4").initial_position())
    with pytest.raises(ValueError, match="records of connect_four"):
        solver.solve_batch(make_game("tic_tac_toe").new_records(2))
