"""``plyground play``: a person at the terminal."""

from __future__ import annotations

import json
import random
import re

import pytest
from command_line import done
from helpers import GAMES, SMALL_GAMES
from plyground import make_game
from plyground.agents.human import read_move
from plyground.evaluation.report.board import CHANGE, WON, board, winning_row


def play(*words, stdin):
    result = done("play", *words, stdin="".join(f"{line}\n" for line in stdin))
    assert "Traceback" not in result.output
    return result.stdout


def moves_of(game, path):
    record = json.loads(path.read_text())
    assert record["game"] == make_game(game).spec
    return record["moves"]


@pytest.mark.parametrize("spec", SMALL_GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_is_played_and_its_end_announced(spec, seat, tmp_path):
    """Every legal move is tried at every turn: some are illegal, one is played."""
    game, path = make_game(spec), tmp_path / "game.json"
    names = [game.action_to_text(action) for action in range(game.facts.num_actions)]
    lines = names * game.facts.longest_game + [f"save {path}", "quit"]
    output = play(spec, "--against", "random", "--seat", seat, stdin=lines)
    ends = [line for line in output.splitlines() if line in ("You win.", "You lose.", "A draw.")]
    assert len(ends) == 1
    position = game.position(moves_of(spec, path))
    assert position.is_over
    expected = {1: "You win.", 0: "A draw.", -1: "You lose."}
    result = (position.returns[seat] > 0) - (position.returns[seat] < 0)
    assert ends == [expected[result]]


def test_ones_own_move_is_shown_before_the_answer():
    output = play("connect_four", "--against", "random", stdin=["d"])
    assert output.index(" 1 . . . X . . .") < output.index("random plays")
    assert "you are Red (X) and move first, against random" in output
    assert output.rstrip().endswith("You left the game.")


@pytest.mark.parametrize(
    ("spec", "lines", "expected"),
    [
        ("tic_tac_toe", ["a1", "a1"], "a1 is taken"),
        ("tic_tac_toe", ["9 9"], "row 9, column 9 is off the board"),
        ("tic_tac_toe", ["hello"], "'hello' is no cell of this board"),
        ("connect_four", ["9"], "there is no column 9; columns go from 1 to 7"),
        ("connect_four", ["z"], "columns run from a to g"),
        ("dots_and_boxes", ["h 9 9"], "is no edge of this board"),
        ("tic_tac_toe", ["level hard"], "The opponent remains random"),
        ("tic_tac_toe", ["level"], "The opponent is random"),
        ("tic_tac_toe", ["save"], "save game.json"),
        ("tic_tac_toe", ["save no/such/folder/g.json"], "cannot be written"),
        ("tic_tac_toe", ["resign", "hint"], "The game is over"),
    ],
)
def test_bad_input_gets_a_sentence_and_another_try(spec, lines, expected):
    assert expected in play(spec, "--against", "random", stdin=[*lines, "help", "quit"])


def test_undo_takes_back_ones_move_with_the_answer_and_redo_plays_them_again(tmp_path):
    one, two, three = (tmp_path / f"{n}.json" for n in "123")
    lines = ["d", f"save {one}", "a", "undo", f"save {two}", "redo", f"save {three}"]
    output = play("connect_four", "--against", "random", stdin=[*lines, *["undo"] * 3])
    before, after, again = (moves_of("connect_four", path) for path in (one, two, three))
    assert (len(before), after, again[:3]) == (2, before, [*before, "a"])
    assert len(again) == 4
    assert "no move of yours to take back" in output


def test_undo_where_a_player_moves_twice(tmp_path):
    """One's own moves are taken back one by one, though no answer lies between them."""
    spec, rng = "dots_and_boxes:rows=1,cols=2", random.Random(1)
    names = [make_game(spec).action_to_text(a) for a in range(7)]
    rng.shuffle(names)
    games = tmp_path / "g.json"
    lines = [*names, *names, *["undo"] * 7, f"save {games}"]
    play(spec, "--against", "random", "--seat", 1, stdin=lines)
    game = make_game(spec)
    left = moves_of(spec, games)
    assert all(game.position(left[:ply]).to_move == 0 for ply in range(len(left)))


def test_seats_levels_and_games_can_change():
    lines = ["d", "swap", "level greedy", "level", "thinking", "d", "new", "resign", "undo"]
    output = play("connect_four", "--against", "random", stdin=[*lines, "moves", "hint"])
    for expected in (
        *("You are Yellow (O) now", "You play against greedy now", "The opponent is greedy"),
        *("What the opponent thinks is shown", "You resigned.", "Legal moves: a, b"),
        "alphabeta:time=1 would play",
    ):
        assert expected in output


def test_thoughts_are_told_only_on_request():
    assert "nodes" not in play("tic_tac_toe", "--against", "greedy", stdin=["a1"])
    assert "nodes" in play("tic_tac_toe", "--against", "greedy", "--show-thinking", stdin=["a1"])


def test_an_opponent_that_fails_is_named_and_the_game_goes_on():
    lines = ["a1", "b1", "level random", "b2", "quit"]
    output = play("tic_tac_toe", "--against", "python:broken.agents:ReturnsNone", stdin=lines)
    assert "python:broken.agents:ReturnsNone " in output
    assert "Type level AGENT for another opponent" in output
    assert "You play against random now" in output


def has_style(text, style):
    return "".join(text.plain[span.start] for span in text.spans if span.style == style)


@pytest.mark.parametrize("spec", GAMES)
def test_the_last_move_is_marked_on_every_board(spec):
    game = make_game(spec)
    before = game.initial_position()
    after = before.after(before.legal_actions()[0])
    assert has_style(board(after, before), CHANGE)
    assert not has_style(board(after), CHANGE)


@pytest.mark.parametrize(
    ("spec", "moves", "row"),
    [
        ("tic_tac_toe", "a3,b3,a2,b2,a1", ["a3", "a2", "a1"]),
        ("connect_four", "a,b,a,b,a,b,a", ["a4", "a3", "a2", "a1"]),
        ("gomoku:size=12,connect=3", "l12,a1,k11,a2,j10", ["l12", "k11", "j10"]),
        ("hex:size=3", "b1,a1,b2,a2,a3", ["b1", "b2", "a3"]),
        ("dots_and_boxes:rows=1,cols=1", "h 0 0,h 1 0,v 0 0,v 0 1", []),
    ],
)
def test_the_winning_row_is_marked(spec, moves, row):
    position = make_game(spec).position(moves.split(","))
    assert winning_row(position) == row
    won = has_style(board(position), WON)
    assert won == "X" * len(row)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("tic_tac_toe", "a3 is the upper left one, c1 the lower right"),
        ("gomoku:size=7", "a7 is the upper left one, g1 the lower right"),
        ("connect_four", "A column is its letter (a is the left one), or its number from 1."),
        ("dots_and_boxes", "counted from 0 at the upper left: h 0 0, which may be written h00"),
        ("hex:size=5", "a1 is the upper left one, e5 the lower right"),
        ("othello", "h8 the lower right). Two numbers will do as well: the row, counted from the"),
    ],
)
def test_help_says_where_coordinates_begin(spec, expected):
    game = make_game(spec)
    assert expected in play(spec, "--against", "random", stdin=["help"])
    if name := re.search(r"h00|\ba\d|\ba(?= is)", expected):
        assert read_move(game, name[0]) == 0
