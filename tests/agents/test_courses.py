"""The agents of the courses on caro, move by move against slow plain references."""

from __future__ import annotations

import random

import pytest
from plyground import make_agent, make_game
from reference.gomoku import Gomoku, attack_minus_defence


def some_positions(game, count, fewest, most, seed=0):
    """Positions of random games within ``fewest`` to ``most`` plies, none of them over.

    Each stone stands next to another, as in games that are played.
    """
    rng = random.Random(seed)
    while count:
        position = game.initial_position()
        plies = rng.randint(fewest, most)
        while position.ply < plies and not position.is_over:
            near = [
                action
                for action in position.legal_actions()
                if any(
                    max(abs(a - b) for a, b in zip(divmod(action, game.rules.cols), stone)) == 1
                    for stone in reference_of(position).stones
                )
            ]
            position.play(rng.choice(near or position.legal_actions()))
        if not position.is_over:
            count -= 1
            yield position


def reference_of(position):
    """The plain reference with the stones of a position."""
    rules = position.game.rules
    game = Gomoku(rules.rows, rules.cols, rules.connect, "freestyle")
    for cell, stone in enumerate(position.record.cells[: rules.rows * rules.cols]):
        if stone:
            game.stones[divmod(cell, rules.cols)] = int(stone) - 1
    game.to_move = position.to_move
    return game


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_heuristic_mode_plays_the_cell_with_the_most_attack_less_defence(count):
    agent = make_agent("caro10_heuristic")
    for position in some_positions(make_game("gomoku:size=10"), count, 0, 60):
        expected = attack_minus_defence(reference_of(position))
        decision = agent.analyse(position)
        assert decision.values == {row * 10 + column: v for (row, column), v in expected.items()}
        assert decision.action == min(
            action for action, value in decision.values.items() if value == decision.value
        )
        assert decision.value == max(expected.values())


def test_the_heuristic_mode_plays_what_the_course_plays():
    game = make_game("gomoku:size=10")
    moves = "f5,g6,g5,d4,c6,f6,i8,h8,h4,c4,g8,i10,e4,d6,h10,e6,i5,f3,f4,c2"
    decision = make_agent("caro10_heuristic").analyse(game.position(moves.split(",")))
    assert (game.action_to_text(decision.action), decision.value) == ("h6", 101_451)
