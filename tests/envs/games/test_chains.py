"""The `chains` heuristic of dots and boxes: right about endgames whose value is known."""

from __future__ import annotations

import random

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.games.dots_and_boxes.heuristics import CHAINS, control_value


def control(*structures):
    """The value of structures given as lengths, loops negative, in ascending order."""
    lengths_up = sorted(structures, key=abs)
    lengths = np.array([abs(length) for length in lengths_up] or [0])
    return control_value(
        lengths, np.array([length < 0 for length in lengths_up] or [False]), len(lengths_up)
    )


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


def value_of_the_rest(position):
    """The margin of the rest of the game under best play, for the player to move."""
    player, best = position.to_move, None
    if position.is_over:
        return 0
    for action in position.legal_actions():
        child = position.after(action)
        gain = int(child.record.score[player] - position.record.score[player])
        rest = value_of_the_rest(child)
        value = gain + (rest if child.to_move == player else -rest)
        best = value if best is None else max(best, value)
    return best


@pytest.mark.thorough
def test_its_sign_agrees_with_best_play_in_most_endgames():
    game, rng, agree, decisive = make_game("dots_and_boxes:rows=2,cols=3"), random.Random(0), 0, 0
    while decisive < 150:
        position = game.initial_position()
        while len(position.legal_actions()) > 6:
            position.play(rng.choice(position.legal_actions()))
        position.record.score[:] = 0
        true, guess = (
            value_of_the_rest(position),
            r.evaluate(game.rules, position.record, position.to_move, CHAINS),
        )
        if true != 0 and guess != 0:
            decisive += 1
            agree += (true > 0) == (guess > 0)
    assert agree / decisive > 0.9


def test_it_beats_classic_at_equal_depth():
    game, score, rng = make_game("dots_and_boxes:rows=3,cols=3"), 0, random.Random(1)
    agents = [make_agent("alphabeta:depth=3"), make_agent("alphabeta:depth=3,heuristic=classic")]
    for _ in range(20):
        opening = game.initial_position()
        for _ in range(4):
            opening.play(rng.choice(opening.legal_actions()))
        for seat in (0, 1):
            position = opening.copy()
            while not position.is_over:
                position.play(agents[position.to_move ^ seat].act(position))
            score += position.returns[seat] > 0
    assert score >= 26
