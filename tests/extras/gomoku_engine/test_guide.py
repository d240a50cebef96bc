"""``mcts:network=patterns``: what the patterns say of positions, and how the search plays by it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.own.search_form import load_record
from plyground.envs.compiled.kernels import kernel
from plyground.extras.gomoku_engine.guide import SURE, UNLIKELY, PatternsNetwork
from plyground.extras.gomoku_engine.values import POINTS, static_points

from .test_engine import RULES, engine, random_position

pytestmark = pytest.mark.thorough


@kernel
def points_of(network, board):
    return static_points(network, board[0], np.int64(board[0].ply & 1))


def evaluation_of(network, position):
    logits, values = network.evaluate(position.observation()[None])
    return logits[0], float(values[0])


@pytest.mark.parametrize("rule", RULES)
def test_quiet_positions_have_the_engines_static_value_and_weight_on_free_cells_alone(rule):
    game, rng = make_game(f"gomoku:rule={rule}"), random.Random(3)
    network, searcher, count = PatternsNetwork(game), engine(game).searchers[0], 0
    for _ in range(40):
        position = random_position(game, rng, rng.randrange(1, 40), 5)
        logits, value = evaluation_of(network, position)
        legal = position.legal_actions()
        assert (np.delete(logits, legal) == UNLIKELY).all()
        assert logits.max() > UNLIKELY
        if value < SURE - 1e-6:
            load_record(searcher.rules, position.record, searcher.workspace.board)
            points = points_of(searcher.rules.network, searcher.workspace.board)
            assert value == pytest.approx(math.tanh(points / (2 * POINTS)), abs=1e-6)
            count += 1
    assert count > 10


def test_many_positions_at_once_are_judged_as_each_alone():
    game, rng = make_game("gomoku"), random.Random(4)
    network = PatternsNetwork(game)
    positions = [random_position(game, rng, plies, 6) for plies in range(0, 40, 3)]
    logits, values = network.evaluate(np.stack([each.observation() for each in positions]))
    for position, row, value in zip(positions, logits, values):
        alone, worth = evaluation_of(network, position)
        assert np.array_equal(alone, row)
        assert worth == value


@pytest.mark.parametrize("rule", RULES)
def test_a_four_leaves_weight_on_the_replies_alone(rule):
    game = make_game(f"gomoku:rule={rule}")
    position = game.position(["e8", "d8", "f8", "a1", "g8", "c1", "h8"])  # d8 stops one end
    logits, _ = evaluation_of(PatternsNetwork(game), position)
    texts = {game.action_to_text(int(cell)) for cell in np.flatnonzero(logits > UNLIKELY)}
    assert "i8" in texts
    assert texts <= {"i8", "j8"}  # caro is stopped at the far end too


def test_a_win_by_fours_is_seen_at_once():
    game = make_game("gomoku")
    position = game.position(["e8", "a1", "f8", "a3", "g8", "a5", "k4", "o1", "k5", "o3"])
    network = PatternsNetwork(game)
    logits, value = evaluation_of(network, position)
    assert value == pytest.approx(SURE)
    assert game.action_to_text(int(logits.argmax())) in ("d8", "h8")


@pytest.mark.parametrize("rule", ["freestyle", "caro"])
def test_its_search_beats_medium_from_both_seats(rule):
    game = make_game(f"gomoku:rule={rule}")
    for seat in (0, 1):
        agents = [make_agent("medium", game, seed=1), make_agent("medium", game, seed=1)]
        agents[seat] = make_agent("mcts:simulations=200,network=patterns", game)
        position = game.position(["h8", "i9"])
        while not position.is_over:
            position.play(agents[position.to_move].act(position))
        assert position.outcome.winner == seat
