"""Positions written as text, and read from it."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from broken.games import Line
from helpers import ALL_GAMES, finished_position, random_position
from plyground import make_game
from plyground.envs import cells_board
from plyground.envs import rules as r
from plyground.envs.declaration import Board, Facts, Place
from plyground.envs.game import Game, IllegalPositionError
from plyground.envs.optional.defaults import action_cells

# The games whose positions can be written: they declare the places of their boards.
WITH_PLACES = [spec for spec in ALL_GAMES if r.board(make_game(spec).rules).places]
KALAH = ["kalah", "kalah:pits=2,seeds=6", "kalah:remaining=nobody"]  # it has a text without places


@pytest.mark.parametrize("spec", [*WITH_PLACES, *KALAH])
def test_every_position_of_a_random_game_is_read_as_it_was_written(spec):
    game = make_game(spec)
    positions = [random_position(game, n, seed=n) for n in range(0, game.facts.longest_game, 3)]
    for position in (*positions, *(finished_position(game, seed) for seed in range(12))):
        text = position.to_text()
        assert game.position_from_text(text) == position, text
        assert game.position_from_text(text).to_text() == text


@pytest.mark.parametrize("spec", WITH_PLACES)
def test_the_turn_may_be_left_out_where_the_board_tells_it(spec):
    game = make_game(spec)
    for plies in (0, 1, 4, 7):
        position = random_position(game, plies, seed=plies)
        reread = game.position_from_text(position.to_text().partition(":")[0].lower())
        assert r.board_rows(game.rules, reread.record) == r.board_rows(game.rules, position.record)
        stones_only = game.facts.observation_shape[2] == 2
        assert reread == position or not stones_only


@pytest.mark.parametrize("spec", WITH_PLACES)
def test_every_place_has_a_name_and_an_area_inside_the_picture(spec):
    game = make_game(spec)
    places = r.board(game.rules).places
    picture = r.picture(game.rules, game.initial_position().record, None)
    assert len({place.name for place in places}) == len(places)
    assert len({(place.row, place.column) for place in places}) == len(places)
    for place in places:
        assert place.area.contains(*place.area.centre)
        assert all(0 <= x <= picture.width for x, _ in place.area.points)
        assert all(0 <= y <= picture.height for _, y in place.area.points)


@pytest.mark.parametrize(
    ("spec", "text", "wrong"),
    [
        ("tic_tac_toe", "3/3:X", "it has 3 rows, with / between them, not 2"),
        ("tic_tac_toe", "3/3/4:X", "row 3 has 3 places, not 4"),
        ("tic_tac_toe", "3/1z1/3:X", "b2 is free or X or O, not 'z'"),
        ("tic_tac_toe", "3/3/3:Z", "Cross (X) or Ring (O) is to move, not 'Z'"),
        ("tic_tac_toe", "3/1X1/3:X", "Ring (O) is to move, not Cross (X)"),
        ("tic_tac_toe", "XX1/3/3", "2 Cross (X) and 0 Ring (O) cannot be: Cross (X) begins"),
        ("tic_tac_toe", "XXX/OOO/3", "the game was over before its last stone"),
        ("tic_tac_toe", "XXX/OO1/1O1", "the game was over before its last stone"),
        ("tic_tac_toe:rows=3,cols=7,connect=3", "XXXOXXX/O1OO1O1/O6", "over before its last"),
        ("connect_four", "7/7/7/7/X6/7:O", "the disc on a2 floats: the place below it is free"),
        ("connect_four:rows=12,cols=12", "12/" * 10 + "3X8/12:O", "the disc on d2 floats"),
        ("gomoku", "15/" * 14 + "99999999999999", "row 15 has 15 places"),
        ("othello", "8/8/8/3OX3/3X4/8/8/8:X", "the four cells in the centre always hold discs"),
        ("breakthrough", "X7/8/8/8/8/8/8/7O:X", "only one player can have won"),
        ("breakthrough", "X7/8/8/8/4O3/8/8/8:X", "White (X) has won, so Black (O) must be to move"),
        ("breakthrough", "8/8/8/8/4O3/8/8/8:O", "Black (O) has won, so White (X) must be to move"),
        ("breakthrough", "8/XXXXXXXX/XXXXXXXX/X7/8/8/8/4O3:X", "has 16 pieces at most, not 17"),
        ("hex:size=3", "X2/X2/X2:O", "3 Blue (X) and 0 Red (O) cannot be"),
        ("hex:size=3", "1O1/1X1/3:O", "Blue (X) is to move, not Red (O)"),
        ("hex:size=3,swap=yes", "OO1/1X1/1O1", "1 Blue (X) and 3 Red (O) cannot be"),
        ("ultimate_tic_tac_toe", "9/9/9/9/4X4/9/9/9/9/9:O", "no last move leads to"),
        ("ultimate_tic_tac_toe", "9/9/9/9/4X4/9/9/9/9/+8:O", "no last move leads to"),
        ("ultimate_tic_tac_toe", "9/9/9/9/4X4/9/9/9/9/+3+4:O", "at most one small board"),
        ("ultimate_tic_tac_toe", "XXX6/OOO6/9/9/9/9/9/9/9/9:X", "no last move leads to"),
        ("ultimate_tic_tac_toe", "XXXXXXXXX/9/9/OO1OO1OO1/O2O2O2/9/9/9/9/9:X", "no last move"),
        ("dots_and_boxes:dots=2x2", "_/I1I/_:A", "box 0 0 needs an owner"),
        ("dots_and_boxes:dots=2x2", "_/IA1/_:A", "box 0 0 lacks a side, and has no owner"),
        ("dots_and_boxes:dots=2x2", "_/2I/_:A", "Yellow (B) is to move, not Red (A)"),
        ("dots_and_boxes:dots=3x3,start=icelandic", "2/5/2/5/2", "is drawn from the start"),
        ("dots_and_boxes:dots=2x2", "I/3/1:B", "h 0 0 is free or _, not 'I'"),
        ("kalah", "4,4,4,4,4,4,0:A", "it has 2 rows, with / between them, not 1"),
        ("kalah", "4,4,4,4,4,0/4,4,4,4,4,4,0:A", "row 1 has 7 numbers with commas between them"),
        ("kalah", "4,4,4,4,4,4,0/4,4,4,4,4,4,-1:A", "row 2 has 7 numbers with commas"),
        ("kalah", "4,4,4,4,4,4,0/4,4,4,4,4,4,1:A", "there are 48 seeds at most, not 49"),
        ("kalah", "4,4,4,4,4,4,0/4,4,4,4,4,3,0:A", "there are 48 seeds, not 47"),
        ("kalah", "0,0,0,0,0,0,24/4,4,4,4,4,4,0:A", "one side has no seeds in its pits"),
    ],
)  # fmt: skip
def test_what_no_position_is_written_as_is_refused_in_a_sentence(spec, text, wrong):
    with pytest.raises(IllegalPositionError, match="is not a position of") as error:
        make_game(spec).position_from_text(text)
    assert wrong in str(error.value)


def test_two_boxes_completed_at_once_leave_the_turn_open():
    game = make_game("dots_and_boxes:dots=2x3")
    for turn, moves in (("A", "h 0 0,h 0 1,h 1 0,h 1 1,v 0 0,v 0 2,v 0 1"),
                        ("B", "h 0 0,h 0 1,h 1 0,h 1 1,v 0 0,v 0 1,v 0 2")):  # fmt: skip
        assert game.position(moves.split(",")).to_text() == f"__/I{turn}I{turn}I/__:{turn}"
        both = game.position_from_text(f"__/IAIAI/__:{turn}")
        assert both.to_move == "AB".index(turn)


def test_games_without_places_say_so():
    game = Game(Line())
    with pytest.raises(IllegalPositionError, match="reached by moves only"):
        game.position_from_text("3:X")
    with pytest.raises(NotImplementedError, match="board_rows"):
        game.initial_position().to_text()


class Shelf(NamedTuple):
    """Of a game that names its places, which are no lettered cells, and its actions."""


def test_names_and_text_follow_from_any_board():
    places = [Place("left", 0, 0, "XO"), Place("right", 0, 1, "XO")]
    r.board.register(Shelf)(lambda rules: Board(places, actions=["left", "right"], kind="side"))
    r.board_rows.register(Shelf)(lambda rules, position: ["X."])
    r.facts.register(Shelf)(lambda rules: Facts(2, 2, -1.0, 1.0, (1, 2, 2)))
    assert r.board_text(Shelf(), None) == "X."
    assert [r.action_to_text(Shelf(), action) for action in (0, 1)] == ["left", "right"]
    assert r.text_to_action(Shelf(), " RIGHT ") == 1
    with pytest.raises(ValueError, match="'up' is no side of this board; sides run from left to r"):
        r.text_to_action(Shelf(), "up")
    assert action_cells(Shelf()).tolist() == [[-1, -1, -1]] * 2


@pytest.mark.parametrize("spec", ["tic_tac_toe", "gomoku:size=9"])
def test_the_board_of_a_game_on_cells_is_made_without_a_picture(spec):
    rules = make_game(spec).rules
    plain, drawn = cells_board(rules), r.board(rules)
    assert [each._replace(area=None) for each in drawn.places] == plain.places
    assert (plain.actions, plain.cells) == (drawn.actions, drawn.cells)
    assert set(plain.areas) == {None}
