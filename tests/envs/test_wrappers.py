"""Wrappers for learners: potentials, margins, planes of the last moves."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.envs import SpecificationError, rules
from plyground.envs import aec as aec_module
from plyground.envs.single_agent.wrappers import (
    Handicap,
    LastMoves,
    MarginReward,
    PotentialReward,
    RandomOpening,
)
from plyground.training.environments import make_env


def play(env, seed):
    """A game of random legal actions: the rewards, the last info."""
    rng, rewards, over = np.random.default_rng(seed), [], False
    _, info = env.reset(seed=seed)
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, over, _, info = env.step(action)
        rewards.append(reward)
    return rewards, info


@pytest.mark.parametrize(
    ("spec", "heuristic"),
    [
        ("connect_four", "default"),
        ("connect_four", "threats"),
        ("dots_and_boxes:rows=2,cols=2", "default"),
    ],
)
def test_a_potential_changes_rewards_but_not_their_sum_over_a_game(spec, heuristic):
    plain = make_env(spec, "random", seat=0)
    wrapper = PotentialReward(make_env(spec, "random", seat=0), heuristic, weight=0.5)
    differences = 0
    for seed in range(10):
        (expected, _), (results, _) = play(plain, seed), play(wrapper, seed)
        start = make_game(spec).initial_position()
        heuristics = plain.game.declaration.heuristics
        index = heuristics.index(heuristic) if heuristic in heuristics else 0
        first = 0.5 * rules.evaluate(start.game.rules, start.record, 0, index)
        assert sum(results) == pytest.approx(sum(expected) - first)
        differences += results != expected
    assert differences > 5


def test_a_discount_is_part_of_the_potential():
    env = PotentialReward(make_env("connect_four", "random", seat=0), weight=1.0, gamma=0.5)
    env.reset(seed=1)
    before = env._potential
    _, reward, _, _, info = env.step(3)
    assert reward == info["reward"] + 0.5 * env._potential - before


def test_an_unknown_heuristic_is_refused():
    with pytest.raises(SpecificationError, match="connect_four has no heuristic 'chains'"):
        PotentialReward(make_env("connect_four"), "chains")


def test_the_margin_is_added_at_the_end():
    spec = "dots_and_boxes:rows=2,cols=2"
    plain, env = make_env(spec), MarginReward(make_env(spec), weight=0.1)
    results = set()
    for seed in range(10):
        (expected, _), (rewards, info) = play(plain, seed), play(env, seed)
        position = env.unwrapped.position
        margin = rules.margin(position.game.rules, position.record, int(info["seat"]))
        assert rewards[:-1] == expected[:-1]
        assert rewards[-1] == pytest.approx(expected[-1] + 0.1 * margin)
        results.add(int(margin))
    assert len(results) > 3


def test_planes_of_the_last_moves_are_added():
    env = LastMoves(aec_module.env("tic_tac_toe"), count=2)
    env.reset()
    for action in (4, 0, 8):
        env.step(action)
    observation = env.last()[0]
    assert observation["observation"].shape == (3, 3, 4)
    assert observation in env.observation_space("player_0")
    assert np.argwhere(observation["observation"][..., 2]).tolist() == [[2, 2]]
    assert np.argwhere(observation["observation"][..., 3]).tolist() == [[0, 0]]
    env.reset()
    assert not env.observe("player_0")["observation"].any()


def test_a_column_is_marked_as_a_whole():
    env = LastMoves(aec_module.env("connect_four"))
    env.reset()
    env.step(3)
    assert env.observe("player_1")["observation"][:, :, 2].sum(axis=0).tolist() == [
        0, 0, 0, 6, 0, 0, 0,
    ]  # fmt: skip


def test_planes_of_another_layout_are_refused():
    with pytest.raises(SpecificationError, match="LastMoves takes observations as they are"):
        LastMoves(aec_module.env("tic_tac_toe", layout="flat"))


def test_games_of_both_players_begin_with_random_moves():
    env = RandomOpening(aec_module.env("connect_four"), plies=3)
    lengths, boards = set(), set()
    for seed in range(40):
        env.reset(seed=seed)
        lengths.add(len(env.unwrapped.position.moves))
        boards.add(str(env.unwrapped.position))
        assert env.last()[0]["action_mask"].any()
    assert lengths == {0, 1, 2, 3}
    assert len(boards) > 15
    env.reset(seed=7)
    first = env.unwrapped.position.moves
    env.reset(seed=7)
    assert env.unwrapped.position.moves == first


@pytest.mark.parametrize("favoured", ["learner", "opponent"])
def test_a_handicap_favours_its_side_in_both_seats(favoured):
    env = Handicap(make_env("connect_four", "random"), moves=3, favoured=favoured)
    ahead, seats = [], set()
    for seed in range(60):
        _, info = env.reset(seed=seed)
        position, seat = env.unwrapped.position, int(info["seat"])
        seats.add(seat)
        ahead.append(rules.evaluate(position.game.rules, position.record, seat, 0))
    assert seats == {0, 1}
    assert (np.mean(ahead) > 0) == (favoured == "learner")
    assert np.mean(np.sign(ahead)) * (1 if favoured == "learner" else -1) > 0.3


def test_a_handicap_for_nobody_is_refused():
    with pytest.raises(SpecificationError, match="favoured is no side 'both'"):
        Handicap(make_env("connect_four"), favoured="both")
