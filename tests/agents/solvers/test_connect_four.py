"""The connect-four solver: equal to full enumeration, published results, and itself."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import ROOT
from plyground import make_game
from plyground.agents.solvers import connect_four as solver_module
from plyground.agents.solvers.solver import make_solver, solve
from plyground.envs.specification import SpecificationError

POSITIONS = ROOT / "benchmarks" / "positions"
SMALL_BOARDS = [
    (3, 3, 3),
    (4, 4, 4),
    (2, 5, 2),
    (4, 3, 3),
    (3, 6, 3),
    (5, 3, 3),
    (1, 7, 3),
    (6, 2, 4),
    (3, 5, 4),
    (2, 6, 5),
    (7, 2, 3),
    (7, 2, 4),
    (1, 12, 6),
]  # rows, cols, connect


@functools.cache
def enumerated_values(rows, cols, connect):
    """Minimax values of all positions reachable, by (own stones, opponent's stones), games that are
    over left out: no pruning, no symmetry.
    """
    height = rows + 1
    values = {}

    def wins(stones):
        for step in (1, height - 1, height, height + 1):
            run = stones
            for i in range(1, connect):
                run &= stones >> (step * i)
            if run:
                return True
        return False

    def value_of(own, opp, stones):
        if (own, opp) in values:
            return values[own, opp]
        best = -rows * cols
        for column in range(cols):
            bottom = 1 << (column * height)
            cell = ((own | opp) + bottom) & (bottom * ((1 << rows) - 1))
            if not cell:
                continue
            if wins(own | cell):
                value = (rows * cols + 1 - stones) // 2
            elif stones + 1 == rows * cols:
                value = 0
            else:
                value = -value_of(opp, own | cell, stones + 1)
            best = max(best, value)
        values[own, opp] = best
        return best

    value_of(0, 0, 0)
    return values


def records_of_stones(game, stones):
    """Position records with these (own, opponent's) stones."""
    owns, opps = (np.array([pair[side] for pair in stones], np.uint64) for side in range(2))
    counts = np.bitwise_count(owns) + np.bitwise_count(opps)
    records = np.zeros(len(stones), game.declaration.dtype).view(np.recarray)
    rows, mover = np.arange(len(stones)), counts.astype(np.int64) & 1
    records["stones"][rows, mover] = owns
    records["stones"][rows, 1 - mover] = opps
    records["ply"] = counts
    records["winner"] = -1
    return records


@pytest.mark.parametrize(("rows", "cols", "connect"), SMALL_BOARDS)
@pytest.mark.fast_cases(1)
def test_every_value_equals_full_enumeration(rows, cols, connect):
    values = enumerated_values(rows, cols, connect)
    game = make_game(f"connect_four:rows={rows},cols={cols},connect={connect}")
    sample = list(values)
    np.random.default_rng(4).shuffle(sample)
    sample = [(0, 0), *sample[:20000]]
    records = records_of_stones(game, sample)
    expected = np.array([values[each] for each in sample])
    np.testing.assert_array_equal(make_solver(game, 16).solve_batch(records), expected)
    np.testing.assert_array_equal(
        make_solver(game, 16).solve_batch(records, weak=True), np.sign(expected)
    )


def test_best_actions_and_action_values_equal_full_enumeration():
    values = enumerated_values(4, 4, 4)
    game = make_game("connect_four:rows=4,cols=4")
    solver, rng = make_solver(game, 16), np.random.default_rng(5)
    for _ in range(60):
        position = game.initial_position()
        for _ in range(rng.integers(12)):
            following = position.after(int(rng.choice(position.legal_actions())))
            if following.is_over:
                break
            position = following
        solution = solver.solve(position, moves="all")
        mover = position.to_move
        for action in position.legal_actions():
            child = position.after(action)
            if child.is_over:
                expected = int(child.returns[mover]) * ((17 - position.record.ply) // 2)
            else:
                expected = -values[
                    int(child.record.stones[1 - mover]), int(child.record.stones[mover])
                ]
            assert solution.values[action] == expected
        assert solver.solve(position).best_action in solution.optimal_actions
        weak = solver.solve(position, weak=True)
        assert np.sign(solution.values[weak.best_action]) == weak.result == np.sign(solution.value)


# Width x height and who wins: Tromp, "John's Connect Four Playground".
@pytest.mark.parametrize(
    ("cols", "rows", "result"),
    [
        (4, 4, 0),
        (5, 4, 0),
        (4, 5, 0),
        (5, 5, 0),
        (6, 4, -1),
        (4, 6, 0),
        (7, 4, 0),
        (6, 5, 0),
        (5, 6, 0),
        pytest.param(8, 4, -1, marks=pytest.mark.slow),
    ],
)
def test_empty_boards_have_the_published_results(cols, rows, result):
    assert (
        solve(
            make_game(f"connect_four:rows={rows},cols={cols}").initial_position(), weak=True
        ).result
        == result
    )


@pytest.mark.slow
@pytest.mark.parametrize(("cols", "rows", "result"), [(7, 5, 0), (6, 6, -1), (8, 5, 1)])
def test_larger_empty_boards_have_the_published_results(cols, rows, result):
    assert (
        solve(
            make_game(f"connect_four:rows={rows},cols={cols}").initial_position(),
            weak=True,
            memory_mb=1024,
        ).result
        == result
    )


@pytest.mark.slow
def test_the_first_moves_of_the_standard_board_have_the_published_values(monkeypatch):
    """Columns a to g: −2, −1, 0, +1, 0, −1, −2 (Pons, connect4.gamesolver.org)."""
    monkeypatch.setattr(solver_module, "openings_of", lambda rules, ply: None)  # by search
    solution = solve(make_game("connect_four").initial_position(), moves="all", memory_mb=2048)
    assert list(solution.values.values()) == [-2, -1, 0, 1, 0, -1, -2]
    assert solution.best_action == 3
    # the first player wins with its 21st stone, the last but one of all
    assert len(solution.principal_variation) == 41


def random_positions(game, rng, count, first_ply, last_ply):
    positions = []
    while len(positions) < count:
        position = game.initial_position()
        for _ in range(rng.integers(first_ply, last_ply + 1)):
            position.play(int(rng.choice(position.legal_actions())))
            if position.is_over:
                break
        else:
            positions.append(position)
    return positions


@pytest.mark.parametrize(
    ("spec", "ply"),
    [
        ("connect_four", 24),
        ("connect_four:rows=7,cols=8", 40),
        ("connect_four:rows=6,cols=7,connect=3", 4),
        ("connect_four:connect=5", 28),
        ("connect_four:rows=29,cols=2", 40),
        ("connect_four:rows=2,cols=20", 26),
        ("connect_four:rows=1,cols=32,connect=9", 22),
    ],
)
def test_the_value_is_the_best_over_the_actions_and_the_mirror_image_has_the_same(spec, ply):
    game = make_game(spec)
    rng = np.random.default_rng(6)
    solver, other = make_solver(game, 256), make_solver(game, 256)
    for position in random_positions(game, rng, 25, ply, ply + 6):
        value = solver.solve(position).value
        expected = []
        for action in position.legal_actions():
            child = position.after(action)
            if child.is_over:
                expected.append(
                    int(child.returns[position.to_move])
                    * ((game.facts.longest_game + 1 - position.record.ply) // 2)
                )
            else:
                expected.append(-other.solve(child).value)
        assert value == max(expected)
        assert solver.solve(position.transformed(1)).value == value
        line = solver.solve(position).principal_variation
        end = position.copy()
        for action in line:
            end.play(action)
        stones_left = (game.facts.longest_game + 1 - (int(end.record.ply) - 1)) // 2
        assert end.is_over
        assert end.returns[position.to_move] * stones_left == value


@pytest.mark.parametrize(
    ("name", "count"),
    [("end_easy", 1000), ("middle_easy", 1000), ("middle_medium", 100), ("begin_easy", 100)],
)
def test_the_positions_of_the_benchmark_have_the_values_in_its_files(name, count):
    game = make_game("connect_four")
    lines = (POSITIONS / f"connect_four_{name}.txt").read_text().split("\n")[:-1][:count]
    positions = [game.position([int(digit) - 1 for digit in line.split()[0]]) for line in lines]
    assert positions
    assert make_solver(game, 64).solve_batch(positions).tolist() == [
        int(line.split()[1]) for line in lines
    ]


def test_a_table_that_is_far_too_small_gives_the_same_values():
    game = make_game("connect_four")
    positions = random_positions(game, np.random.default_rng(7), 30, 18, 24)
    np.testing.assert_array_equal(
        make_solver(game, 1).solve_batch(positions), make_solver(game, 64).solve_batch(positions)
    )


def test_a_memory_too_small_for_the_keys_of_a_board_is_refused():
    with pytest.raises(SpecificationError, match=r"memory=16 is not enough .* at least 256 MiB"):
        make_solver(make_game("connect_four:rows=7,cols=8"), 16)


SEARCH_ONE_POSITION = """
import json
from plyground import make_game
from plyground.agents.solvers.solver import solve
solution = solve(make_game("connect_four:rows=4,cols=4").position([0]), moves="all", memory_mb=1)
line = list(solution.principal_variation)
print(json.dumps([list(solution.values.values()), solution.nodes, line]))
"""


@pytest.mark.thorough
def test_the_kernels_search_alike_compiled_and_interpreted():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", SEARCH_ONE_POSITION]
    runs = [
        subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        for env in (environment, dict(os.environ))
    ]
    assert json.loads(runs[0].stdout) == json.loads(runs[1].stdout)
