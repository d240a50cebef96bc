"""A batched player against a list of opponents: openings, pairs, repeated games, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.evaluation.gauntlet import play_gauntlet, summarise


class First:
    """Plays the first legal action, and keeps the observations and masks of its first moves."""

    def __init__(self):
        self.observations, self.masks = None, None

    def act_batch(self, observations, masks):
        if self.masks is None:
            self.observations, self.masks = observations.copy(), masks.copy()
        return masks.argmax(axis=1)


def test_openings_are_used_again_where_there_are_fewer_than_pairs():
    # 12 edges: 66 positions after two moves
    player = First()
    (result,) = play_gauntlet(
        make_game("dots_and_boxes:rows=2,cols=2"), player, ["alphabeta:depth=1"], 100, 2, 1
    )
    assert int(player.masks.sum(axis=1).max()) == 10  # no game starts from the empty board
    to_move = player.observations[player.masks.sum(axis=1) == 10]
    _, counts = np.unique(to_move.reshape(len(to_move), -1), axis=0, return_counts=True)
    assert len(counts) == 66
    assert set(counts.tolist()) == {1, 2}
    assert result.games == 2 * 66  # both players are deterministic


def test_a_gauntlet_is_refused_where_no_opening_leaves_the_game_undecided():
    with pytest.raises(SpecificationError, match="no opening of 3 plies"):
        play_gauntlet(make_game("dots_and_boxes:rows=1,cols=1"), First(), ["random"], 2, 3, 1)


def test_a_gauntlet_counts_pairs_and_a_repeated_game_once():
    game = make_game("tic_tac_toe")
    results = play_gauntlet(game, First(), ["random", "alphabeta:depth=9"], 40, 0, 1)
    assert results[0].games > 30
    # one game in each seat, however often it is repeated
    assert (results[1].games, results[1].losses) == (2, 2)
    assert results[1].score == 0.0
    assert 0.0 <= results[0].low < results[0].score < results[0].high <= 1.0


def test_the_interval_comes_from_the_pairs():
    courses = [bytes([index]) for index in range(200)]
    # each pair one won, one lost: no doubt about the half
    split = summarise("x", np.tile([1.0, -1.0], 100), courses)
    drawn = summarise("x", np.random.default_rng(1).choice([1.0, -1.0], 200), courses)
    assert split.score == 0.5
    assert split.high - split.low < 0.5 * (drawn.high - drawn.low)
    assert 0.05 < drawn.high - drawn.low < 0.25
