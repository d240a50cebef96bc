"""The dots-and-boxes solver: equal to full enumeration, to known values, and to itself."""

from __future__ import annotations

import numpy as np
import pytest
from plyground.agents.registry import make_agent
from plyground.agents.solvers.dots_and_boxes import DotsAndBoxesSolver, exact_value
from plyground.agents.solvers.dots_and_boxes import value_tables as tables
from plyground.agents.solvers.dots_and_boxes.chains import (
    AFTER_ADDING,
    BOXES,
    VALUE,
    make_collections,
)
from plyground.agents.solvers.dots_and_boxes.table import new_table
from plyground.agents.solvers.solver import (
    Monitor,
    make_solver,
    solve,
)
from plyground.envs.registry import make_game

pytestmark = pytest.mark.thorough

SMALL = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]


def game_of(rows: int, cols: int, **more: str):
    return make_game("dots_and_boxes", rows=rows, cols=cols, **more)


def searching_solver(rows: int, cols: int, **more: str) -> DotsAndBoxesSolver:
    """A solver that never looks a position up in a table of the whole board."""
    solver = make_solver(game_of(rows, cols, **more), 16)
    assert isinstance(solver, DotsAndBoxesSolver)
    solver._lookup = None
    return solver


def plain_value(position, values: dict[bytes, int]) -> int:
    """Minimax by the rules alone: the margin of the rest of the game for the side to move."""
    key = np.asarray(position.record.edges).tobytes()
    if key not in values:
        best = -1000 if not position.is_over else 0
        for action in position.legal_actions():
            after = position.after(action)
            gain = sum(after.record.score) - sum(position.record.score)
            value = plain_value(after, values)
            best = max(best, int(gain) + (value if after.to_move == position.to_move else -value))
        values[key] = best
    return values[key]


def value_by_search(solver: DotsAndBoxesSolver, free: int) -> int:
    bounds = solver._bounds(free, exact_value(), Monitor())
    assert bounds.lower == bounds.upper
    return bounds.lower


@pytest.mark.parametrize(
    ("rows", "cols"),
    [*SMALL, *(pytest.param(*board, marks=pytest.mark.slow) for board in ((1, 4), (1, 5), (2, 3)))],
)
def test_tables_equal_minimax_on_every_position(rows, cols):
    game, table = game_of(rows, cols), tables.value_table(rows, cols)
    cache: dict[bytes, int] = {}
    plain_value(game.initial_position(), cache)
    expected = {
        sum(int(edge) << i for i, edge in enumerate(np.frombuffer(key, np.int8))): value
        for key, value in cache.items()
    }
    assert len(expected) == table.size
    assert all(table[drawn] == value for drawn, value in expected.items())


@pytest.mark.parametrize(
    ("rows", "cols", "count"), [(2, 3, 3000), (3, 2, 1000), (1, 5, 1000), (3, 3, 1500)]
)
def test_search_equals_the_table_on_random_positions(rows, cols, count):
    """Positions with any number of edges drawn, reachable by sensible play or not."""
    solver, table = searching_solver(rows, cols), tables.value_table(rows, cols)
    edges = table.size.bit_length() - 1
    rng = np.random.default_rng(5)
    for share in rng.random(count):
        drawn = sum(1 << edge for edge in range(edges) if rng.random() < share)
        if drawn != table.size - 1:
            assert value_by_search(solver, table.size - 1 - drawn) == table[drawn], drawn


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (5, 5), (3, 9 - 1), (2, 12), (1, 21)])
def test_endgames_of_large_boards_equal_minimax(rows, cols):
    """The boards of more than 49 edges have no numbers for all collections of chains."""
    game, solver = game_of(rows, cols), searching_solver(rows, cols)
    rng = np.random.default_rng(7)
    for _ in range(6):
        drawn = rng.permutation(game.facts.num_actions)[: game.facts.num_actions - 9]
        position = game.position(drawn.tolist())
        assert solver.solve(position).value == plain_value(position, {})


LITERATURE = {
    "empty": {
        (1, 1): -1, (1, 2): 0, (1, 3): -1, (1, 4): 0, (1, 5): -1, (1, 6): 0,
        (2, 2): 2, (2, 3): -2, (3, 2): -2, (2, 4): 2, (3, 3): -3, (3, 4): 0,
    },
    "icelandic": {(2, 2): 2, (2, 3): 4, (3, 3): -1, (3, 4): 4},
    "swedish": {(2, 2): -4, (2, 3): 6, (3, 3): 7, (3, 4): 4, (4, 4): 0},
}  # fmt: skip


@pytest.mark.parametrize(
    ("start", "board", "value"),
    [(start, *entry) for start, boards in LITERATURE.items() for entry in boards.items()],
)
def test_values_of_the_literature(start, board, value):
    solver = searching_solver(*board, start=start)
    solution = solver.solve(solver.game.initial_position())
    assert (solution.value, solution.exact) == (value, True)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "cols", "value"), [(2, 5, -2), (2, 6, 2), (3, 5, -1)])
def test_values_of_larger_boards(rows, cols, value):
    assert solve(game_of(rows, cols).initial_position(), memory_mb=2048).value == value


@pytest.mark.slow
def test_4x4_is_a_draw_after_every_first_move():
    solution = solve(game_of(4, 4).initial_position(), moves="all", memory_mb=2048)
    assert solution.values == dict.fromkeys(range(40), 0)


def test_only_the_middle_wall_of_3x4_keeps_the_draw():
    game = game_of(3, 4)
    solution = solve(game.initial_position(), moves="all", memory_mb=128)
    best = [game.action_to_text(action) for action in solution.optimal_actions]
    assert best == ["v 0 2", "v 1 2", "v 2 2"]
    assert set(solution.values.values()) == {0, -2}


def test_among_moves_of_equal_result_weak_play_prefers_the_larger_margin_near_the_end():
    game = game_of(3, 4, reward="win")
    solver = make_solver(game, 16)
    rng = np.random.default_rng(3)
    for _ in range(20):
        position = game.position(rng.permutation(31)[: rng.integers(13, 29)].tolist())
        if not position.is_over:
            full = solver.solve(position, moves="all")
            assert solver.solve(position, weak=True).best_action in full.optimal_actions


@pytest.mark.parametrize(
    "drawn",
    [
        (35, 17, 14, 23, 32, 36, 10, 8, 20, 24, 7, 13, 37, 29, 33, 19, 12, 4, 26),
        (18, 34, 3, 20, 12, 15, 28, 6, 22, 4, 9, 32, 19, 33, 24, 36, 11, 13, 37),
    ],
)
def test_a_lost_side_still_takes_boxes(drawn):
    position = game_of(4, 4, reward="win").position(drawn)
    decision = make_agent("solver:memory=16").analyse(position)
    assert (decision.exact, decision.value) == (True, -1)
    assert sum(position.after(decision.action).record.score) > sum(position.record.score)


@pytest.mark.parametrize("memory_mb", [1, 3, 64])
def test_a_table_keeps_to_its_memory(memory_mb):
    buckets = new_table(memory_mb, 40).buckets
    assert memory_mb / 2 < buckets.nbytes / 2**20 <= memory_mb
    assert buckets.ctypes.data % 64 == 0


def test_a_table_too_small_for_all_positions_changes_no_value():
    solver = make_solver(game_of(3, 4), 1)
    assert solver.solve(solver.game.initial_position()).value == 0
    entries = solver._table.buckets.view(np.uint64)
    assert np.count_nonzero(entries) > 0.98 * entries.size


def test_collections_are_numbered_consistently_and_small_ones_have_the_values_of_theory():
    """Berlekamp: chains of three are worth −3, −2 (two of them), …; a lone loop or chain is simply
    lost.
    """
    collections = make_collections(12, 1 << 15)
    numbers, queue = {(): 0}, [()]
    for parts in queue:
        assert collections[numbers[parts], BOXES] == sum(
            kind + 1 if kind < 12 else 2 * (kind - 12) + 4 for kind in parts
        )
        for kind, more in enumerate(collections[numbers[parts], AFTER_ADDING:]):
            longer = tuple(sorted((*parts, kind)))
            if more >= 0 and longer not in numbers:
                numbers[longer] = more
                queue.append(longer)
            assert more < 0 or numbers[longer] == more
    assert len(numbers) == len(collections)
    loop_of_4 = 12
    cases = {
        (0,): -1, (1,): -2, (2,): -3, (3,): -4, (loop_of_4,): -4,
        (0, 0): 0, (2, 2): -2, (2, 2, 2): -1, (3, 3): -4,
    }  # fmt: skip
    assert {parts: collections[numbers[parts], VALUE] for parts in cases} == cases
