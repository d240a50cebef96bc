"""Solvers on several threads: the values of one thread, whatever they read and write at once."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from command_line import plyground
from helpers import ROOT
from plyground import make_agent, make_game
from plyground.agents.solvers import connect_four, parallel, solver, table
from plyground.agents.solvers.connect_four import search as connect_four_search
from plyground.agents.solvers.dots_and_boxes import search as dots_and_boxes_search
from plyground.agents.solvers.dots_and_boxes import table as dots_and_boxes_table
from plyground.agents.solvers.mnk import search as mnk_search
from plyground.agents.solvers.solver import make_solver, solve

pytestmark = pytest.mark.thorough

BOARDS = [
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=4",
    "tic_tac_toe:rows=4,cols=4,connect=3",
    "tic_tac_toe:rows=4,cols=4,connect=4",
]


@pytest.fixture
def short_slices(monkeypatch):
    """Threads join after a few positions, share small trees and take turns often.

    Returns the positions that each helper has visited in each search.
    """
    visits = []

    class CountedHelpers(parallel.Helpers):
        def __exit__(self, *error):
            super().__exit__(*error)
            visits.extend(int(each.state.nodes) for each in self.searches)

    monkeypatch.setattr(solver, "Helpers", CountedHelpers)
    for module in (parallel, solver):
        monkeypatch.setattr(module, "HELPER_PORTION", 50)
    for module in (connect_four_search, dots_and_boxes_search, mnk_search):
        monkeypatch.setattr(module, "LEAST_FREE", 5)
    return visits


def random_positions(game, count, most_plies, seed=1):
    rng = random.Random(seed)
    for _ in range(count):
        position = game.initial_position()
        for _ in range(rng.randrange(most_plies)):
            child = position.after(rng.choice(position.legal_actions()))
            if not child.is_over:
                position = child
        yield position


@pytest.mark.parametrize("spec", BOARDS)
@pytest.mark.parametrize("threads", [2, 4])
def test_values_are_those_of_one_thread(spec, threads, short_slices):
    game = make_game(spec)
    alone, together = make_solver(game, 4), make_solver(game, 4, threads)
    for position in random_positions(game, 8, 6):
        expected = alone.solve(position, moves="all")
        together.clear()
        solution = together.solve(position, moves="all")
        assert solution.exact
        assert (solution.values, solution.value) == (expected.values, expected.value)
        together.clear()
        assert together.solve(position).best_action in expected.optimal_actions
    assert sum(short_slices) > 0


def test_threads_that_overwrite_each_others_entries_find_the_same_values(short_slices, monkeypatch):
    specs = [spec for spec in BOARDS if not spec.startswith("dots")]
    alone = {spec: make_solver(make_game(spec), 4) for spec in specs}
    monkeypatch.setattr(table, "entries_within", lambda *_: 8)
    for spec in specs:
        together = make_solver(make_game(spec), 1, 3)
        positions = list(random_positions(alone[spec].game, 12, 8, seed=2))
        assert (
            together.solve_batch(positions).tolist() == alone[spec].solve_batch(positions).tolist()
        )


def test_two_entries_of_one_position_in_a_bucket_are_not_merged():
    """Threads that store a position at the same time each take a slot of their own."""
    shared, boxes, key = dots_and_boxes_table.new_table(1, 40), 16, np.uint64(12345 << 20)
    entries = shared.buckets[dots_and_boxes_table.bucket_of(shared, key)].entries
    words = []
    for lower, upper in ((-14, 16), (-12, 16)):
        entries[:] = 0
        dots_and_boxes_table.store(shared, key, boxes, lower, upper, 10)
        words.append(int(entries[0]))
    entries[2], entries[5] = words
    assert dots_and_boxes_table.probe(shared, key, boxes) == (-12, 16)


def test_one_thread_visits_the_same_positions_each_time_and_several_are_no_fixed_choice():
    assert make_agent("solver").deterministic
    assert not make_agent("solver:threads=2").deterministic
    assert not make_agent("solver:threads=all").deterministic
    position = make_game("connect_four:rows=4,cols=4").initial_position()
    assert solve(position).nodes == solve(position, threads=1).nodes
    assert solve(position, threads="all").value == solve(position).value


def test_a_search_of_several_threads_keeps_to_its_limits_and_goes_on(short_slices):
    game = make_game("connect_four")
    together = make_solver(game, 16, 2)
    position = game.position([3, 3, 3, 3, 3, 2, 2, 4, 4])
    early = together.solve(position, most_nodes=1000)
    assert not early.exact
    assert 1000 <= early.nodes < 100_000
    short = together.solve(position, time=0.01)
    assert short.lower <= short.upper


def test_a_stored_value_is_proved_where_no_best_column_is(monkeypatch):
    line = (ROOT / "benchmarks/positions/connect_four_begin_hard.txt").read_text().splitlines()[0]
    moves, value = line.split()
    position = make_game("connect_four").position([int(digit) - 1 for digit in moves])

    class Openings:
        """Knows this position alone, as the last ply of a file does."""

        def value(self, own, opp):
            return int(value)

        def best_column(self, own, opp, value):
            return None

    monkeypatch.setattr(
        connect_four, "openings_of", lambda rules, ply: Openings() if ply == position.ply else None
    )
    for moves in ("best", "all"):
        solution = make_solver(position.game, 1).solve(position, moves=moves, most_nodes=1)
        assert (solution.value, solution.optimal_actions) == (int(value), ())
        assert not solution.exact
        assert not solution.optimal_complete
        assert solution.lower == solution.upper == int(value)
        assert solution.principal_variation == (solution.best_action,)
    assert solution.values == {}


@pytest.mark.parametrize(
    ("agent", "spec"),
    [("solver", "solver:threads=all"), ("solver:threads=1", "solver"), ("random", "random")],
)
def test_an_analysis_uses_all_processors_unless_it_is_told_otherwise(agent, spec):
    result = plyground(f"analyse tic_tac_toe --moves a1,b2 --json --agent {agent}")
    assert json.loads(result.stdout)["agent"] == spec


def test_the_command_takes_a_number_of_threads():
    line = "solve tic_tac_toe:size=4 --json --threads"
    assert json.loads(plyground(f"{line} 2").stdout)["value"] == 0
