"""The connect-four solver: equal to full enumeration, published results, and itself."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from helpers import ROOT, random_position
from plyground import make_game
from plyground.agents.solvers import connect_four as solver_module
from plyground.agents.solvers.solver import make_solver, solve

POSITIONS = ROOT / "benchmarks" / "positions"
SMALL_BOARDS = [  # rows, cols, connect
    (3, 3, 3), (4, 4, 4), (2, 5, 2), (4, 3, 3), (3, 6, 3), (5, 3, 3), (1, 7, 3), (6, 2, 4),
    (3, 5, 4), (2, 6, 5), (7, 2, 3), (7, 2, 4), (1, 12, 6),
]  # fmt: skip


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


@pytest.mark.parametrize(
    ("cols", "rows", "result"),
    [
        (4, 4, 0), (5, 4, 0), (4, 5, 0), (5, 5, 0), (6, 4, -1), (4, 6, 0), (7, 4, 0), (6, 5, 0),
        (5, 6, 0),
        *(pytest.param(*board, marks=pytest.mark.slow)
          for board in ((8, 4, -1), (7, 5, 0), (6, 6, -1), (8, 5, 1))),
    ],
)  # fmt: skip
def test_empty_boards_have_the_published_results(cols, rows, result):
    start = make_game(f"connect_four:rows={rows},cols={cols}").initial_position()
    assert solve(start, weak=True, memory_mb=1024 if cols * rows > 32 else 256).result == result


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
        plies = int(rng.integers(first_ply, last_ply + 1))
        position = random_position(game, plies, int(rng.integers(1 << 30)))
        if not position.is_over:
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
    solver, other = make_solver(game, 256), make_solver(game, 256)
    for position in random_positions(game, np.random.default_rng(6), 25, ply, ply + 6):
        solution, expected = solver.solve(position), []
        for action in position.legal_actions():
            child = position.after(action)
            left = (game.facts.longest_game + 1 - position.ply) // 2
            won = int(child.returns[position.to_move]) * left
            expected.append(won if child.is_over else -other.solve(child).value)
        assert solution.value == max(expected)
        assert solver.solve(position.transformed(1)).value == solution.value
        end = game.position([*position.moves, *solution.principal_variation])
        stones_left = (game.facts.longest_game + 2 - end.ply) // 2
        assert end.is_over
        assert end.returns[position.to_move] * stones_left == solution.value


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
