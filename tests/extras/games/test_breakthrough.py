"""Breakthrough: how moves are written, what wins, and races that are decided."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import random_positions
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.game import IllegalActionError, IllegalPositionError

RUNNERS = 0  # the heuristic


@pytest.mark.parametrize("text", ["b2-c3", "b2xc3", "b2c3", "B2 - C3", "b2:c3", "b2 c3", "b2–c3"])
def test_a_move_is_read_as_people_write_it(text):
    game = make_game("breakthrough")
    assert game.action_to_text(game.text_to_action(text)) == "b2-c3"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("b2", "a move is two cells, such as a2-a3"),
        ("b2-b4", "a piece goes one row forward"),
        ("b2-d3", "a piece goes one row forward"),
        ("b2-c2", "a piece goes one row forward"),
        ("h7-i8", "'i8' is no cell of this board"),
    ],
)
def test_what_is_no_move_is_refused_in_a_sentence(text, wrong):
    with pytest.raises(IllegalActionError, match=wrong):
        make_game("breakthrough").text_to_action(text)


def test_the_last_piece_that_is_captured_ends_the_game():
    position = make_game("breakthrough:rows=5,cols=3").position_from_text("3/3/1O1/XXX/3:X")
    position.play("a2xb3")
    assert str(position.outcome) == "player_0 wins: all pieces were captured"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("X7/8/8/8/8/8/8/7O:X", "only one player can have won"),
        ("X7/8/8/8/4O3/8/8/8:X", "X has won, so that O is to move"),
        ("8/8/8/8/4O3/8/8/8:O", "O has won, so that X is to move"),
        ("8/XXXXXXXX/XXXXXXXX/X7/8/8/8/4O3:X", "each player has 16 pieces at most, not 17"),
    ],
)
def test_boards_that_cannot_be_are_refused(text, wrong):
    with pytest.raises(IllegalPositionError, match=wrong):
        make_game("breakthrough").position_from_text(text)


def test_a_race_that_runners_calls_decided_is_decided():
    spec = "breakthrough:rows=5,cols=3"
    game = make_game(spec)
    solver, decided = make_agent(f"alphabeta:depth={game.facts.longest_game}", game), 0
    for position in random_positions(spec, 600):
        points = r.evaluate(game.rules, position.record, position.to_move, RUNNERS)
        if abs(points) > 5000:
            decided += 1
            score = solver.analyse(position).score
            assert score.is_exact
            assert (score.value > 0) == (points > 0), position.to_text()
    assert decided > 30


def test_a_runner_is_a_piece_with_no_opponent_in_the_cone_ahead():
    game = make_game("breakthrough")

    def points(text):
        position = game.position_from_text(text)
        return r.evaluate(game.rules, position.record, 0, RUNNERS)

    assert points("8/8/8/X7/4O3/8/8/8:X") == 10_000 - 3  # both need three moves
    assert points("8/8/8/X7/4O3/8/8/8:O") == -10_000 + 3
    assert points("8/8/8/X7/8/4O3/8/8:X") == -10_000 + 2
    assert abs(points("8/1O6/8/X7/8/8/8/8:X")) < 5000  # they meet


def test_moves_are_ordered_wins_first_then_captures_then_safe_moves():
    game = make_game("breakthrough")
    position = game.position_from_text("8/2X5/8/5O2/4X3/5O2/6X1/7X:X")
    order = np.array(position.legal_actions(), np.int16)
    r.order_actions(game.rules, position.record, order, len(order))
    names = [game.action_to_text(action) for action in order]
    assert {name[:2] for name in names[:3]} == {"c7"}
    assert names[3:5] == ["g2-f3", "e4-f5"]
