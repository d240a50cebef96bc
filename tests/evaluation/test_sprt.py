"""Sequential tests: the likelihood ratio against a second implementation, error rates, and that
they stop and go on as they should.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import scipy.optimize
from command_line import done, invoke
from command_line import plyground as run
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import report_store
from plyground.evaluation.sequential_test import SprtMatch
from plyground.evaluation.statistics.ratings import elo_of, score_of
from plyground.evaluation.statistics.sprt import (
    H0,
    H1,
    Hypotheses,
    hypotheses_of,
    log_likelihood_ratio,
    normalized_elo,
)
from plyground.evaluation.store.store import Store

POINTS = np.linspace(0, 1, 5)


@pytest.mark.parametrize(
    "pairs", [(10, 20, 40, 22, 9), (3, 0, 5, 1, 0), (1, 0, 0, 0, 8), (200, 100, 900, 150, 260)]
)
def test_the_ratio_is_that_of_the_best_outcome_probabilities_under_each_hypothesis(pairs):
    counts = np.array([count or 1e-3 for count in pairs])

    def best(score: float) -> float:
        """The maximum over logits with the right expectation, found by a general optimiser that
        knows nothing of the closed form.
        """

        def loss(logits: np.ndarray) -> float:
            return -counts @ (logits - np.logaddexp.reduce(logits)) / counts.sum()

        def surplus(logits: np.ndarray) -> float:
            return POINTS @ np.exp(logits - np.logaddexp.reduce(logits)) - score

        optimum = scipy.optimize.minimize(
            loss,
            np.log(counts / counts.sum()),
            method="SLSQP",
            constraints={"type": "eq", "fun": surplus},
            options={"maxiter": 2000, "ftol": 1e-15},
        )
        assert abs(surplus(optimum.x)) < 1e-7
        return -optimum.fun * counts.sum()

    assert log_likelihood_ratio(pairs, -10, 40) == pytest.approx(
        best(score_of(40)) - best(score_of(-10)), rel=1e-3, abs=1e-3
    )


def test_the_ratio_is_zero_without_results_and_changes_sign_with_the_sides():
    assert log_likelihood_ratio((0, 0, 0, 0, 0), 0, 20) == 0
    pairs = (10, 20, 40, 22, 9)
    assert log_likelihood_ratio(pairs[::-1], 0, 20) == pytest.approx(
        -log_likelihood_ratio(pairs, -20, 0)
    )
    assert log_likelihood_ratio(pairs, -15, 15) == pytest.approx(
        -log_likelihood_ratio(pairs, 15, -15)
    )


def test_bounds_are_walds():
    lower, upper = Hypotheses(alpha=0.05, beta=0.1).bounds
    assert (lower, upper) == pytest.approx((np.log(0.1 / 0.95), np.log(0.9 / 0.05)))
    hypotheses = Hypotheses(alpha=0.05, beta=0.1)
    verdicts = [hypotheses.verdict(ratio) for ratio in (lower - 0.01, 0.0, upper + 0.01)]
    assert verdicts == [H0, None, H1]


@pytest.mark.parametrize(("true", "wrong"), [(0.0, H1), (100.0, H0)])
def test_errors_are_as_rare_as_promised(true, wrong):
    """0 against 100 Elo, so that it is quick; benchmarks/ratings.py measures more, and more
    precisely.
    """
    hypotheses, rng = Hypotheses(0, 100, 0.1, 0.1), np.random.default_rng(11)
    score = score_of(true)
    game = np.array([1 - score - 0.15, 0.3, score - 0.15])
    chances = np.convolve(game, game)
    errors = 0
    for _ in range(150):
        counts, verdict = [0, 0, 0, 0, 0], None
        while verdict is None:
            counts[rng.choice(5, p=chances)] += 1
            verdict = hypotheses.verdict(
                log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
            )
        errors += verdict == wrong
    assert errors / 150 <= 0.1 + 2 * (0.1 * 0.9 / 150) ** 0.5
    assert elo_of(score) == pytest.approx(true)


def test_a_test_is_between_two_agents(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy", "random"))
    with pytest.raises(SpecificationError, match="between two agents, not 3"):
        SprtMatch(plan, Hypotheses(), Store(tmp_path / "store.db"))


# -- played --


TO_100 = Hypotheses(0, 100)


def play(path, hypotheses=TO_100, **changes) -> SprtMatch:
    plan = Plan("tic_tac_toe", ("greedy", "random"), opening="random:4").replace(**changes)
    with Store(path) as store:
        match = SprtMatch(plan, hypotheses, store)
        match.run()
        return match


def test_a_test_stops_at_the_first_pair_that_decides(tmp_path):
    match = play(tmp_path / "store.db")
    assert match.state.verdict == H1
    assert match.state.ratio >= match.hypotheses.bounds[1]
    with Store(tmp_path / "store.db") as store:
        (tournament,) = store.tournaments()
        assert len(list(store.games(tournament.number))) == 2 * sum(match.state.pairs)
    ratings = match.ratings()
    elo, margin = ratings.difference(0, 1)
    assert elo - margin > 0 == ratings.elo[1]


def test_a_test_goes_on_where_it_was_stopped_and_comes_to_the_same_end(tmp_path):
    whole = play(tmp_path / "whole.db")
    part = play(tmp_path / "parts.db", pairs=3)
    assert part.state.verdict is None
    assert part.finished
    assert play(tmp_path / "parts.db").state == whole.state
    again = play(tmp_path / "parts.db")  # everything is in the store
    assert again.state == whole.state


def test_what_a_store_holds_beyond_the_deciding_pair_changes_nothing(tmp_path):
    first = play(tmp_path / "store.db")
    with Store(tmp_path / "store.db") as store:  # such as workers play ahead
        plan = first.plan.replace(pairs=sum(first.state.pairs) + 10)
        SprtMatch(plan, TO_100, store).tournament.run()
        assert len(store.game_keys(1)) == 2 * plan.pairs
    assert play(tmp_path / "store.db").state == first.state


def test_agents_that_are_known_to_repeat_themselves_play_each_opening_once(tmp_path):
    for _ in range(2):  # the second time everything is in the store
        agents = ("alphabeta:depth=2", "alphabeta:depth=3")
        match = play(tmp_path / "store.db", agents=agents, opening="all:1", pairs=500)
        assert (match.state.verdict, match.exhausted) == (None, True)
        assert (sum(match.state.pairs), match.state.repeated) == (3, 0)
    with Store(tmp_path / "store.db") as store:
        assert len(store.game_keys(1)) == 6


def test_the_command_tells_the_verdict_and_what_it_stands_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = done("sprt tic_tac_toe greedy random --elo1 100")
    assert "H1 is accepted: the difference is 100 Elo rather than 0" in result.stdout
    assert re.search(r"log-likelihood ratio +\d\.\d\d \(H0 at -2\.94, H1 at 2\.94\)", result.stdout)
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    value = json.loads(run("sprt tic_tac_toe greedy random --elo1 100 --json").stdout)
    assert (value["verdict"], value["pairs"]) == ("H1", sum(value["pentanomial"]))
    assert value["llr"] >= value["upper_bound"]


def test_the_command_says_how_to_go_on_where_nothing_is_decided(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        "not decided after 2 pairs; the same command with a higher --max-pairs resumes"
        in run("sprt tic_tac_toe random random --max-pairs 2").stdout
    )


@pytest.mark.thorough
def test_a_test_that_a_withdrawn_agent_ends_says_so_and_fails(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("sprt tic_tac_toe random python:broken.agents:EndsTheProcess --elo0 -400 --elo1 9")
    assert result.exit_code == 1
    assert "not decided: python:broken.agents:EndsTheProcess was withdrawn after 1 pair," in (
        " ".join(result.stdout.split())
    )


def test_normalised_elo_is_the_score_in_standard_deviations_of_a_game():
    # independent games without draws: a game's standard deviation is that of a coin
    rng, share = np.random.default_rng(3), 0.6
    games = rng.random((200_000, 2)) < share
    pairs = np.bincount(2 * games.sum(axis=1), minlength=5)
    value, margin = normalized_elo(pairs)
    exact = (share - 0.5) / np.sqrt(share * (1 - share)) * 800 / np.log(10)
    assert value == pytest.approx(exact, abs=margin)
    assert margin == pytest.approx(1.96 * 800 / np.log(10) / np.sqrt(2 * 200_000), rel=0.001)
    mirrored = normalized_elo(pairs[::-1])
    assert mirrored == pytest.approx((-value, margin))


def test_pairs_that_all_end_alike_have_no_normalised_elo():
    assert normalized_elo((0, 0, 0, 0, 7)) is None
    assert normalized_elo((0, 0, 0, 0, 0)) is None


@pytest.mark.parametrize("test", [3, {"elo": 3}, {"elo0": "a"}, {"alpha": 0}])
def test_hypotheses_that_cannot_be_are_refused(test):
    with pytest.raises(SpecificationError, match="a test without readable hypotheses"):
        hypotheses_of({"test": test})


@pytest.mark.parametrize("changed", [Hypotheses(1, 100), Hypotheses(0, 100, beta=0.04)])
def test_a_test_does_not_go_on_with_other_hypotheses(changed, tmp_path):
    first = play(tmp_path / "store.db", pairs=2)
    with pytest.raises(SpecificationError, match=re.escape(f"begun with {TO_100}; with {changed}")):
        play(tmp_path / "store.db", changed)
    assert play(tmp_path / "store.db", changed, seed=2).hypotheses == changed
    assert play(tmp_path / "store.db", pairs=2).state == first.state
    with Store(tmp_path / "store.db") as store:
        assert [each.test.hypotheses for each in report_store(store)] == [TO_100, changed]


def test_the_report_of_a_test_has_its_pairs_and_its_course(tmp_path):
    store = str(tmp_path / "test.db")
    words = ["sprt", "tic_tac_toe", "greedy", "random", "--elo1", "100", "--store", store]
    verdict = json.loads(invoke([*words, "--json"]).stdout)
    report = json.loads(invoke(["report", store, "--json"]).stdout)["tournaments"][0]
    (pairs,) = report["pairs"]
    assert pairs["pentanomial"] == verdict["pentanomial"]
    assert pairs["normalized_elo"] == pytest.approx(verdict["normalized_elo"])
    assert pairs["superiority"] == pytest.approx(verdict["superiority"])
    assert report["test"]["elo1"] == 100
    assert report["test"]["verdict"] == verdict["verdict"] == "H1"
    course = report["test"]["course"]
    assert course[-1] == [verdict["pairs"], pytest.approx(verdict["llr"])]
    assert [number for number, _ in course] == sorted(number for number, _ in course)
    counted = [opening["games"] for opening in report["openings"]]
    assert sum(counted) == report["games"]
    first = report["first_move"]
    points = sum(each["games"] * each["first_player_score"] for each in report["openings"])
    if not report["repeated_games"]:
        assert points == pytest.approx(first["wins"] + first["draws"] / 2)
    text = invoke(["report", store], COLUMNS="120").stdout
    assert "sequential test of 100 against 0 Elo: H1 is accepted" in text
