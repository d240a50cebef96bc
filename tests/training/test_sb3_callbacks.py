"""Self-play outside of plyground's own trainer: callbacks for SB3, a ladder, measurements."""

from __future__ import annotations

from functools import partial

import pytest
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.evaluation.gauntlet import evaluate
from plyground.evaluation.ladder import Ladder
from plyground.evaluation.store.store import Store

pytest.importorskip("sb3_contrib")
import torch
from models import new_model
from networks import write_network
from plyground.training.sb3 import BoardVecEnv
from plyground.training.sb3_callbacks import LadderCallback, SelfPlayCallback
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
GAME = "tic_tac_toe"


class Pool:
    """A source of opponents with nothing but what the callback calls."""

    def __init__(self):
        self.members, self.calls, self.returns = [], [], []

    def add(self, policy):
        self.members.append(f"after {policy.num_timesteps}")
        self.calls.append("add")

    def draw(self, count):
        self.calls.append(count)
        names = "random", "greedy"
        return [
            make_opponents(name, make_game(GAME))[0]._replace(label=label)
            for name, label in zip(names, self.members)
        ]

    def add_result(self, name, learner_return):
        self.returns.append((name, learner_return))

    def save(self):
        self.calls.append("save")


def new_ppo(env=None):
    env = env or BoardVecEnv(GAME, 8, "random")
    return MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, device="cpu", seed=1)


@pytest.mark.parametrize("new_env", [None, partial(make_vec_env, "plyground/TicTacToe-v0", 8)])
def test_a_model_learns_against_any_source_of_opponents(new_env):
    pool = Pool()
    model = new_ppo(new_env and new_env())
    model.learn(8 * 16 * 3, callback=SelfPlayCallback(pool, every=128, draws=3))
    assert pool.calls == ["add", 3, "add", 3, "add", 3, "save"]
    assert pool.members == ["after 0", "after 128", "after 256"]
    assert {name for name, _ in pool.returns} == {"after 0", "after 128"}
    assert {value for _, value in pool.returns} == {-1.0, 0.0, 1.0}


def test_ratings_are_logged_and_their_games_kept(tmp_path):
    model = new_ppo()
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


# -- evaluate --


def leftmost(observations, masks):
    return masks.argmax(axis=1)


class Leftmost:
    def act(self, position):
        return position.legal_actions()[0]


def test_every_kind_of_player_is_measured(tmp_path):
    network = f"onnx:{write_network(tmp_path / 'version.onnx', GAME)}"
    for player in (leftmost, Leftmost(), "greedy", new_model(GAME), network):
        results = evaluate(player, GAME, ["random", "alphabeta:depth=9"], pairs=10)
        assert [result.opponent for result in results] == ["random", "alphabeta:depth=9"]
        assert results[0].games == 20
        assert results[1].score <= 0.5  # nobody beats perfect play


def test_the_same_moves_are_measured_alike_however_they_are_given():
    assert evaluate(leftmost, GAME, pairs=20) == evaluate(Leftmost(), GAME, pairs=20)


def test_illegal_actions_end_the_measurement():
    with pytest.raises(
        ValueError, match=r"the player chose the illegal action 0; legal actions: \["
    ):
        evaluate(lambda observations, masks: [0] * len(masks), make_game(GAME), pairs=2)
