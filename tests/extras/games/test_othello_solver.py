"""Othello's solver: equal to full enumeration, to published scores, and consistent with itself."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from helpers import best_of_mover, worth_of_actions
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver
from plyground.envs.compiled.kernels import kernel
from plyground.extras.games.othello.solver import table
from plyground.extras.games.othello.solver.board import make_board, stable_discs

pytestmark = pytest.mark.thorough

FFO = Path(__file__).parents[3] / "benchmarks/extras/games/othello/othello_ffo.txt"


def ending(solver, free, rng):
    """A position of random play with so many free cells whose game is not over."""
    while True:
        position = solver.game.initial_position()
        while not position.is_over:
            if solver.plies_left(position) == free:
                return position
            position.play(rng.choice(position.legal_actions()))


@pytest.mark.parametrize(
    ("size", "most", "empties"),
    [(4, 7, "winner"), (6, 5, "winner"), (8, 6, "winner"), (4, 7, "nobody"), (6, 5, "nobody")],
)
def test_endings_have_the_values_of_full_enumeration(size, most, empties):
    game = make_game(f"othello:size={size},reward=margin,empties={empties}")
    rng, solver = random.Random(0), make_solver(game, 1)
    passes = draws = 0
    for number in range(60):
        position = ending(solver, number % most + 1, rng)
        value, values = best_of_mover(position), worth_of_actions(position)
        passes, draws = passes + (size * size in values), draws + (value == 0)
        everything = solver.solve(position, moves="all")
        assert (everything.value, everything.values) == (value, values)
        solver.clear()
        for weak in (False, True):
            solution = solver.solve(position, weak=weak)
            assert solution.result == np.sign(value)
            assert weak or (solution.value, values[solution.best_action]) == (value, value)
            assert np.sign(values[solution.best_action]) == solution.result
    assert min(passes, draws) > 0


def test_the_result_alone_costs_less_than_the_margin():
    rng, solver = random.Random(3), make_solver(make_game("othello"), 4)
    nodes = {True: 0, False: 0}
    for _ in range(5):
        position = ending(solver, 13, rng)
        for weak in nodes:
            solver.clear()
            nodes[weak] += solver.solve(position, weak=weak).nodes
    assert nodes[True] < nodes[False] / 2


@kernel
def count_stable(board, own, other):
    return stable_discs(board, own, other)


@pytest.mark.parametrize("size", [4, 8])
def test_discs_counted_as_stable_are_never_turned(size):
    rng, solver = random.Random(4), make_solver(make_game(f"othello:size={size}"), 1)
    board, count = make_board(make_game(f"othello:size={size}").rules), 0
    for _ in range(100):
        position = ending(solver, rng.randrange(1, size * size - 6), rng)
        sides = [int(each) for each in position.record.discs]
        own = sides[0]
        stable = int(count_stable(board, *map(np.uint64, sides)))
        while not position.is_over:
            position.play(rng.choice(position.legal_actions()))
            own &= int(position.record.discs[0])
        count += stable
        assert stable <= own.bit_count()
    assert count > 100


@kernel
def store_one(entries, own, other, lower):
    mask = table.bucket_mask(entries, 8)
    bucket = table.bucket_of(mask, own, other)
    table.store(entries, bucket, own, other, lower, table.UNKNOWN, 5, 9)
    return bucket


@kernel
def look_up(entries, bucket, own, other):
    return table.probe(entries, bucket, own, other)


def test_an_entry_of_which_two_threads_wrote_parts_is_no_entry():
    rng = np.random.default_rng(0)
    positions = []
    for lower in range(6):
        discs, sides = (rng.integers(0, 2**64, 2, np.uint64) for _ in range(2))
        positions += [(discs[0] & sides[0], discs[0] & ~sides[0], lower // 2)]
    samples = []
    for own, other, lower in positions:
        entries = table.new_table(1)
        bucket = store_one(entries, own, other, lower)
        data = look_up(entries, bucket, own, other)
        assert int(data & table.BYTE) - table.OFFSET == lower
        samples.append(entries[bucket : bucket + table.WORDS].copy())
    questions = [(own, other) for own, _, _ in positions for _, other, _ in positions]
    entries = table.new_table(1)
    for one, another in itertools.combinations(samples, 2):
        for parts in range(1, 7):
            mixture = [(another if parts >> i & 1 else one)[i] for i in range(table.WORDS)]
            if any((mixture == whole).all() for whole in (one, another)):
                continue
            entries[: table.WORDS] = mixture
            assert not any(look_up(entries, 0, own, other) for own, other in questions)


def published(line):
    """A line of the file: the number, the position, the values of its moves.

    1 to 25 have all moves, 40 to 44 the best ones. They are those of the problem files of Edax.
    """
    number, text, moves = line.split()
    position = make_game("othello").position_from_text(text)
    values = dict(move.split(":") for move in moves.split(","))
    return (
        int(number),
        position,
        {position.game.text_to_action(move): int(value) for move, value in values.items()},
    )


TESTS = [published(line) for line in FFO.read_text().splitlines()]


@pytest.mark.parametrize(
    ("number", "position", "values"),
    [
        pytest.param(*test, id=f"ffo-{test[0]}", marks=[pytest.mark.slow] if test[0] >= 40 else [])
        for test in TESTS
    ],
)
def test_positions_of_the_ffo_suite_have_the_published_scores_and_moves(number, position, values):
    solver = make_solver(position.game, 64)
    solution = solver.solve(position)
    assert solution.value == values[solution.best_action] == max(values.values())
    if number <= 25:
        assert solver.solve(position, moves="all").values == values


def test_without_the_free_cells_published_scores_are_missed():
    game, scores = make_game("othello:empties=nobody"), {5: 31, 11: 29, 20: 1}
    for number, position, _ in TESTS:
        if number in scores:
            same = game.position_from_text(position.to_text())
            assert make_solver(game, 16).solve(same).value == scores[number]


def test_whom_free_cells_count_for_decides_the_best_move():
    values = {}
    for empties in ("winner", "nobody"):
        game = make_game(f"othello:size=4,empties={empties}")
        position = game.position_from_text("X2X/OOOX/1OXX/O3:X")
        solution = make_solver(game, 1).solve(position, moves="all")
        values[empties] = {game.action_to_text(a): v for a, v in solution.values.items()}
    assert values["winner"] == {"b1": 10, "c1": 12, "a3": 8}
    assert values["nobody"] == {"b1": 10, "c1": 9, "a3": 8}


WORSE_THAN_IT_COULD = "1OOOOOOO/1OOOOOOO/XOXXOXOO/XOOXXOOO/XOXOOXOO/XXXOOOX1/X1XXXXOX/1XXX1OOO:X"


def test_a_lost_ending_that_is_searched_to_its_end_is_lost_by_as_little_as_can_be():
    # a1 loses by 48 discs; that a2, by 30, is better takes fewer plies than that a1 is worse
    game = make_game("othello")
    position = game.position_from_text(WORSE_THAN_IT_COULD)
    assert game.action_to_text(make_agent("alphabeta:depth=60").act(position)) == "a2"
