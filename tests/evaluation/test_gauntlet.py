"""A batched player against a list of opponents: openings, pairs, repeated games, intervals."""

from __future__ import annotations

import inspect
import itertools
import types

import numpy as np
import pytest
from plyground import make_game, play_game
from plyground.envs.loading.settings import OPENING_PLIES
from plyground.envs.profile import Profile
from plyground.envs.specification import SpecificationError
from plyground.evaluation import Ladder, Plan, gauntlet, quality, ratings, sprt
from plyground.evaluation.gauntlet import evaluate, summarise
from plyground.extras.studies.measurements.games import Strength


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
    game = "dots_and_boxes:rows=2,cols=2"
    (result,) = evaluate(player, game, ["alphabeta:depth=1"], opening_plies=2)
    assert result.opening == "random:2"
    assert int(player.masks.sum(axis=1).max()) == 10  # no game starts from the empty board
    to_move = player.observations[player.masks.sum(axis=1) == 10]
    _, counts = np.unique(to_move.reshape(len(to_move), -1), axis=0, return_counts=True)
    assert len(counts) == 66
    assert set(counts.tolist()) == {1, 2}
    assert result.games == 2 * 66  # both players are deterministic


def test_a_gauntlet_is_refused_where_no_opening_leaves_the_game_undecided():
    with pytest.raises(SpecificationError, match="no opening of 3 plies"):
        evaluate(First(), "dots_and_boxes:rows=1,cols=1", ["random"], pairs=2, opening_plies=3)


def test_a_gauntlet_counts_pairs_and_a_repeated_game_once():
    game = make_game("tic_tac_toe")
    results = evaluate(First(), game, ["random", "alphabeta:depth=9"], pairs=40, opening_plies=0)
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


def test_moves_are_held_against_perfect_play_in_positions_that_are_solved_once():
    rows = evaluate(First(), "tic_tac_toe", ["random"], pairs=5, judged=30)
    (perfect,) = evaluate("solver", "tic_tac_toe", [], judged=30)
    assert [row.opponent for row in rows] == ["random", "optimal moves"]
    assert (perfect.opponent, perfect.score, perfect.losses) == ("optimal moves", 1.0, 0)
    assert 0.0 < rows[1].score < 1.0
    assert rows[1].games == perfect.games <= 30


def test_no_clock_decides_which_positions_are_solved(monkeypatch):
    """A run that goes on on a busier machine is held against the same positions."""
    small = "connect_four:rows=5,cols=5"
    (usual,) = evaluate(First(), small, [], judged=10, seed=987)
    gauntlet._judged_positions.cache_clear()
    hours = itertools.count(step=3600.0)
    late = types.SimpleNamespace(perf_counter=lambda: next(hours))
    monkeypatch.setattr("plyground.agents.solvers.solver.clock", late)
    (busy,) = evaluate(First(), small, [], judged=10, seed=987)
    assert busy == usual


@pytest.mark.parametrize("measure", [evaluate, sprt, Ladder, Plan, Strength, Profile])
def test_whatever_measures_opens_with_equally_many_random_moves(measure):
    defaults = [
        parameter.default
        for name, parameter in inspect.signature(measure).parameters.items()
        if name in ("opening", "opening_plies", "evaluation_plies")
    ]
    assert [str(each).removeprefix("random:") for each in defaults] == [str(OPENING_PLIES)]


def test_results_state_their_openings():
    plan = Plan("hex:size=4", ("random", "greedy"), pairs=2)
    assert str(ratings(plan)).endswith(f"\nopenings random:{OPENING_PLIES}")
    assert ratings(plan.replace(opening="all:2")).to_json()["opening"] == "all:2"
    results = evaluate("random", "hex:size=4", ["greedy"], pairs=2)
    assert [row.opening for row in results] == [f"random:{OPENING_PLIES}"]
    assert "opening='random:4'" in repr(results)


def test_a_specification_or_a_function_alone_is_a_list_of_one():
    def first(position):
        return position.legal_actions()[0]

    (row,) = evaluate(first, "tic_tac_toe", "random", pairs=2)
    assert row.opponent == "random"
    assert Plan("tic_tac_toe", "random").agents == ("random",)
    assert Plan("tic_tac_toe", first).agents == (first,)
    assert {each.agent for each in quality("tic_tac_toe", "greedy", positions=2)} == {"greedy"}
    with pytest.raises(SpecificationError, match="a game is between two agents, not 1"):
        play_game("tic_tac_toe", "random")
    with pytest.raises(SpecificationError, match="needs at least two agents, not 1"):
        ratings(Plan("tic_tac_toe", "random"))
