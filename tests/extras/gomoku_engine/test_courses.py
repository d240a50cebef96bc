"""The agents of the courses on caro, move by move against slow plain references."""

from __future__ import annotations

import random

import pytest
from plyground import make_agent, make_game
from plyground.agents.decision import Score
from plyground.envs import rules as r
from reference.caro15 import HardLevel
from reference.gomoku import Gomoku, attack_minus_defence

pytestmark = pytest.mark.thorough


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


def hard_level(position):
    """Value, action and nodes of the hard level by its plain reference."""
    game = position.game
    level = HardLevel(game.rules.rows, game.rules.cols)
    for cell, owner in reference_of(position).stones.items():
        level.put(cell, owner)
    value, (row, column), nodes = level.choose(position.to_move)
    return value, row * game.rules.cols + column, nodes


def assert_the_hard_level(agent, position):
    decision, (value, action, nodes) = agent.analyse(position), hard_level(position)
    assert decision.action == action
    if nodes:  # else a win at once, which the course plays without a search
        assert decision.nodes == nodes
    if abs(value) < 500_000:
        assert decision.score == Score(value, "points")
    else:  # the course counts the plies that were left, a score those that a win takes
        plies = 3 - (abs(value) - 1_000_000)
        assert decision.score == Score(1.0 if value > 0 else -1.0, "return", "estimate", plies)


@pytest.mark.parametrize("count", [15, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_hard_level_of_the_course_is_played_node_for_node(count):
    agent = make_agent("caro15_hard")
    for position in some_positions(make_game("gomoku:size=7"), count, 0, 40, seed=1):
        assert_the_hard_level(agent, position)


def test_the_hard_level_counts_every_stone_of_a_run():
    position = make_game("gomoku").position(["h8", "i9", "h9", "h10"])
    assert_the_hard_level(make_agent("caro15_hard"), position)
    assert hard_level(position)[0] == 3370


@pytest.mark.parametrize(("stones", "points"), [(1, 40), (2, 260), (3, 3090), (4, 40120), (6, 240)])
def test_a_run_counts_for_each_of_its_stones(stones, points):
    """A run in a row of its own; each stone is a single one in the other three directions."""
    game = make_game("gomoku:rule=standard")
    own = [f"{column}8" for column in "abcdefg"[:stones]]
    if stones == 6:
        own = ["a8", "b8", "c8", "e8", "f8", "d8"]
    far = ["o1", "o3", "o5", "o7", "o9", "o11"][: stones - 1]
    moves = [move for pair in zip(own, [*far, ""]) for move in pair if move]
    position = game.position(moves)
    lone = 40 * len(far)
    index = game.declaration.heuristics.index("caro15")
    assert r.evaluate(game.rules, position.record, 0, index) == points - lone
