"""A league of past versions, for the loop of any library."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from plyground.envs.specification import SpecificationError
from plyground.extras.league.league import League

pytest.importorskip("sb3_contrib")
import torch
from networks import write_network
from plyground.training.environments import make_vector_env
from plyground.training.sb3 import BoardVecEnv
from plyground.training.sb3_callbacks import SelfPlayCallback
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_vec_env

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
GAME = "tic_tac_toe"


@pytest.fixture
def version(tmp_path):
    return write_network(tmp_path / "version.onnx", GAME)


def test_the_chances_are_those_of_the_three_rules(tmp_path, version):
    league = League(
        tmp_path / "league", GAME, latest=0.5, uniform=0.3, prioritised=0.2, anchors=["random"]
    )
    assert league.chances() == {"random": 1.0}
    for _ in range(2):
        league.add(version)
    assert league.members == ["random", "000001", "000002"]
    for _ in range(9):  # the learner loses to the anchor and beats the old version
        league.add_result("random", -1.0)
        league.add_result("000001", 1.0)
    scores = {"random": 0.95, "000001": 0.05, "000002": 0.5}
    total = sum(score**2 for score in scores.values())
    chances = {name: 0.1 + 0.2 * score**2 / total for name, score in scores.items()}
    chances["000002"] += 0.5
    assert league.chances() == pytest.approx(chances)


def test_a_league_goes_on_where_its_folder_stands(tmp_path, version):
    league = League(tmp_path / "league", GAME, capacity=2)
    for _ in range(3):
        league.add(version)
    league.add_result("000003", 0.0)
    league.save()
    again = League(tmp_path / "league", GAME, capacity=2)
    assert again.members == ["000002", "000003"]
    assert again.results == {"000003": [1.0, 0.5]}
    assert again.add(version).stem == "000004"
    with pytest.raises(SpecificationError, match="plays tic_tac_toe, not connect_four"):
        League(tmp_path / "league", "connect_four")


def test_what_makes_no_league_is_refused(tmp_path, version):
    for options, complaint in (
        ({"latest": -1}, "latest=-1 is not possible"),
        ({"latest": 0, "uniform": 0, "prioritised": 0}, "are all 0; one must be more"),
        ({"anchors": ["strongest"]}, "there is no agent 'strongest'"),
        ({"anchors": ["human"]}, "a person cannot play in training"),
        ({"capacity": 0}, "capacity=0 is not possible"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            League(tmp_path / "league", GAME, **options)
    with pytest.raises(SpecificationError, match="has no members; add a version or name anchors"):
        League(tmp_path / "league", GAME).draw()
    with pytest.raises(SpecificationError, match="is for tic_tac_toe"):
        League(tmp_path / "league", "connect_four").add(version)


def test_any_loop_plays_against_the_league(tmp_path, version):
    league = League(tmp_path / "league", GAME, anchors=["greedy"], seed=3)
    league.add(version)
    envs = make_vector_env(GAME, 64, league.draw(8))
    assert set(envs.opponents) == {"greedy", "000001"}
    _, infos = envs.reset(seed=1)
    for _ in range(20):
        _, rewards, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        for game in np.flatnonzero(over):
            label = envs.opponents[infos["final_info"]["opponent"][game]]
            league.add_result(label, rewards[game])
    assert sum(games for games, _ in league.results.values()) > 100
    assert league.score("greedy") > 0.6
    envs.set_opponent(league.draw(1))
    assert len(envs.opponents) == 1


@pytest.mark.parametrize("kind", ["BoardVecEnv", "a vector of single environments"])
def test_the_callback_trains_against_past_versions(kind, tmp_path):
    if kind == "BoardVecEnv":
        env = BoardVecEnv(GAME, 8, "random")
    else:
        env = make_vec_env("plyground/TicTacToe-v0", n_envs=8)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, device="cpu", seed=1)
    league = League(tmp_path / "league", GAME, anchors=["random"])
    model.learn(8 * 16 * 4, callback=SelfPlayCallback(league, every=128, draws=3))
    assert league.members == ["random", "000001", "000002", "000003"]
    results = League(tmp_path / "league", GAME).results
    assert sum(games for games, _ in results.values()) > 50
    assert len(results) > 1


def test_messages_say_which_version_a_member_is(tmp_path, version):
    league = League(tmp_path / "league", GAME, anchors=["random"], seed=1)
    league.add(version)
    titles = {opponent.label: str(opponent) for opponent in league.draw(20)}
    assert titles == {"random": "the opponent random", "000001": "version 1 of the learner"}


def test_a_q_network_plays_in_a_league_by_its_best_action(tmp_path):
    env = gymnasium.make("plyground/TicTacToe-v0")
    league = League(tmp_path / "league", GAME, latest=1, uniform=0, prioritised=0)
    league.add(DQN("MlpPolicy", env, buffer_size=100, device="cpu"))
    (opponent,) = league.draw()
    assert opponent.player.deterministic
