"""The engine's static value: its network against plain arithmetic, and its inputs on the board."""

from __future__ import annotations

import random

import numpy as np
import pytest
from plyground import make_game
from plyground.agents.own.search_form import load_record
from plyground.envs.compiled.kernels import kernel
from plyground.envs.games.gomoku import patterns
from plyground.extras.gomoku_engine import values
from plyground.extras.gomoku_engine.patterns import make_move
from plyground.extras.gomoku_engine.value_network import INPUTS, SHIFT

from .test_engine import RULES, engine, random_position
from .test_guide import points_of

NUMBERS = {patterns.KEYS[list(codes)].sum(): codes for codes in values.COMBINATIONS}
MINE = (patterns.MAKES_THREE, patterns.MAKES_FOUR, patterns.DOUBLE_THREE, patterns.FOUR_THREE)


@kernel
def put_summed(rules, board, action, player, changes):
    make_move(rules, board[0], action, player, changes, True)


def free_keys(board, cells, mover):
    """The keys of the free cells for the mover and for the opponent."""
    keys = board.keys[: 2 * cells.size].reshape(cells.size, 2)[cells == 0]
    return keys[:, mover], keys[:, 1 - mover]


def threats_of(board, mover):
    classes = board.classes.reshape(2, patterns.CLASSES)
    kinds = [classes[mover, kind] > 0 for kind in MINE]
    return kinds + [classes[1 - mover, kind] > 0 for kind in (*MINE, patterns.WINS_SOON)]


def network_inputs(mine, theirs):
    """The inputs to the network from what the cells of either player add up to."""
    half = INPUTS // 2
    return np.maximum(np.concatenate([mine[:half] + theirs[half:], theirs[:half] + mine[half:]]), 0)


def whole_points(rules, board, cells, mover):
    """The static value in points from the tables of whole numbers."""
    network, keys = rules.network, free_keys(board, cells, mover)
    threats = sum(present << bit for bit, present in enumerate(threats_of(board, mover)))
    inputs = network_inputs(*(network.parts[side].sum(0, dtype=np.int64) for side in keys))
    activations = np.maximum(network.first.astype(np.int64) @ inputs + network.threats[threats], 0)
    mine, theirs = (int(rules.values[side].sum(dtype=np.int64)) for side in keys)
    points = (mine - theirs) // values.FINE + int(network.threat_points[threats])
    return points + (int(activations @ network.second.astype(np.int64)) >> SHIFT)


def plain_points(weights, board, cells, mover):
    """The static value in points from the weights of the file."""
    mine, theirs = (
        sum(values.parts_of(NUMBERS[key]) for key in side) @ weights.cells
        for side in free_keys(board, cells, mover)
    )
    kinds = threats_of(board, mover)
    threats = np.array(kinds + [kinds[i] and kinds[j] for i, j in values.THREAT_PAIRS], float)
    inputs = network_inputs(mine[1:], theirs[1:])
    activations = np.maximum(inputs @ weights.first + threats @ weights.threats + weights.bias, 0)
    points = activations @ weights.second + mine[0] - theirs[0]
    points += threats @ weights.threat_values[:-1] + weights.threat_values[-1]
    return values.POINTS * points


def boards(rule, size=15):
    """Random positions without a five or an open four to make, with the board of a searcher."""
    game, rng = make_game(f"gomoku:rule={rule},size={size}"), random.Random(5)
    searcher = engine(game).searchers[0]
    for _ in range(60):
        position = random_position(game, rng, rng.randrange(1, 40), 5)
        load_record(searcher.rules, position.record, searcher.workspace.board)
        board = searcher.workspace.board[0]
        classes = board.classes.reshape(2, patterns.CLASSES)
        has_win = classes[:, patterns.WINS_NOW].any()
        if not has_win and not classes[position.to_move, patterns.WINS_SOON]:
            yield game, searcher, position, board


@pytest.mark.parametrize("rule", RULES)
def test_the_static_value_is_that_of_plain_arithmetic(rule):
    file = values.CARO_WEIGHTS if rule.startswith("caro") else values.FREESTYLE_WEIGHTS
    weights, errors = values.load_weights(*file), []
    for game, searcher, position, board in boards(rule):
        cells = position.record.cells[: game.rules.rows * game.rules.cols]
        points = points_of(searcher.rules.network, searcher.workspace.board)
        assert points == whole_points(searcher.rules, board, cells, position.to_move)
        errors.append(points - plain_points(weights, board, cells, position.to_move))
    assert len(errors) > 20
    assert np.abs(errors).mean() < 15  # points: what whole numbers lose


@pytest.mark.parametrize("rule", RULES)
def test_the_inputs_follow_the_stones(rule):
    for game, searcher, position, board in boards(rule):
        action = random.Random(int(position.record.ply)).choice(position.legal_actions())
        put_summed(
            searcher.rules, searcher.workspace.board, action, position.to_move,
            searcher.rules.changes,
        )  # fmt: skip
        sums = board.sums.copy()
        load_record(searcher.rules, position.after(action).record, searcher.workspace.board)
        assert (board.sums == sums).all()
        assert game.rules.connect == 5


def test_both_players_are_judged_alike():
    weights = values.fitted_rules(make_game("gomoku")).network
    for game, searcher, position, _ in boards("freestyle"):
        before = points_of(weights, searcher.workspace.board)
        mirror = position.copy().record
        mirror.cells[:] = np.array([0, 2, 1], np.int8)[mirror.cells]
        load_record(searcher.rules, mirror, searcher.workspace.board)
        searcher.workspace.board[0].ply ^= 1
        assert points_of(weights, searcher.workspace.board) == pytest.approx(before, abs=1)
        assert game.rules.rows == 15


def test_a_file_of_other_weights_is_refused():
    name, _ = values.FREESTYLE_WEIGHTS
    with pytest.raises(RuntimeError, match="is not the file of this version of plyground"):
        values.load_weights(name, "0" * 64)
