"""The Python face of the rules: Game and Position."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from helpers import ALL_GAMES, finished_position, open_position, random_position
from plyground import IllegalActionError, make_game
from plyground.envs.registry import BUILT_IN, register_game

each_game = pytest.mark.parametrize("game", [make_game(spec) for spec in ALL_GAMES], ids=ALL_GAMES)


# -- games --


def test_a_game_may_be_made_from_a_specification_or_keywords_or_a_game():
    game = make_game("connect_four:rows=4,cols=5")
    for same in (
        make_game("connect_four", rows=4, cols=5),
        make_game("connect_four", {"rows": "4"}, cols=5),
        make_game("connect_four_v0:rows=4,cols=5"),
        make_game(game),
    ):
        assert (same, hash(same)) == (game, hash(game))
    assert game != make_game("connect_four")
    assert game != make_game("tic_tac_toe:rows=4,cols=5,connect=4")
    assert make_game("dots_and_boxes", dots=(3, 4)) == make_game("dots_and_boxes", rows=2, cols=3)


@each_game
def test_the_specification_makes_the_same_game_again(game):
    assert make_game(game.spec) == game
    assert eval(repr(game), {"make_game": make_game}) == game
    assert pickle.loads(pickle.dumps(game)) == copy.deepcopy(game) == game


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("tic_tac_toe:rows=5,cols=5,connect=5", "tic_tac_toe:size=5"),
        ("tic_tac_toe:rows=5,cols=5,connect=4", "tic_tac_toe:size=5,connect=4"),
        ("dots_and_boxes:rows=2,cols=3", "dots_and_boxes:dots=3x4"),
        ("dots_and_boxes:rows=2,cols=3", "dots_and_boxes:dots=(3,4)"),
        ("dots_and_boxes", "dots_and_boxes:dots=5x5"),
    ],
)
def test_short_forms_mean_the_same(long, short):
    assert make_game(long) == make_game(short)


@each_game
def test_the_facts_describe_the_game(game):
    facts, start = game.facts, game.initial_position()
    assert start.observation().shape == facts.observation_shape
    assert start.observation().dtype == np.int8
    assert start.action_mask().shape == (facts.num_actions,)
    assert start.action_mask().dtype == np.int8
    assert facts.min_return == -facts.max_return < 0
    assert facts.moves_again == any(has_move_again(game, seed) for seed in range(10))


def has_move_again(game, seed):
    """Whether a player moves twice in a row in a random game."""
    rng, position = random.Random(seed), game.initial_position()
    while not position.is_over:
        mover = position.to_move
        position.play(rng.choice(position.legal_actions()))
        if position.to_move == mover and not position.is_over:
            return True
    return False


def test_a_second_game_of_the_same_name_is_refused():
    with pytest.raises(ValueError, match="registered already"):
        register_game(type("Other", (), {"declaration": BUILT_IN[0].declaration}))
    with pytest.raises(TypeError, match="declares no game"):
        register_game(int)


# -- positions --


def test_playing_in_place_and_after():
    game = make_game("connect_four")
    position = game.initial_position()
    following = position.after(3)
    assert position == game.initial_position() != following
    assert position.play(3) is position
    for action in (3, "d", "3", np.int8(3), np.uint8(3)):
        assert position == following == game.position([action])
    assert position.to_move == 1


@each_game
def test_a_copy_is_equal_and_independent(game):
    position = open_position(game, 3)
    pickled = pickle.loads(pickle.dumps(position))
    for twin in (position.copy(), copy.copy(position), copy.deepcopy(position), pickled):
        assert (twin, twin.key) == (position, position.key)
        twin.play(twin.legal_actions()[0])
        assert twin != position
    assert position == open_position(game, 3)


@each_game
def test_equal_positions_are_equal_however_they_came_about(game):
    """Also a thousand copies of copies: no byte of a record is left to chance."""
    if game.name in ("tic_tac_toe", "connect_four", "gomoku"):  # stones stay where they are put
        a, b, c = random.Random(1).sample(game.initial_position().legal_actions(), 3)
        assert game.position([a, b, c]) == game.position([c, b, a])
    position = random_position(game, 2)
    chain = position
    for _ in range(1000):
        chain = chain.copy()
        assert chain == position
    assert len({position.key, chain.key, position.after(position.legal_actions()[0]).key}) == 2


def test_positions_of_different_games_differ():
    start, other = (make_game(spec).initial_position() for spec in ("gomoku", "gomoku:size=9"))
    assert start != other
    assert start != "gomoku"


@pytest.mark.parametrize(
    ("spec", "actions", "outcome"),
    [
        ("tic_tac_toe", "a3,b3,a2,b2,a1", "Cross (X) wins: 3 in a row"),
        ("tic_tac_toe", "b2,a1,a3,c1,b1,b3,a2,c2,c3", "draw: the board is full"),
        ("connect_four", "a,b,a,b,a,b,g,b", "Yellow (O) wins: 4 in a row"),
        ("gomoku", "a1,a2,b1,b2,c1,c2,d1,d2,e1", "Black (X) wins: 5 in a row"),
        ("dots_and_boxes:rows=1,cols=1", "h 0 0,h 1 0,v 0 0,v 0 1", "Yellow (B) wins"),
    ],
)
def test_the_outcome_names_the_winner_and_the_reason(spec, actions, outcome):
    assert str(make_game(spec).position(actions.split(",")).outcome).startswith(outcome)


# -- errors --


def test_an_illegal_action_is_refused_with_the_legal_ones():
    position = make_game("connect_four").position([0] * 6)
    with pytest.raises(
        IllegalActionError,
        match=r"action 0 \(a\) is not legal here; legal actions: 1 \(b\), 2 \(c\)",
    ):
        position.play(0)
    with pytest.raises(IllegalActionError, match="and 212 more"):
        make_game("gomoku").position([0, 0])


@pytest.mark.parametrize("action", [-1, 7, 1.0, True, None, np.float32(1)])
def test_what_is_no_action_is_refused(action):
    position = make_game("connect_four").initial_position()
    with pytest.raises(IllegalActionError, match="whole numbers from 0 to 6"):
        position.play(action)
    assert not position.is_legal(action)
    assert position == make_game("connect_four").initial_position()


@each_game
def test_nothing_may_be_played_once_the_game_is_over(game):
    position = finished_position(game)
    with pytest.raises(IllegalActionError, match=r"the game is over \((draw|\w+ \(.\) wins): "):
        position.play(0)


@pytest.mark.parametrize(
    ("spec", "text", "message"),
    [
        ("connect_four", "h", "columns run from a to g"),
        ("connect_four", "9", "whole numbers from 0 to 6"),
        ("tic_tac_toe", "d1", "cells run from a1 to c3"),
        ("tic_tac_toe", "a0", "cells run from a1 to c3"),
        ("tic_tac_toe", "", "cells run from a1 to c3"),
        ("dots_and_boxes", "h 5 0", "'h 4 3' and 'v 3 4'"),
        ("breakthrough", "b2", "a move is two cells, such as a2-a3"),
        ("breakthrough", "b2-b4", "a piece moves one row forward"),
        ("breakthrough", "b2-d3", "a piece moves one row forward"),
        ("breakthrough", "b2-c2", "a piece moves one row forward"),
        ("breakthrough", "h7-i8", "'i8' is no cell of this board"),
        ("dots_and_boxes", "x", "edges run from 'h 0 0'"),
    ],
)
def test_a_text_that_names_no_action_is_refused_with_those_that_do(spec, text, message):
    with pytest.raises(IllegalActionError, match=message):
        make_game(spec).text_to_action(text)


@pytest.mark.parametrize("player", [2, -1, "player_0"])
def test_an_observation_is_of_one_of_the_players(player):
    with pytest.raises(ValueError, match="players are 0 and 1"):
        make_game("connect_four").initial_position().observation(player)


# -- names, observations, symmetries, text --


@each_game
def test_what_no_position_looks_like_is_refused(game):
    with pytest.raises(ValueError, match="no position of"):
        game.position_from_observation(np.full(game.facts.observation_shape, 1, np.int8))
    with pytest.raises(ValueError, match="is observed as an array of shape"):
        game.position_from_observation(np.zeros((2, 2), np.int8))


def planes(rows):
    """An observation from rows of text: x own stones, o the opponent's."""
    return np.array([[[cell == "x", cell == "o"] for cell in row] for row in rows], np.int8)


@pytest.mark.parametrize(
    ("spec", "rows"),
    [
        ("connect_four:rows=4,cols=4", ["....", "x...", "....", "o..."]),  # floats
        ("connect_four:rows=4,cols=4", ["....", "....", "o...", "oo.x"]),  # three against one
        # the opponent would be to move
        ("connect_four:rows=4,cols=4", ["....", "....", "....", "xx.o"]),
        ("tic_tac_toe", ["xxx", "...", "..."]),
        ("tic_tac_toe", ["oo.", "...", "..."]),
        ("gomoku:size=5", ["x....", ".....", ".....", ".....", "....."]),
    ],
)
def test_observations_with_stones_that_cannot_be_there_are_refused(spec, rows):
    with pytest.raises(ValueError, match="no position of"):
        make_game(spec).position_from_observation(planes(rows))


@pytest.mark.parametrize(
    ("spec", "rows"),
    [
        ("tic_tac_toe", ["xxx", "ooo", "..."]),  # two winners
        ("tic_tac_toe", ["xxx", "oo.", ".o."]),  # the winner to move
        ("connect_four:rows=4,cols=5", ["x...o", "x...o", "x...o", "x...o"]),
        ("gomoku:size=5,connect=4", ["xxxx.", "oooo.", ".....", ".....", "....."]),
    ],
)
def test_observations_of_boards_that_no_game_reaches_are_refused_as_their_texts_are(spec, rows):
    game = make_game(spec)
    mine, others = game.declaration.marks
    text = "/".join(rows).replace("x", mine).replace("o", others)
    with pytest.raises(ValueError, match="the game was over before its last stone"):
        game.position_from_text(f"{text}:{mine}")
    with pytest.raises(ValueError, match=r"no position of .*: the game was over before"):
        game.position_from_observation(planes(rows))


@each_game
def test_the_symmetries_are_a_group(game):
    rows = {tuple(row) for row in game.symmetries.tolist()}
    identity = tuple(range(game.facts.num_actions))
    assert tuple(game.symmetries[0].tolist()) == identity
    assert len(rows) == len(game.symmetries)
    for one in rows:
        assert sorted(one) == list(identity)
        for other in rows:
            assert tuple(one[action] for action in other) in rows


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ("tic_tac_toe", 8),
        ("tic_tac_toe:rows=3,cols=4,connect=3", 4),
        ("connect_four", 2),
        ("gomoku", 8),
        ("dots_and_boxes", 8),
        ("dots_and_boxes:rows=2,cols=3", 4),
        ("dots_and_boxes:rows=2,cols=2,start=swedish", 8),
        ("dots_and_boxes:rows=2,cols=2,start=icelandic", 2),
        ("dots_and_boxes:rows=2,cols=3,start=icelandic", 1),
    ],
)
def test_how_many_symmetries_a_board_has(spec, count):
    assert len(make_game(spec).symmetries) == count


def test_repr_says_whose_turn_it_is_or_how_it_ended():
    game = make_game("tic_tac_toe")
    assert repr(game.initial_position()) == "<Position of tic_tac_toe, Cross (X) to move>"
    won = "<Position of tic_tac_toe, Cross (X) wins: 3 in a row>"
    assert repr(game.position(["a3", "b3", "a2", "b2", "a1"])) == won
