"""Positions: actions by name, the way back, the moves that led there, and what identifies them."""

from __future__ import annotations

import copy
import pickle

import plyground
import pytest
from broken.games import Line
from helpers import ALL_GAMES, random_position
from plyground import Game, make_game

each_game = pytest.mark.parametrize("game", [make_game(spec) for spec in ALL_GAMES], ids=ALL_GAMES)


@each_game
def test_an_action_may_be_given_by_its_name(game):
    position = random_position(game, 3)
    for action in position.legal_actions():
        name = game.action_to_text(action)
        assert position.is_legal(name)
        assert game.action_number(name) == game.text_to_action(f" {name.upper()} ") == action
        assert position.after(name) == position.after(action) == position.copy().play(name)
    assert not position.is_legal("no such action")


@each_game
def test_actions_are_taken_back_one_by_one(game):
    position = random_position(game, 2)
    for twin in (position, position.copy(), pickle.loads(pickle.dumps(position))):
        stages = [twin.copy()]
        while not twin.is_over:
            action = twin.legal_actions()[-1]
            assert twin.play(action).moves == (*stages[-1].moves, action)
            stages.append(twin.copy())
        while len(stages) > 1:
            last, earlier = stages.pop(), stages[-1]
            assert earlier.after(twin.pop()) == last
            assert (twin, twin.moves, twin.ply) == (earlier, earlier.moves, earlier.ply)
        assert [twin.pop(), twin.pop()] == list(random_position(game, 2).moves)[::-1]
        assert twin == game.initial_position()
        with pytest.raises(IndexError, match="no action to take back"):
            twin.pop()


def test_the_ply_is_counted_by_the_game_or_by_the_moves():
    position = make_game("connect_four").initial_position()
    assert [position.ply, position.play("d").ply, position.play("c").ply] == [0, 1, 2]
    assert position.game.position_from_observation(position.observation()).ply == 2
    start = Game(Line()).initial_position()  # a game whose record has no field of it
    assert [start.ply, start.play(1).ply] == [0, 1]
    with pytest.raises(NotImplementedError, match="plies_played"):
        _ = Game(Line()).position_from_observation(start.observation()).ply


def test_a_position_that_was_read_goes_back_to_where_it_was_read():
    game = make_game("tic_tac_toe")
    position = game.position_from_text("3/1X1/2O:X")
    later = copy.deepcopy(position.copy().play("a1"))
    assert (later.moves, later.ply) == (None, 3)
    assert game.action_to_text(later.pop()) == "a1"
    assert later == position
    with pytest.raises(IndexError):
        later.pop()


def test_a_position_is_not_hashable_and_its_key_is():
    position = make_game("connect_four").initial_position()
    with pytest.raises(TypeError, match="unhashable"):
        _ = {position}
    before = {position.key: "start"}
    assert before.get(position.play("d").key) is None
    position.pop()
    assert before[position.key] == "start"


def test_moves_are_none_where_they_are_not_known():
    game = plyground.make_game("connect_four")
    position = game.position([3, 3])
    assert game.position_from_observation(position.observation()).moves is None
    assert position.transformed(1).moves is None
    plyground.envs.rules.play(game.rules, position.record, 2)  # as a search does
    assert position.moves is None
