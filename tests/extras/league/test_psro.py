"""Training a league: equilibria of tables, rounds that go on, and the command."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.extras.league.league import League
from plyground.extras.league.psro import (
    LeagueSettings,
    LeagueTraining,
    exploitability,
    nash_mixture,
    read_league,
)
from plyground.training.folder import TrainingError

pytest.importorskip("scipy")
from command_line import plyground
from networks import write_network

GAME = "tic_tac_toe"
SETTINGS = LeagueSettings(
    ("ppo", "exploiter", "alphazero"), 3, anchors=("random", "greedy"), exploration=0
)


def test_the_equilibrium_of_rock_paper_scissors_is_even():
    scores = np.array([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    assert nash_mixture(scores) == pytest.approx([1 / 3] * 3)
    assert exploitability(scores, nash_mixture(scores)) == pytest.approx(0, abs=1e-9)
    assert exploitability(scores, np.array([1.0, 0, 0])) == pytest.approx(0.5)


def test_a_member_that_beats_all_others_is_the_equilibrium():
    scores = np.array([[0.5, 0.2, 0.9], [0.8, 0.5, 0.6], [0.1, 0.4, 0.5]])
    assert nash_mixture(scores) == pytest.approx([0, 1, 0], abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=15, max_size=15))
def test_no_member_beats_the_equilibrium(values):
    scores = np.full((6, 6), 0.5)
    scores[np.triu_indices(6, 1)] = values
    scores[np.tril_indices(6, -1)] = 1 - scores.T[np.tril_indices(6, -1)]
    mixture = nash_mixture(scores)
    assert mixture.sum() == pytest.approx(1)
    assert (mixture >= 0).all()
    assert exploitability(scores, mixture) < 1e-6


class Trial:
    """Trains no network: it writes one, and later members win more."""

    def __init__(self, stop_after=None):
        self.runs, self.met, self.stop_after = [], [], stop_after

    def train(self, number, algorithm, settings, out):
        if self.stop_after == number:
            raise KeyboardInterrupt
        self.runs.append((number, algorithm, settings, out.name))
        out.mkdir(parents=True, exist_ok=True)
        write_network(out / "best.onnx", GAME)

    def meet(self, agents):
        self.met.append(agents)
        return [(10, 6.0 + min(place, 3)) for place in range(len(agents) - 1)]


def train(folder, trial, settings=SETTINGS, seed=1):
    training = LeagueTraining(make_game(GAME), folder, settings, seed, trial.meet)
    training.run(trial.train)
    return training


def test_rounds_are_trained_against_the_mixture_of_those_before(tmp_path):
    trial = Trial()
    training = train(tmp_path / "league", trial)
    assert [run[1] for run in trial.runs] == ["ppo", "ppo", "alphazero"]
    assert [run[3] for run in trial.runs] == ["001_ppo", "002_exploiter", "003_alphazero"]
    assert trial.runs[0][2].opponent == "mix:1 greedy"  # which beats random
    assert trial.runs[1][2].opponent.startswith("mix:1 onnx:")
    assert trial.runs[1][2].initial == ""
    assert [len(agents) for agents in trial.met] == [2, 3, 4, 5]
    last = training.rounds[-1]
    assert last.games == [10] * 4
    assert last.points == [9.0, 8.0, 7.0, 6.0]  # the newest opponent is met first
    assert last.mixture == {"000003": 1.0}
    league = League(tmp_path / "league", GAME, latest=0, uniform=0, prioritised=0, mixture=1)
    assert league.chances()["000003"] == pytest.approx(1)
    assert league.score("000002") < 0.5  # the next learner begins with what the newest scored


def test_a_member_begins_with_the_weights_of_the_last_of_its_kind(tmp_path):
    trial = Trial()
    train(tmp_path / "league", trial, LeagueSettings(("ppo", "exploiter"), 4))
    initial = [run[2].initial for run in trial.runs]
    assert initial[0] == initial[1] == initial[3] == ""
    assert initial[2].endswith("001_ppo")


def test_a_league_that_was_stopped_goes_on_and_may_have_more_rounds(tmp_path):
    whole = train(tmp_path / "whole", Trial())
    stopped = Trial(stop_after=1)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "league", stopped)
    again = Trial()
    training = train(tmp_path / "league", again)
    assert [run[0] for run in again.runs] == [1, 2]
    assert [each.member for each in training.rounds] == [each.member for each in whole.rounds]
    assert training.scores() == pytest.approx(whole.scores())
    longer = Trial()
    four = dataclasses.replace(SETTINGS, rounds=4)
    train(tmp_path / "league", longer, four)
    assert [run[0] for run in longer.runs] == [3]


def test_a_version_that_was_added_before_a_kill_is_not_added_twice(tmp_path):
    train(tmp_path / "league", Trial())
    path = tmp_path / "league" / "training.json"
    data = json.loads(path.read_text())
    data["rounds"].pop()
    path.write_text(json.dumps(data))
    training = train(tmp_path / "league", Trial())
    assert len(training.league.versions) == len(training.rounds) == 3


def test_a_share_of_the_opponents_is_drawn_from_all_members(tmp_path):
    trial = Trial()
    train(tmp_path / "league", trial, dataclasses.replace(SETTINGS, rounds=2, exploration=0.3))
    assert trial.runs[0][2].opponent == "mix:0.15 random,0.85 greedy"


@pytest.mark.parametrize("rule", ["latest", "uniform", "prioritised"])
def test_opponents_may_be_drawn_by_other_rules(tmp_path, rule):
    trial = Trial()
    train(tmp_path / rule, trial, LeagueSettings(("ppo",), 3, opponents=rule, exploration=0))
    words = trial.runs[2][2].opponent.removeprefix("mix:").split(" ")
    assert len(words) - 1 == {"latest": 1, "uniform": 3, "prioritised": 3}[rule]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"members": ("sarsa",)}, "no kind of member"),
        ({"members": ()}, "needs kinds of members"),
        ({"anchors": ()}, "at least one anchor"),
        ({"opponents": "strongest"}, "cannot be drawn by"),
        ({"exploration": 1.5}, "a share from 0 to 1"),
        ({"texts": ("entropy=0.02",)}, "ALGORITHM.NAME=VALUE"),
        ({"texts": ("sarsa.entropy=0.02",)}, "ALGORITHM.NAME=VALUE"),
    ],
)
def test_settings_that_are_not_possible_are_refused(options, message):
    with pytest.raises(SpecificationError, match=message):
        LeagueSettings(**options)


def test_another_league_in_the_folder_is_refused(tmp_path):
    train(tmp_path / "league", Trial())
    with pytest.raises(TrainingError, match="seed is 1 there and 2 here"):
        train(tmp_path / "league", Trial(), seed=2)
    with pytest.raises(TrainingError, match="no league that was trained"):
        read_league(tmp_path)


def test_the_picture_shows_the_table_and_the_mixtures(tmp_path):
    train(tmp_path / "league", Trial())
    curve = read_league(tmp_path / "league")
    assert curve.names == ["random", "greedy", "000001 ppo", "000002 exploiter", "000003 alphazero"]
    assert curve.mixtures.shape == (3, 5)
    assert curve.exploitability[-1] == pytest.approx(0)
    assert curve.exploitability[0] > 0
    picture = tmp_path / "league.png"
    drawn = plyground("curves", str(tmp_path / "league"), "--out", str(picture))
    assert drawn.exit_code == 0, drawn.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused = plyground("curves", str(tmp_path), str(tmp_path / "league"))
    assert refused.exit_code == 2
    assert "league is no training run; it is drawn alone" in refused.stderr


@pytest.mark.thorough
def test_the_command_trains_a_small_league(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = (
        "train", "league", GAME, "--out", "league", "--members", "ppo,alphazero", "--rounds", "2",
        "--steps", "2k", "--hours", "0", "--pairs", "3", "--set", "ppo.games=16",
        "--set", "ppo.rollout=16", "--set", "ppo.batch_size=64", "--set", "alphazero.steps=300",
        "--set", "alphazero.games=16", "--set", "alphazero.simulations_per_update=3000",
        "--set", "alphazero.simulations=12", "--set", "alphazero.first_simulations=8",
        "--set", "alphazero.fast_simulations=4", "--set", "alphazero.units=32",
        "--set", "alphazero.cache=1",
    )  # fmt: skip
    result = plyground(*words)
    assert result.exit_code == 0, result.stderr
    assert "000002 alphazero" in result.stdout
    assert (tmp_path / "league" / "league.png").exists()
    assert "finished: 2 rounds" in plyground(*words).stderr
    refused = plyground("train", "league", GAME, "--out", "league", "--seed", "5")
    assert refused.exit_code == 2
    assert "holds another league" in refused.stderr
