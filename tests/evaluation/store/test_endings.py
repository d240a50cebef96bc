"""Why games end, in words: stores hold the texts, and ``plyground verify`` compares them."""

from __future__ import annotations

import pytest
from helpers import run
from plyground import make_game
from plyground.envs.registry import profiles
from plyground.evaluation.match import GameResult
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.checks import RuleCheck
from plyground.evaluation.store.store import Store, StoredGame

# As stores hold them: a text that changes makes stored games look forged. If a new wording is
# needed, it gets a key of its own.
TEXTS = {
    "connect_four": {"row": "{n} in a row", "full": "the board is full"},
    "dots_and_boxes": {"boxes": "{a} boxes to {b}"},
    "gomoku": {"row": "{n} in a row", "full": "the board is full"},
    "hex": {"top_bottom": "top and bottom connected", "left_right": "left and right connected"},
    "othello": {"discs": "{a} discs to {b}", "cells": "{a} to {b}, free cells included"},
    "tic_tac_toe": {"row": "{n} in a row", "full": "the board is full"},
}


@pytest.mark.parametrize("game", TEXTS)
def test_the_words_of_endings_stay_as_stores_hold_them(game):
    words = profiles()[game].words_in("en")
    assert {key: words.get(f"ending.{key}") for key in TEXTS[game]} == TEXTS[game]


SIX = "a1,a3,b1,b3,c1,c3,e1,e3,f1,f3,d1"


@pytest.mark.parametrize(
    ("spec", "moves", "reason"),
    [
        ("gomoku", SIX, "6 in a row"),
        ("gomoku:rule=caro_overline", SIX, "6 in a row"),
        ("gomoku", "a1,a3,b1,b3,c1,c3,d1,d3,e1", "5 in a row"),
        # a five, through a six that does not win
        (
            "gomoku:rule=standard",
            "a1,a3,b1,b3,c1,c3,e1,e3,f1,o9,d1,o7,d2,n1,d3,n3,d4,n5,d5",
            "5 in a row",
        ),
        ("gomoku", "a1,a2,b2,b1,c3,c1,e5,e1,f6,f1,g7,h1,d4", "7 in a row"),
        ("tic_tac_toe:rows=5,cols=5,connect=4", "a1,a2,b1,b2,d1,d2,e1,e2,c1", "5 in a row"),
        ("connect_four", "a,a,b,b,c,c,e,e,f,f,d", "6 in a row"),
        ("connect_four:rows=9,cols=10", "a,a,b,b,c,c,e,e,f,f,d", "6 in a row"),
        ("connect_four", "d,a,d,b,d,b,d", "4 in a row"),
    ],
)
def test_a_row_is_told_in_its_length(spec, moves, reason):
    outcome = make_game(spec).position(moves.split(",")).outcome
    assert outcome.winner == 0
    assert outcome.reason == reason


@pytest.mark.parametrize(
    ("reason", "complaint"),
    [("6 in a row", None), ("5 in a row", "states the reason 5 in a row, not 6 in a row")],
)
def test_another_length_of_a_row_is_found(reason, complaint, tmp_path):
    run(Plan("gomoku", ("random", "random"), pairs=1), tmp_path / "store.db")
    with Store(tmp_path / "store.db") as store:
        tournament = store.tournaments()[0]
    game = make_game("gomoku")
    settings = {"game": "gomoku", "format": "single games"}
    check = RuleCheck(tournament._replace(settings=settings))
    moves = tuple(game.text_to_action(name) for name in SIX.split(","))
    result = GameResult(moves, (1.0, -1.0), reason, None, None, (0.0, 0.0), (6, 5))
    assert check.contradiction(StoredGame(0, (0, 1), (), (0, 0), result)) == complaint
