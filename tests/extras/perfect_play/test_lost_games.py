"""What a review says of lost games, beside what a teacher would say."""

from __future__ import annotations

import pytest
from helpers import SMALL_GAMES, random_position
from plyground import make_game
from plyground.extras.perfect_play.reviews.grades import INACCURACY, MISTAKE
from plyground.extras.perfect_play.reviews.reviewer import Reviewer, review
from plyground.extras.perfect_play.reviews.turning_points import story
from plyground.extras.perfect_play.reviews.words import verdict

pytestmark = pytest.mark.thorough

# The game, its moves, the sentence on top, and the ply and words of one move.
GAMES = [
    ("tic_tac_toe", "b2 b3 a3 c1 b1 a1 c2 c3 a2",
     "Ring was lost from move 4 (c3).",
     (8, "mistake (drawn to lost, missed the block: Cross wins at once with a2)")),
    ("tic_tac_toe", "a1 b2 c3 a3 b1 c1",
     "Cross was lost from move 3 (b1).",
     (5, "mistake (won to lost, missed the block: Ring wins at once with c1)")),
    ("connect_four", "a d f d g f a d a d",
     "Red was lost from move 1 (a); Red's move 5 (a) let Yellow win at once.",
     (9, "mistake (missed the block: Yellow wins at once with d)")),
    ("connect_four", "d d c d e d g d",
     "Red was lost from move 4 (g).",
     (7, "mistake (won to lost, missed the win: b or f wins at once)")),
    ("connect_four", "d b d b d g d",
     "Yellow was lost from move 2 (b); Yellow's move 3 (g) let Red win at once.",
     (6, "mistake (missed the block: Red wins at once with d)")),
    ("gomoku:size=7,connect=4", "c4 d4 b5 d3 f3 d5 b1 d2",
     "Black lost most with move 3 (f3).", (5, "mistake (−")),
    ("dots_and_boxes:rows=2,cols=2",
     "h21;h10;h11;h01;v02;v01;v10;v11;v12;h20;h00;v00",
     "Red was lost from move 4 (v 1 1).", (8, "mistake (drawn to lost)")),
    ("othello:size=4", "b1 a1 a2 c1 d1 b4 a4 d3 d2 a3 d4 pass c4",
     "White was lost from move 4 (d3).", (8, "mistake (won to lost)")),
    ("hex:size=4", "d1 c1 d2 c4 b4 a4 c3",
     "Red's move 3 (a4) let Blue win at once.",
     (6, "mistake (missed the block: Blue wins at once with c3)")),
    ("breakthrough:size=5", "c2-c3 b4-c3 a2-a3 c3-b2 a3-b4 b2-c1",
     "White lost most with move 3 (a3-b4).",
     (5, "mistake (missed the block: Black wins at once with b2-a1 or b2-c1)")),
    ("kalah:pits=3,seeds=2", "b a c c c a c b b c a c",
     "Red gave a win away with move 2 (a).", (2, "mistake (won to drawn)")),
    ("ultimate_tic_tac_toe",
     "d5 b5 f6 h8 d4 b2 f4 h2 e5 i3 i7 g1 b3 e8 f3 g7 a2 c6 g9 b8 c1 i9 a4 c3 f7 a1 e7 e2 d8 a6 c7 "
     "c4 d2 d7 i4 f9 h5 a8 g4 c8",
     "Cross lost most with move 11 (c1); Cross's move 20 (g4) let Ring win at once.",
     (39, "mistake (missed the block: Ring wins at once with c8)")),
]  # fmt: skip


def moves_of(text):
    """The moves of a line; edges are written without spaces, as in ``h21``."""
    return [" ".join(move) for move in text.split(";")] if ";" in text else text.split()


@pytest.mark.parametrize(("spec", "moves", "sentence", "move"), GAMES)
def test_a_lost_game_says_why(spec, moves, sentence, move):
    result = review(spec, moves_of(moves), agent="alphabeta:depth=3")
    assert story(result) == sentence
    ply, words = move
    assert verdict(result.played.game, result.moves[ply - 1]).startswith(words)
    totals = [result.totals(player) for player in (0, 1)]
    assert min(each.accuracy for each in totals) < 0.85


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_a_missed_win_or_block_is_that_of_plain_play(spec):
    game = make_game(spec)
    reviewer = Reviewer(game, "greedy")

    def wins(position):
        player = position.to_move
        after = {action: position.after(action) for action in position.legal_actions()}
        return {a for a, child in after.items() if child.is_over and child.returns[player] > 0}

    for seed in range(12):
        position = random_position(game, 2 + seed % 6, seed=seed)
        if position.is_over or len(position.legal_actions()) == 1:
            continue
        for action in position.legal_actions()[:6]:
            move, child = reviewer.grade(position, action), position.after(action)
            threats = set(move.threats)
            if move.missed == "win":
                assert threats == wins(position)
                assert action not in threats
                assert move.grade in (INACCURACY, MISTAKE)
                assert set(move.better) == threats
            elif move.missed == "block":
                assert not wins(position)
                assert threats == wins(child)
                assert move.grade == MISTAKE
                assert move.better
                assert not any(wins(position.after(each)) for each in move.better)
