"""The searches of the core in gomoku, whose positions the engine keeps for them."""

from __future__ import annotations

import pytest
from helpers import openings_of
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough


def test_a_search_that_leaves_actions_out_does_not_call_a_forced_win_proved():
    moves = ["h8", "a1", "h9", "a3", "h10", "a5"]
    decision = make_agent("alphabeta:depth=4").analyse(make_game("gomoku").position(moves))
    assert decision.mate_in == 3
    assert decision.score.kind == "estimate"
    assert not decision.exact
    assert decision.score.text() == "wins in 3 plies (not proved)"


OPEN_FOUR = ["h8", "a1", "h9", "a3", "h10", "a5", "h11"]


@pytest.mark.parametrize(
    "agent",
    [
        "hard",
        "hard:heuristic=caro15",
        "caro10_alphabeta:resistance=yes",
        "alphabeta:depth=2,heuristic=caro15_open,radius=2",
        "minimax:depth=2,radius=1",
    ],
)
def test_an_open_four_is_blocked_although_the_game_is_lost(agent):
    game = make_game("gomoku:rule=caro")
    decision = make_agent(agent).analyse(game.position(OPEN_FOUR))
    assert decision.mate_in == -2
    assert game.action_to_text(decision.action) in ("h7", "h12")


def test_openings_of_swap2_are_different_and_near_the_centre():
    game = make_game("gomoku")
    openings = openings_of(game, "swap2:5", seed=3)
    again = openings_of(game, "swap2:5", seed=3)
    openings_drawn = [openings[number] for number in range(30)]
    assert openings_drawn == [again[number] for number in range(30)]
    assert len({game.position(opening).key for opening in openings_drawn}) == 30
    for opening in openings_drawn:
        assert all(abs(cell // 15 - 7) <= 3 and abs(cell % 15 - 7) <= 3 for cell in opening)
    near_zero = openings_of(game, "balanced:5", seed=3)
    judge = make_agent("gomoku:nodes=25000", game)
    choice = [near_zero[number] for number in range(4)]
    assert all(abs(judge.analyse(game.position(opening)).value) <= 60 for opening in choice)
    assert set(choice) <= {openings[number] for number in range(near_zero.judged)}
    assert near_zero.settings == {
        "opening": "swap2:5", "balanced": "gomoku:nodes=25000", "within": 60
    }  # fmt: skip
    with pytest.raises(SpecificationError, match="swap2 is an opening of gomoku, not of"):
        openings_of(make_game("connect_four"), "swap2:3", seed=3)[0]
