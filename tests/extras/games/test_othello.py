"""Othello: whom the cells count for that are free at the end."""

from __future__ import annotations

import pytest
from plyground import make_agent, make_game
from plyground.envs import rules as r

WON = "d3,d2,d1,d4,b4,pass,a1"  # 9 discs to 1, six cells free
LOST = "a2,a1,d3,a3,b1,c1,pass,c4"  # 1 disc to 10


@pytest.mark.parametrize(
    ("empties", "moves", "score", "reason"),
    [
        ("winner", WON, (15, 1), "15 to 1, free cells included"),
        ("nobody", WON, (9, 1), "9 discs to 1"),
        ("winner", LOST, (1, 15), "1 to 15, free cells included"),
        ("nobody", LOST, (1, 10), "1 discs to 10"),
    ],
)
def test_free_cells_count_at_the_end_alone(empties, moves, score, reason):
    game = make_game("othello:size=4", empties=empties)
    position = game.position(moves.split(","))
    assert (r.score(game.rules, position.record), position.outcome.reason) == (score, reason)
    ahead = score[0] - score[1]
    assert [r.margin(game.rules, position.record, player) for player in (0, 1)] == [ahead, -ahead]
    margin = make_game("othello:size=4,reward=margin", empties=empties).position(moves.split(","))
    assert margin.returns == (ahead, -ahead)
    position.pop()
    discs = [str(position).count(mark) for mark in "XO"]
    assert list(r.score(game.rules, position.record)) == discs


def test_in_a_draw_each_gets_half_of_the_free_cells():
    for empties, score in (("winner", (8, 8)), ("nobody", (7, 7))):
        game = make_game("othello:size=4", empties=empties)
        position = game.position_from_text("XOOX/1OOO/1XXX/XOXO:X")
        assert position.outcome.winner is None
        assert r.score(game.rules, position.record) == score
        assert position.returns == (0, 0)


def test_levels_of_an_opening_of_othello_stay_on_one_side():
    position = make_game("othello").position(["d3", "c3", "c4"])
    scores = [make_agent(f"alphabeta:depth={d}").analyse(position).score for d in range(4, 9)]
    assert min(score.value for score in scores) < -20 < 20 < max(score.value for score in scores)
    assert max(abs(score.level) for score in scores) < 20


def test_a_pass_is_a_ply():
    moves = "c4,b4,a2,d2,d3,b1,a3,d4,c1,d1,pass"
    position = make_game("othello:size=4").position(moves.split(","))
    assert (position.ply, len(position.moves), str(position).count(".")) == (11, 11, 2)
    seen = position.game.position_from_observation(position.observation())
    with pytest.raises(NotImplementedError, match="plies_played"):  # discs do not tell of passes
        _ = seen.ply


def test_where_margins_are_returns_they_are_part_of_what_is_played():
    rules = make_game("othello:size=4,empties=nobody").rules
    assert r.as_played(rules) != rules
    rules = make_game("othello:reward=margin,empties=nobody").rules
    assert r.as_played(rules) == rules
