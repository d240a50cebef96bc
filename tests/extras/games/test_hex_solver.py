"""The Hex solver: equal to full enumeration, to published results, and consistent with itself."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver, solve
from plyground.extras.games.hex.solver import search as s
from plyground.extras.games.hex.solver.board import DEAD, fill, make_board
from plyground.extras.games.hex.solver.connections import new_net
from plyground.extras.games.hex.solver.table import new_table
from reference.hex import Hex as Reference

pytestmark = pytest.mark.thorough


def enumerate_results(size):
    """Whether player 0 wins, by the player to move and the number to base 3 of the stones."""
    cells = size * size
    wins, reference = np.zeros((2, 3**cells), bool), Reference(size, "no")
    for stones in itertools.product((0, 1), repeat=cells):
        reference.stones = dict(zip(reference.board, stones, strict=True))
        code = sum((1 + stone) * 3**cell for cell, stone in enumerate(stones))
        wins[:, code] = reference.has_won(0)
    for code in range(3**cells - 1, -1, -1):
        free = [3**cell for cell in range(cells) if code // 3**cell % 3 == 0]
        if free:
            wins[0, code] = any(wins[1, code + place] for place in free)
            wins[1, code] = all(wins[0, code + 2 * place] for place in free)
    return wins


def test_all_positions_of_3x3_have_the_value_carrier_and_action_of_full_enumeration():
    """What is proved holds even if the loser has all the cells outside of the carrier."""
    wins, board = enumerate_results(3), make_board(make_game("hex:size=3").rules)
    stack, nets, table = s.new_stack(board), (new_net(board), new_net(board)), new_table(1)

    def result(mover, sides):
        codes = [sum(3**cell for cell in range(9) if side >> cell & 1) for side in sides]
        return wins[mover, codes[0] + 2 * codes[1]]

    for stones in itertools.product((0, 1, 2), repeat=9):
        mover = stones.count(1) - stones.count(2)
        if mover not in (0, 1):
            continue
        sides = [sum(1 << c for c in range(9) if stones[c] == player) for player in (1, 2)]
        s.begin(board, stack, np.uint64(sides[0]), np.uint64(sides[1]), mover)
        assert s.run(board, table, stack, *nets, 1000)
        root, action = stack.nodes[0], int(stack.state.action)
        winner = mover if root.phi == 0 else 1 - mover
        assert result(mover, sides) == (winner == 0)
        captures = fill(board, np.uint64(sides[0]), np.uint64(sides[1]), board.all_cells)[2:]
        carrier = int(root.region) | int(captures[winner]) | sides[0] | sides[1]
        rest = [*sides]
        rest[1 - winner] |= 0b111111111 & ~carrier
        assert result(mover, rest) == (winner == 0)
        if winner == mover and result(0, sides) != result(1, sides):
            sides[mover] |= 1 << action
            assert result(1 - mover, sides) == (winner == 0)


def test_random_positions_of_4x4_have_the_value_of_a_search_to_the_end():
    game, rng = make_game("hex:size=4"), random.Random(0)
    solver, searcher = make_solver(game, 1), make_agent("alphabeta:depth=16")
    for plies in [*range(3, 12)] * 4:
        position = game.initial_position()
        for _ in range(plies):
            if not position.is_over:
                position.play(rng.choice(position.legal_actions()))
        if not position.is_over:
            decision, values = searcher.analyse(position), solver.action_values(position)
            assert decision.exact
            assert max(values.values()) == decision.value
            assert values[decision.action] == decision.value


# As regression/solve-6x6.tst and solve-7x7.tst of the solver Benzene have them; those of 5 × 5 are
# what this solver found first.
WINNING = {
    5: "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    6: "f1 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 a5 b5 c5 d5 e5 a6",
    7: "g1 c2 e2 f2 g2 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 g4 b5 c5 d5 e5 f5 a6 b6 c6 e6 a7",
}


@pytest.mark.parametrize("size", [5, 6, pytest.param(7, marks=pytest.mark.slow)])
def test_exactly_the_published_openings_win(size):
    game = make_game(f"hex:size={size}")
    values = make_solver(game).action_values(game.initial_position())
    winning = [game.action_to_text(action) for action, value in values.items() if value > 0]
    assert winning == WINNING[size].split()


def test_with_the_swap_rule_the_second_player_wins_by_the_swap_where_no_stone_does():
    game = make_game("hex:size=5,swap=yes")
    assert solve(game.initial_position()).value == -1
    swap = game.text_to_action("swap")
    for opening in ("a1", "c3", "e1", "a2"):
        solution = solve(game.position([opening]))
        assert (solution.value, solution.best_action == swap) == (1, opening in WINNING[5].split())


def test_cells_are_dead_that_join_nothing_whatever_comes():
    def code(ring):
        return sum("-xo".index(stone) * 3**number for number, stone in enumerate(ring))

    for ring in ("xxxx--", "-oooo-", "xxx-o-", "xx-oo-"):
        assert DEAD[code(ring)], ring
    for ring in ("------", "xxx---", "xx--o-", "x-o-x-", "x--x--"):
        assert not DEAD[code(ring)], ring
