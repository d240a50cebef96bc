"""Reports of a store: what they say of games whose results are known, as text and as JSON."""

from __future__ import annotations

import json
import re

import pytest
from command_line import done
from command_line import plyground as run
from plyground.envs.specification import SpecificationError
from plyground.evaluation.fingerprints import Description
from plyground.evaluation.match import GameResult
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import parse_anchor, report_store
from plyground.evaluation.statistics.intervals import QUANTILE
from plyground.evaluation.statistics.ratings import ELO, elo_of
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import Tournament


def store_results(
    path, results: list[tuple[int, int, int, float]], labels=("a", "b", "c"), **changes
) -> None:
    """A store with one tournament: (pair, seat 0, seat 1, return to seat 0) of each game; no two
    games have the same moves.
    """
    with Store(path) as store:
        agents = [Description(label, {}, "1", label=label) for label in labels]
        settings = {"game": "connect_four", "seed": 3}
        number = store.enter_tournament("known", settings, agents, 5)
        for index, (pair, first, second, won) in enumerate(results):
            reason = "4 in a row" if won else "the board is full"
            times = (0.5, 1.0), (1, 1)
            result = GameResult((pair, index), (won, -won), reason, None, None, *times)
            result = result._replace(**changes)
            store.add(number, StoredGame(pair, (first, second), (pair,), (1, 2), result))


RESULTS = [
    *[(0, 0, 1, 1), (0, 1, 0, -1), (1, 0, 1, 1), (1, 1, 0, 0), (2, 0, 1, -1), (2, 1, 0, -1)],
    *[(0, 1, 2, 1), (0, 2, 1, 1), (1, 0, 2, 0), (1, 2, 0, 0)],
]


def test_a_report_counts_what_the_store_holds(tmp_path):
    store_results(tmp_path / "store.db", RESULTS)
    (report,) = report_store(Store(tmp_path / "store.db"), ("c", 100.0))
    assert [(m.first, m.second, m.pairs) for m in report.table.meetings()] == [
        ("a", "b", (0, 0, 1, 1, 1)),
        ("b", "c", (0, 0, 1, 0, 0)),
        ("a", "c", (0, 0, 1, 0, 0)),
    ]
    assert report.endings == {"4 in a row": 7, "the board is full": 3}
    assert (report.table.games, report.table.distinct_games, report.table.repeated) == (10, 10, 0)
    first = report.first_seat
    assert (first.wins, first.draws, first.losses) == (4, 3, 3)
    assert report.ratings.elo[2] == 100
    assert report.ratings.order()[0] == 0


def test_the_worth_of_the_first_move_takes_games_with_one_opening_as_one_observation(tmp_path):
    store_results(tmp_path / "store.db", RESULTS)
    (report,) = report_store(Store(tmp_path / "store.db"))
    score = 5.5 / 10
    # (games, points of whoever moved first) for the openings 0, 1, 2
    sums = [(4, 3.0), (4, 2.5), (2, 0.0)]
    variance = sum((points - games * score) ** 2 for games, points in sums) / 10**2 * 3 / 2
    assert report.first_move_elo == pytest.approx(
        (elo_of(score), QUANTILE * ELO * variance**0.5 / (score * (1 - score)))
    )


@pytest.mark.parametrize(
    "results",
    [
        [(0, 0, 1, 0)],  # one game, drawn
        [(0, 0, 1, 0), (0, 1, 0, 0)],
        [(pair, *seats, won) for pair in range(9) for seats, won in (((0, 1), 1), ((1, 0), -1))],
    ],
)
@pytest.mark.filterwarnings("error")
def test_where_games_show_no_spread_nothing_is_said_of_the_first_move(results, tmp_path):
    store_results(tmp_path / "store.db", results, ("a", "b"))
    (report,) = report_store(Store(tmp_path / "store.db"))
    assert report.first_move_elo is None
    text = run("report", str(tmp_path / "store.db")).stdout
    assert "the value of the first move cannot be estimated" in " ".join(text.split())
    assert "nan" not in text


def test_forfeits_are_counted_by_their_kind(tmp_path):
    fault = {"reason": "player_1 (b) raised ValueError: 17", "fault": "raised", "forfeited": 1}
    store_results(tmp_path / "store.db", [(0, 0, 1, 1)], ("a", "b"), **fault)
    (report,) = report_store(Store(tmp_path / "store.db"))
    assert report.endings == {"forfeit: raised": 1}


def test_a_pool_that_cannot_be_rated_is_reported_with_the_reason(tmp_path):
    store_results(tmp_path / "store.db", [(0, 0, 1, 1), (0, 1, 0, 1)])
    (report,) = report_store(Store(tmp_path / "store.db"))
    assert report.ratings is None
    reason = "no results connect these groups of agents, so that no ratings compare them: a, b; c"
    assert report.unrated == reason
    result = run("report", str(tmp_path / "store.db"))
    assert "no ratings: no results connect these groups" in result.stdout
    (shown,) = json.loads(run("report", str(tmp_path / "store.db"), "--json").stdout)["tournaments"]
    assert shown["ratings"] is None


@pytest.fixture(scope="module")
def store_path(tmp_path_factory):
    """A store of two tournaments, one of which repeats its games."""
    path = tmp_path_factory.mktemp("report") / "store.db"
    with Store(path) as store:
        Tournament(
            Plan("tic_tac_toe", ("random", "greedy", "alphabeta:depth=2"), pairs=5), store
        ).run()
        repeating = ("python:plain_agents:Leftmost", "python:plain_agents:Rightmost")
        Tournament(Plan("tic_tac_toe", repeating, pairs=4, opening="random:0"), store).run()
    return path


def test_the_command_reports_each_tournament_within_the_width_of_a_terminal(store_path):
    result = done("report", store_path, "--anchor", "random=0")
    lines = result.stdout.splitlines()
    assert sum(line.startswith("agent ") for line in lines) == 2
    # The anchor's interval is that of its distance from the pool's mean.
    assert any(re.match(r"random +0 +[1-9]\d* ", line) for line in lines)
    assert "30 games, " in result.stdout
    assert "8 games, 2 of them distinct" in result.stdout
    assert "repeated by the same deterministic agents, and not counted: 6 games" in result.stdout
    assert all(len(line.rstrip()) <= 80 for line in lines)


def test_json_holds_everything_the_text_shows(store_path):
    result = run("report", str(store_path), "--anchor", "random=1000", "--json")
    first, second = json.loads(result.stdout)["tournaments"]
    assert {each["agent"]: each["elo"] for each in first["ratings"]["agents"]}["random"] == 1000
    assert first["games"] == sum(first["endings"].values()) == 30
    assert first["first_move"]["games"] == 30 - first["repeated_games"]
    assert (second["games"], second["repeated_games"], second["distinct_games"]) == (8, 6, 2)
    assert sum(agent["elo"] for agent in second["ratings"]["agents"]) == pytest.approx(0, abs=1e-6)
    assert {key for key in first if key not in second} == set()


def test_an_anchor_is_an_agent_of_the_store_and_a_rating(store_path):
    assert parse_anchor("alphabeta:depth=2=1500.5") == ("alphabeta:depth=2", 1500.5)
    for text in ("random", "random=", "=5", "random=much"):
        with pytest.raises(
            SpecificationError, match="an anchor is an agent and its rating, such as random=0, not"
        ):
            parse_anchor(text)
    with pytest.raises(
        SpecificationError,
        match=(r"the anchor 'mcts' is not one of the agents in .*; they are alphabeta.*, random"),
    ):
        report_store(Store(store_path), ("mcts", 0.0))


def test_a_store_without_games_says_so(tmp_path):
    store_results(tmp_path / "store.db", [])
    said = run("report", str(tmp_path / "store.db")).stdout.strip()
    assert said == f"{tmp_path / 'store.db'} holds no games"
