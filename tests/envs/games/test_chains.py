"""The `chains` heuristic of dots and boxes: right about endgames whose value is known."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers import best_of_mover
from plyground import make_game
from plyground.envs import rules as r
from plyground.envs.games.dots_and_boxes.heuristics import CHAINS, control_value


def control(*structures):
    """The value of structures given as lengths, loops negative, in ascending order."""
    lengths = sorted(structures, key=abs)
    return control_value(np.abs(lengths), np.array(lengths) < 0, len(lengths))


@pytest.mark.parametrize(
    ("structures", "value"),
    [
        ((3,), 3),  # the last chain is taken whole
        ((1,), 1),
        ((1, 1), 0),  # one each
        ((3, 3), 2),  # 1 of the first, 2 left to the opponent, then all 3 of the second
        ((4, 5), 5),  # 2 - 2 + 5
        ((3, -4), 3),  # 1 of the chain, 2 left to the opponent, then the loop of 4
        ((2, 3), -1),  # the pair is taken, then the taker must open the three
    ],
)
def test_control_is_worth_what_counting_by_hand_says(structures, value):
    assert control(*structures) == value


@pytest.mark.thorough
def test_its_sign_agrees_with_best_play_in_most_endgames():
    game, rng = make_game("dots_and_boxes:rows=2,cols=3,reward=margin"), random.Random(0)
    agree = decisive = 0
    while decisive < 150:
        position = game.initial_position()
        while len(position.legal_actions()) > 6:
            position.play(rng.choice(position.legal_actions()))
        position.record.score[:] = 0
        true = best_of_mover(position)
        guess = r.evaluate(game.rules, position.record, position.to_move, CHAINS)
        if true != 0 and guess != 0:
            decisive += 1
            agree += (true > 0) == (guess > 0)
    assert agree / decisive > 0.9
