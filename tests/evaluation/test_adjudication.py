"""Games that end before their rules end them, and openings for gomoku tournaments."""

from __future__ import annotations

import pytest
from command_line import done
from helpers import openings_of, run
from plyground import Agent, Decision, make_agent, make_game
from plyground.agents.decision import Score
from plyground.evaluation.conditions import Conditions
from plyground.evaluation.match import Referee, play_game
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.verification import verify

GAME = "gomoku:size=9"
WINS, LOSES = Score(1.0, "return", "exact", 5), Score(-1.0, "return", "estimate", 4)


def decisions(referee, *scores):
    """Note decisions of the seats in turn; the verdicts after each."""
    verdicts = []
    for ply, score in enumerate(scores):
        referee.add(ply % 2, Decision(0, score=score))
        verdicts.append(referee.verdict(ply + 1))
    return verdicts


def test_a_game_is_drawn_after_the_plies_asked_for():
    agents = [make_agent("random"), make_agent("random")]
    result = play_game(GAME, agents, [40, 41], conditions=Conditions(draw_after=7))
    assert len(result.moves) == 7
    assert (result.returns, result.reason) == ((0, 0), "drawn after 7 plies")
    assert (result.fault, result.decisions) == (None, (3, 2))


def test_a_game_ends_once_both_have_seen_the_same_result_often_enough():
    referee = Referee(Conditions(agreed_after=2))
    verdicts = decisions(referee, WINS, LOSES, WINS, LOSES)
    assert verdicts[:3] == [None] * 3
    assert verdicts[3] == ((1, -1), "decided: both agents see that player_0 wins")


@pytest.mark.parametrize(
    "other",
    [
        Score(300.0, "points"),
        Score(-0.9, "return", "estimate"),
        Score(-1.0, "return", "upper", 3),
        WINS,
        None,
    ],
)
def test_without_the_same_forced_result_a_game_goes_on(other):
    referee = Referee(Conditions(agreed_after=1))
    assert decisions(referee, WINS, other, WINS, other) == [None] * 4


def test_what_an_agent_no_longer_sees_counts_from_the_beginning():
    referee = Referee(Conditions(agreed_after=2))
    nothing = Score(0.0, "points")
    assert decisions(referee, WINS, LOSES, WINS, nothing, WINS, LOSES) == [None] * 6


def test_searches_agree_before_the_last_move_and_the_store_holds_what_happened(tmp_path):
    plan = Plan("gomoku:size=7,connect=4", ("alphabeta:depth=4", "alphabeta:depth=3"), 2)
    path = tmp_path / "store.db"
    games = run(plan, path, agreed_after=1)
    reasons = {game.result.reason for game in games}
    assert any(reason.startswith("decided: both agents see that") for reason in reasons)
    with Store(path) as store:
        (tournament,) = store.tournaments()
        assert tournament.settings["agreed_after"] == 1
        verification = verify(tournament, store, 4, "never")
        assert verification.sound, (verification.findings, verification.deviations)
        assert verification.played == 4


def test_the_command_ends_games_and_transforms_openings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = done(
        f"tournament {GAME} random easy --pairs 2 --opening swap2:3 --transform --draw-after 8"
    )
    assert "opening swap2:3, transformed" in " ".join(result.stdout.split())
    done("verify plyground-tournament.db")


@pytest.mark.parametrize("spec", ["gomoku:rows=5,cols=7", "connect_four", "dots_and_boxes"])
def test_transformed_openings_are_images_of_the_openings(spec):
    game = make_game(spec)
    plain = openings_of(game, "random:3", seed=1)
    images_of = openings_of(game, "random:3", seed=1, transform=True)
    # the n-th image is that of the n-th opening or, where images were dropped, of a later one
    openings, images = ([source[n] for n in range(20)] for source in (plain, images_of))
    later = iter(plain[number] for number in range(40))
    for image in images:
        assert any(
            image in [tuple(int(row[action]) for action in opening) for row in game.symmetries]
            for opening in later
        )
    assert openings != images


class SaysNumbers(Agent):
    """Writes its decisions with a number in place of a score."""

    name = "says_numbers"

    def decide(self, position):
        return Decision(position.legal_actions()[0], 0.5)


def test_a_decision_whose_score_is_a_number_loses_the_game_with_a_sentence():
    agents = [SaysNumbers(), make_agent("random")]
    result = play_game("tic_tac_toe", agents, conditions=Conditions(agreed_after=2))
    assert result.forfeited == 0
    assert "the score of a Decision is a Score, such as Score(0.5), not 0.5" in result.reason
