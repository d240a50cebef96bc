"""What training consists of: openings and symmetries in the environment, curricula, measuring,
advantages where a player moves again.
"""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.specification import SpecificationError

pytest.importorskip("sb3_contrib")
import torch
from plyground.training.api import SETTINGS, train
from plyground.training.curriculum import Curriculum, read_stages
from plyground.training.devices import choose_device
from plyground.training.dqn import train as dqn
from plyground.training.network import BoardPolicy, action_places
from plyground.training.players import Snapshots
from plyground.training.ppo import train as ppo
from plyground.training.sb3 import BoardVecEnv
from plyground.training.sb3_learner import open_games
from plyground.training.settings import OpposedSettings
from plyground.training.symmetry import observation_symmetries
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
GAMES = ["tic_tac_toe", "connect_four", "dots_and_boxes:rows=2,cols=3", "gomoku:size=7"]


class First:
    """Plays the first legal action."""

    def act_batch(self, observations, masks):
        return masks.argmax(axis=1)


# -- rewards --


@pytest.mark.parametrize("spec", ["connect_four", "dots_and_boxes:rows=2,cols=2,reward=margin"])
def test_the_learner_sees_its_losses_in_both_seats_and_what_it_gets_its_opponent_pays(spec):
    game = make_game(spec)
    batch = GameBatch(game, 64, make_opponents("alphabeta:depth=2", game))
    batch.reset(seed=3)
    state, rng = batch.state, np.random.default_rng(1)
    sums, results, seats = np.zeros(64), [], []
    for _ in range(60):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in state.masks]))
        sums += state.rewards
        for index in np.flatnonzero(state.terminated):
            # the opponent's return is the negative of it
            assert sums[index] == state.final_returns[index]
            results.append(sums[index])
            seats.append(int(state.final_seats[index]))
            sums[index] = 0.0
    assert np.mean(np.array(results) < 0) > 0.8
    assert 0.4 < np.mean(seats) < 0.6


# -- openings --


def test_games_begin_with_random_moves_from_none_to_as_many_as_allowed():
    opponents = make_opponents("random", make_game("connect_four"))
    batch = GameBatch("connect_four", 400, opponents, seat=0, opening_plies=4)
    batch.reset(seed=1)
    plies = batch.state.positions.ply
    # after an odd number of random moves the opponent has moved too
    assert set(plies.tolist()) == {0, 2, 4}
    assert len({position.tobytes() for position in batch.state.positions}) > 100
    none = GameBatch("connect_four", 50, opponents, seat=0)
    none.reset(seed=1)
    assert not none.state.positions.ply.any()
    with pytest.raises(ValueError, match="opening_plies=-1 is not possible"):
        GameBatch("connect_four", 2, None, opening_plies=-1)


def test_a_share_of_the_games_begins_with_long_openings():
    opponents = make_opponents("random", make_game("connect_four"))
    openings = {"opening_plies": 2, "long_opening_plies": 30}
    batch = GameBatch("connect_four", 2000, opponents, seat=0, long_openings=0.3, **openings)
    batch.reset(seed=1)
    # of the long openings, two in 31 are short, and some end the game and leave none
    long = np.mean(batch.state.positions.ply > 3)
    assert 0.1 < long < 0.3
    assert batch.state.positions.ply.max() > 16
    short = GameBatch("connect_four", 2000, opponents, seat=0, **openings)
    short.reset(seed=1)
    assert short.state.positions.ply.max() == 2
    with pytest.raises(ValueError, match="long_openings=2 is not possible; it is from 0 to 1"):
        GameBatch("connect_four", 2, None, long_openings=2)


def test_an_opening_that_ends_the_game_is_left_out():
    opponents = make_opponents("random", make_game("tic_tac_toe"))
    batch = GameBatch("tic_tac_toe", 300, opponents, opening_plies=8)
    batch.reset(seed=1)
    assert batch.state.masks.any(axis=1).all()
    assert not batch.state.terminated.any()


def test_games_from_given_positions_keep_positions_and_seats():
    game = make_game("connect_four")
    batch = GameBatch(game, 2, make_opponents("alphabeta:depth=2", game), restart=False)
    starts = game.new_records(2)
    starts[0] = starts[1] = game.position(["d", "d", "a", "a", "a"]).record
    batch.start_from(starts, np.array([1, 0], np.int8))
    # seat 1 is to move; seat 0 is shown the reply
    assert batch.state.positions.ply.tolist() == [5, 6]
    assert batch.state.seats.tolist() == [1, 0]


# -- symmetries --


@pytest.mark.parametrize("spec", GAMES)
def test_observations_move_under_symmetries_as_positions_do(spec):
    game, rng = make_game(spec), np.random.default_rng(5)
    table = observation_symmetries(game)
    assert table.shape == (len(game.symmetries), np.prod(game.facts.observation_shape))
    position = game.initial_position()
    while not position.is_over:
        for symmetry in range(len(table)):
            image = position.transformed(symmetry).observation()
            assert np.array_equal(
                position.observation().ravel()[table[symmetry]].reshape(image.shape), image
            )
        position.play(int(rng.choice(position.legal_actions())))


@pytest.mark.parametrize("spec", GAMES)
def test_what_the_learner_is_shown_and_what_it_plays_belong_to_the_same_image(spec):
    game = make_game(spec)
    env = BoardVecEnv(game, 40, "random", symmetries=True, opening_plies=3)
    env.seed(1)
    observation = env.reset()
    for _ in range(12):
        masks, rng = env.action_masks(), np.random.default_rng(2)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        images = [game.position_from_observation(one) for one in observation]
        assert all(np.array_equal(image.action_mask(), mask) for image, mask in zip(images, masks))
        symmetries, before = env._view.chosen.copy(), env.games.state.positions.copy()
        for index, image in enumerate(images):
            original = game.position_from_observation(env.games.state.observations[index])
            action = int(np.flatnonzero(game.symmetries[symmetries[index]] == actions[index])[0])
            assert original.after(action).transformed(int(symmetries[index])) == image.after(
                int(actions[index])
            )
        observation, _, _, _ = env.step(actions)
        assert not np.array_equal(before, env.games.state.positions)
    assert len(set(symmetries.tolist())) == len(game.symmetries)


# -- the network --


@pytest.mark.parametrize(
    "spec", [*GAMES, "connect_four:rows=4,cols=5", "othello:size=6", "hex:size=4,swap=yes"]
)
@pytest.mark.parametrize("dense", [(), (32,)])
def test_the_network_serves_every_board_and_starts_almost_uniform(spec, dense):
    env = BoardVecEnv(spec, 4)
    spaces, places = (env.observation_space, env.action_space), action_places(env.game)
    policy = BoardPolicy(*spaces, lambda _: 1e-3, 8, 2, dense, 16, places=places)
    observations = torch.from_numpy(env.reset())
    distribution = policy.get_distribution(observations, env.action_masks()).distribution
    legal = env.action_masks().sum(axis=1)
    assert np.allclose(distribution.probs.detach().numpy().max(axis=1), 1 / legal, rtol=0.2)


@pytest.mark.parametrize(
    ("spec", "action", "place"),
    [
        ("connect_four", 3, [-1, 3, 0]),
        ("gomoku:size=7", 9, [1, 2, 0]),
        ("dots_and_boxes:rows=2,cols=3", 10, [0, 1, 1]),
        ("othello", 64, [-1, -1, -1]),
        ("hex:size=5", 7, [1, 2, 0]),
    ],
)
def test_actions_have_their_place_on_the_board(spec, action, place):
    assert action_places(make_game(spec))[action] == place


# -- curricula --


def test_a_curriculum_keeps_a_share_for_earlier_stages():
    stages = read_stages("curriculum:random;greedy;mix:3 alphabeta:depth=2,1 self", rehearsal=0.2)
    assert stages[0] == [(1.0, "random")]
    assert stages[1] == [(0.8, "greedy"), (0.2, "random")]
    assert [spec for _, spec in stages[2]] == ["alphabeta:depth=2", "self", "random", "greedy"]
    assert [weight for weight, _ in stages[2]] == pytest.approx([0.6, 0.2, 0.1, 0.1])


def test_the_learner_moves_up_when_its_score_against_the_newest_stage_passes_the_threshold():
    settings = OpposedSettings(
        opponent="curriculum:random;greedy", threshold=0.75, window=8, rehearsal=0.5
    )
    made = Curriculum(settings, make_game("tic_tac_toe"), None)
    assert not made.add_results([0] * 8, [1, 1, 1, 1, 1, -1, -1, 0])
    assert not made.add_results([0] * 3, [1, 1, 1])
    assert str(made) == "stage 1 of 2, random"
    assert made.add_results([0] * 4, [1, 1, 1, 1])
    assert str(made) == "stage 2 of 2, greedy"
    assert [(opponent.label, opponent.weight) for opponent in made.opponents] == [
        ("greedy", 0.5),
        ("random", 0.5),
    ]
    assert not made.add_results([0] * 20, [1] * 20)


def test_snapshots_play_as_the_learner_did_then_and_legally():
    env = BoardVecEnv("tic_tac_toe", 16)
    policy = BoardPolicy(env.observation_space, env.action_space, lambda _: 1e-3)
    snapshots = Snapshots(policy, 2, seed=1)
    observations, masks = env.reset(), env.games.state.masks
    with torch.no_grad():
        policy.action_net.bias[4] = 50.0
    assert (snapshots.act_batch(observations, masks) == 4).mean() < 0.5
    snapshots.add(policy)
    snapshots.add(policy)
    masks[:, 4] = np.arange(16) % 2
    actions = snapshots.act_batch(observations, masks)
    assert masks[np.arange(16), actions].all()
    assert (actions[1::2] == 4).all()


# -- advantages --


def test_advantages_are_right_where_the_learner_moves_again():
    """Both players draw the first free edge of two boxes; the learner completes the first, moves
    again and completes the second.
    """
    gamma, lam, values = 0.9, 0.8, [0.5, -0.25, 0.75, 0.125]
    env = BoardVecEnv("dots_and_boxes:rows=1,cols=2,reward=margin", 1, First(), seat=1)
    buffer = MaskableRolloutBuffer(4, env.observation_space, env.action_space, "cpu", lam, gamma, 1)
    buffer.reset()
    observation, start, rewards, actions = env.reset(), np.ones(1, np.bool_), [], []
    for value in values:
        mask = env.action_masks()
        action = mask.argmax(axis=1)
        after, reward, over, _ = env.step(action)
        values_of_step = torch.tensor([value]), torch.zeros(1)
        buffer.add(observation, action, reward, start, *values_of_step, action_masks=mask)
        rewards.append(float(reward[0]))
        actions.append(int(action[0]))
        observation, start = after, over
    assert (actions, rewards, bool(start[0])) == ([1, 3, 5, 6], [0.0, 0.0, 1.0, 1.0], True)
    # what comes after the end must not matter
    buffer.compute_returns_and_advantage(torch.tensor([99.0]), start)
    fourth = 1 - values[3]
    # the same player's two steps: nothing changes sign between them
    third = 1 + gamma * values[3] - values[2] + gamma * lam * fourth
    second = gamma * values[2] - values[1] + gamma * lam * third
    first = gamma * values[1] - values[0] + gamma * lam * second
    assert buffer.advantages[:, 0].tolist() == pytest.approx([first, second, third, fourth])


# -- learning --


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_the_network_is_where_it_is_asked_for(algorithm):
    game, device = make_game("tic_tac_toe"), torch.device("meta")
    texts = ["games=8", "batch_size=32"]
    settings = SETTINGS.get(algorithm).for_game(game, {"opponent": "random"}, texts)
    if algorithm == "ppo":
        model = ppo.new_model(game, open_games(game, settings, 1), settings, 1, device)
    else:
        model = dqn.new_model(open_games(game, settings, 1, "dict"), settings, 1, device)
    assert {weights.device.type for weights in model.policy.parameters()} == {"meta"}


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("gpu", "it is one of auto, cpu, cuda, cuda:0"), ("cuda:7", r"torch \S+ finds 0 GPUs here")],
)
def test_a_device_that_there_is_not_is_refused(name, complaint, monkeypatch, tmp_path):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for algorithm in SETTINGS:
        with pytest.raises(SpecificationError, match=complaint):
            train(algorithm, "tic_tac_toe", tmp_path / "run", device=name)
    assert str(choose_device("auto")) == "cpu"
    assert not (tmp_path / "run").exists()
