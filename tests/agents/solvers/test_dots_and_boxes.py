"""The dots-and-boxes solver: equal to full enumeration, to known values, and to itself."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

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
    SolveInterrupted,
    SolverProgress,
    make_solver,
    solve,
)
from plyground.envs.registry import make_game
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

SMALL = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]


def game_of(rows: int, cols: int, **more: str):
    return make_game(
        ",".join(
            [
                f"dots_and_boxes:rows={rows},cols={cols}",
                *(f"{name}={value}" for name, value in more.items()),
            ]
        )
    )


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


def position_with(game, drawn: int):
    """The position in which the edges of these bits are drawn one after the other."""
    return game.position([edge for edge in range(game.facts.num_actions) if drawn >> edge & 1])


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
    ("rows", "cols"),
    [
        *SMALL,
        (1, 4),
        *(pytest.param(*board, marks=pytest.mark.slow) for board in ((1, 5), (2, 3), (3, 2))),
    ],
)
def test_search_equals_the_table_on_every_position(rows, cols):
    solver, table = searching_solver(rows, cols), tables.value_table(rows, cols)
    assert [
        value_by_search(solver, table.size - 1 - drawn) for drawn in range(table.size - 1)
    ] == table[:-1].tolist()


@pytest.mark.slow
def test_search_equals_the_table_of_3x3_on_every_position_with_few_free_edges_and_on_many_others():
    solver, table = searching_solver(3, 3), tables.value_table(3, 3)
    late = [
        sum(1 << edge for edge in free)
        for count in range(1, 6)
        for free in itertools.combinations(range(24), count)
    ]
    many = np.random.default_rng(8).integers(1, table.size, 30_000).tolist()
    assert len(late) == 24 + 276 + 2024 + 10626 + 42504
    assert [
        free
        for free in late + many
        if value_by_search(solver, free) != table[table.size - 1 - free]
    ] == []


def numpy_table(rows, cols):
    """The values of all sets of drawn edges, by whole arrays instead of position by position, and
    from the action numbers in the documentation.
    """
    horizontal = (rows + 1) * cols
    sides = [
        [
            row * cols + col,
            (row + 1) * cols + col,
            horizontal + row * (cols + 1) + col,
            horizontal + row * (cols + 1) + col + 1,
        ]
        for row in range(rows)
        for col in range(cols)
    ]
    edges = horizontal + rows * (cols + 1)
    drawn = np.arange(1 << edges)
    counts = np.bitwise_count(drawn)
    values = np.zeros(1 << edges, np.int8)
    for count in range(edges - 1, -1, -1):
        here = drawn[counts == count]
        best = np.full(len(here), -100, np.int8)
        for edge in range(edges):
            free = np.flatnonzero(here >> edge & 1 == 0)
            after = here[free] | 1 << edge
            gain = np.zeros(len(free), np.int8)
            for box in sides:
                if edge in box:
                    mask = sum(1 << side for side in box)
                    gain += (after & mask) == mask
            worth = np.where(gain > 0, gain + values[after], -values[after])
            best[free] = np.maximum(best[free], worth)
        values[here] = best
    return values


@pytest.mark.parametrize(
    ("rows", "cols"), [(2, 2), (1, 4), (2, 3), pytest.param(3, 3, marks=pytest.mark.slow)]
)
def test_tables_equal_values_computed_by_whole_arrays(rows, cols):
    np.testing.assert_array_equal(tables.value_table(rows, cols), numpy_table(rows, cols))


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
@pytest.mark.thorough
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
        (1, 1): -1,
        (1, 2): 0,
        (1, 3): -1,
        (1, 4): 0,
        (1, 5): -1,
        (1, 6): 0,
        (2, 2): 2,
        (2, 3): -2,
        (3, 2): -2,
        (2, 4): 2,
        (3, 3): -3,
        (3, 4): 0,
    },
    "icelandic": {(2, 2): 2, (2, 3): 4, (3, 3): -1, (3, 4): 4},
    "swedish": {(2, 2): -4, (2, 3): 6, (3, 3): 7, (3, 4): 4, (4, 4): 0},
}


@pytest.mark.parametrize(
    ("start", "rows", "cols", "value"),
    [
        (start, *board, value)
        for start, boards in LITERATURE.items()
        for board, value in boards.items()
    ],
)
def test_values_of_the_literature(start, rows, cols, value):
    solver = searching_solver(rows, cols, start=start)
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


@pytest.mark.thorough
def test_only_the_middle_wall_of_3x4_keeps_the_draw():
    game = game_of(3, 4)
    solution = solve(game.initial_position(), moves="all", memory_mb=128)
    assert [game.action_to_text(action) for action in solution.optimal_actions] == [
        "v 0 2",
        "v 1 2",
        "v 2 2",
    ]
    assert set(solution.values.values()) == {0, -2}


def random_positions(game, count: int, seed: int = 3):
    """Positions after random play, from early to late."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        position = game.initial_position()
        for _ in range(rng.integers(game.facts.num_actions // 2, game.facts.longest_game)):
            position.play(int(rng.choice(position.legal_actions())))
        if not position.is_over:
            yield position


def test_a_value_is_the_best_over_the_actions_and_symmetric_positions_are_equal():
    solver = searching_solver(3, 3)
    for position in random_positions(solver.game, 30):
        solution = solver.solve(position, moves="all")
        worth = {}
        for action in position.legal_actions():
            after = position.after(action)
            gain = int(sum(after.record.score) - sum(position.record.score))
            value = 0 if after.is_over else solver.solve(after).value
            worth[action] = gain + value if gain else -value
        assert solution.values == worth
        assert solution.value == max(worth.values())
        assert solution.optimal_actions == tuple(
            action for action in sorted(worth) if worth[action] == solution.value
        )
        assert solution.best_action in solution.optimal_actions
        for symmetry in range(8):
            assert solver.solve(position.transformed(symmetry)).value == solution.value


def test_a_principal_variation_is_best_play_to_the_end():
    solver = searching_solver(3, 3)
    for position in random_positions(solver.game, 20):
        solution, before = solver.solve(position), position.record.score.copy()
        mover = position.to_move
        end = position.copy()
        for action in solution.principal_variation:
            end.play(action)
        margins = end.record.score - before
        assert end.is_over
        assert margins[mover] - margins[1 - mover] == solution.value


@pytest.mark.parametrize("table_too", [True, False])
def test_weak_asks_for_the_result_of_the_whole_game(table_too):
    solver = searching_solver(2, 3)
    if table_too:
        solver._lookup = tables.value_table(2, 3)
    for position in random_positions(solver.game, 40):
        ahead = int(
            position.record.score[position.to_move] - position.record.score[1 - position.to_move]
        )
        full = solver.solve(position, moves="all")
        weak = solver.solve(position, weak=True, moves="all")
        assert weak.result == full.result == np.sign(ahead + full.value)
        assert weak.values == {
            action: np.sign(ahead + value) for action, value in full.values.items()
        }
        best = solver.solve(position, weak=True).best_action
        assert np.sign(ahead + full.values[best]) == full.result


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
        (3, 29, 21, 30, 16, 18, 4, 5, 2, 38, 14, 13, 34, 9, 20, 35, 7, 23, 19),
        (31, 30, 27, 33, 32, 19, 8, 39, 29, 7, 10, 22, 23, 1, 37, 17, 0, 14, 24),
        (18, 34, 3, 20, 12, 15, 28, 6, 22, 4, 9, 32, 19, 33, 24, 36, 11, 13, 37),
    ],
)
def test_a_lost_side_still_takes_boxes(drawn):
    position = game_of(4, 4, reward="win").position(drawn)
    decision = make_agent("solver:memory=16").analyse(position)
    assert (decision.exact, decision.value) == (True, -1)
    assert sum(position.after(decision.action).record.score) > sum(position.record.score)


def test_with_a_time_limit_the_bounds_are_proved_and_an_action_is_played():
    solver = searching_solver(4, 4)
    solution = solver.solve(solver.game.initial_position(), time=0.5)
    assert not solution.exact
    assert solution.value is None
    assert solution.lower <= 0 <= solution.upper
    assert 0 <= solution.best_action < 40
    assert solution.optimal_actions == ()


def test_ctrl_c_ends_a_search_with_the_bounds_so_far():
    solver, reports = searching_solver(4, 4), []

    def press(progress: SolverProgress) -> None:
        reports.append(progress)
        if len(reports) == 3:
            raise KeyboardInterrupt

    with pytest.raises(SolveInterrupted) as interrupt:
        solver.solve(solver.game.initial_position(), progress=press)
    assert interrupt.value.solution.lower <= 0 <= interrupt.value.solution.upper
    assert 0 < reports[1].nodes < reports[2].nodes
    assert solver.solve(solver.game.position(range(25)), time=60).exact


def test_boards_beyond_reach_are_refused_with_the_limit():
    with pytest.raises(
        SpecificationError, match="at most 64 edges; dots_and_boxes:rows=6,cols=6 has 84"
    ):
        make_solver(game_of(6, 6))
    with pytest.raises(SpecificationError, match="at most 24 edges, 3 × 4 boxes have 31"):
        tables.value_table(3, 4)


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
    numbers = {(): 0}
    queue = [()]
    for parts in queue:
        assert collections[numbers[parts], BOXES] == sum(
            kind + 1 if kind < 12 else 2 * (kind - 12) + 4 for kind in parts
        )
        for kind, more in enumerate(collections[numbers[parts], AFTER_ADDING:]):
            longer = tuple(sorted((*parts, kind)))
            if (
                more >= 0
                and numbers.setdefault(longer, more) == more
                and longer not in queue[-400:]
            ):
                queue.append(longer)
            assert more < 0 or numbers[longer] == more
    assert len(numbers) == len(collections)
    loop_of_4 = 12
    cases = {
        (0,): -1,
        (1,): -2,
        (2,): -3,
        (3,): -4,
        (loop_of_4,): -4,
        (0, 0): 0,
        (2, 2): -2,
        (2, 2, 2): -1,
        (3, 3): -4,
    }
    assert {parts: collections[numbers[parts], VALUE] for parts in cases} == cases


SOLVE_SOME = """
import json
from plyground import make_game
from plyground.agents.solvers.solver import make_solver

solved = []
for board, drawn in (
    ("rows=2,cols=2", 0),
    ("rows=1,cols=4", 0),
    ("rows=2,cols=3,start=icelandic", 0),
    ("rows=1,cols=21", 53),
    ("rows=5,cols=5", 50),
):
    game = make_game(f"dots_and_boxes:{board}")
    solver = make_solver(game, 1)
    solver._lookup = None
    moves = [edge * 7 % game.facts.num_actions for edge in range(drawn)]
    solution = solver.solve(game.position(moves), moves="all")
    solved.append([solution.nodes, list(solution.values.items())])
print(json.dumps(solved))
"""


def solve_in_a_fresh_process(**switches: str) -> str:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    } | switches
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SOLVE_SOME],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.thorough
def test_interpreted_kernels_give_the_same_results():
    assert solve_in_a_fresh_process(NUMBA_DISABLE_JIT="1") == solve_in_a_fresh_process()


@pytest.mark.slow
def test_bounds_checked_kernels_and_kernels_from_the_cache_give_the_same_results(tmp_path):
    results = {
        solve_in_a_fresh_process(PLYGROUND_CACHE=str(tmp_path), NUMBA_BOUNDSCHECK=check)
        for check in ("0", "1", "0", "1")
    }
    assert results == {solve_in_a_fresh_process()}


def test_the_agent_plays_perfectly_against_itself():
    game = game_of(2, 3)
    agents = [make_agent("solver:memory=16", game) for _ in range(2)]
    position = game.initial_position()
    while not position.is_over:
        decision = agents[position.to_move].analyse(position)
        assert decision.exact
        position.play(decision.action)
    assert int(position.record.score[0] - position.record.score[1]) == -2
