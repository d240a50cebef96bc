"""Self-play outside of plyground's own trainer: a league, callbacks for SB3, a ladder."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.evaluation.gauntlet import evaluate
from plyground.evaluation.ladder import Ladder
from plyground.evaluation.store.store import Store
from plyground.training.league import League

pytest.importorskip("sb3_contrib")
import torch
from models import new_model
from networks import write_network
from plyground.training.environments import make_vector_env
from plyground.training.sb3 import BoardVecEnv
from plyground.training.sb3_callbacks import LadderCallback, SelfPlayCallback
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


def test_a_q_network_plays_in_a_league_by_its_best_action(tmp_path):
    env = gymnasium.make("plyground/TicTacToe-v0")
    league = League(tmp_path / "league", GAME, latest=1, uniform=0, prioritised=0)
    league.add(DQN("MlpPolicy", env, buffer_size=100, device="cpu"))
    (opponent,) = league.draw()
    assert opponent.player.deterministic


def test_ratings_are_logged_and_their_games_kept(tmp_path):
    env = BoardVecEnv(GAME, 8, "random")
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, device="cpu", seed=1)
    ladder = Ladder(GAME, ["random", "alphabeta:depth=2"], tmp_path / "ladder.db", pairs=4)
    callback = LadderCallback(GAME, tmp_path / "rated", ladder.rate, every=256)
    model.learn(512, callback=callback)
    assert list(callback.history) == [256, 512]
    for row in callback.history.values():
        assert set(row) == {"elo", "margin", "random", "alphabeta:depth=2"}
        assert row["margin"] > 0
    assert [path.stem for path in sorted((tmp_path / "rated").iterdir())] == [
        "000000000256",
        "000000000512",
    ]
    with Store(tmp_path / "ladder.db") as store:
        names = [len(list(store.games(one.number))) for one in store.tournaments()]
    assert names == [8, 16, 16]  # the ladder once, then each version against both


def test_a_stronger_player_is_rated_higher(tmp_path):
    ladder = Ladder(GAME, ["random", "greedy"], tmp_path / "ladder.db", pairs=10)
    weak = write_network(tmp_path / "weak.onnx", GAME, bias=[0, 1, 0, 1, 0, 1, 0, 1, 0])
    strong = write_network(tmp_path / "strong.onnx", GAME, bias=[2, 1, 2, 1, 3, 1, 2, 1, 2])
    assert ladder.rate(strong)["elo"] > ladder.rate(weak)["elo"]


# -- evaluate --


def leftmost(observations, masks):
    return masks.argmax(axis=1)


class Leftmost:
    def act(self, position):
        return position.legal_actions()[0]


def test_every_kind_of_player_is_measured(tmp_path, version):
    model = new_model(GAME)
    for player in (leftmost, Leftmost(), "greedy", model, f"onnx:{version}"):
        results = evaluate(player, GAME, ["random", "alphabeta:depth=9"], pairs=10)
        assert [result.opponent for result in results] == ["random", "alphabeta:depth=9"]
        assert results[0].games == 20
        assert results[1].score <= 0.5  # nobody beats perfect play


def test_the_same_moves_are_measured_alike_however_they_are_given():
    assert evaluate(leftmost, GAME, pairs=20) == evaluate(Leftmost(), GAME, pairs=20)


def test_illegal_actions_end_the_measurement():
    with pytest.raises(ValueError, match=r"the player chose action 0; legal are \["):
        evaluate(lambda observations, masks: [0] * len(masks), make_game(GAME), pairs=2)
