"""Agents on PettingZoo's own environments, and what differs between theirs and ours."""

from __future__ import annotations

import copy
import pickle
import random
import re
from pathlib import Path

import numpy as np
import pytest
from aec_states import pettingzoo_module
from gymnasium import spaces
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.rps import rps
from plyground import make_agent, make_game
from plyground.envs import IllegalMoveError
from plyground.envs.aec import env as make_env
from plyground.envs.aec import raw_env as make_raw_env
from plyground.envs.registry import game_called, games_in
from plyground.envs.rules_types import parameter_values

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "pettingzoo.md"
GAMES = games_in("pettingzoo")
MAKERS = {"env": make_env, "raw_env": make_raw_env}
both_kinds = pytest.mark.parametrize("kind", MAKERS)
all_games = pytest.mark.parametrize("game", GAMES)


def name_there(game):
    return make_game(game).profile.elsewhere["pettingzoo"].name


def pair_of(game, kind="raw_env"):
    """Our environment and theirs, at the beginning of a game."""
    theirs = getattr(pettingzoo_module(make_game(game)), kind)()
    ours = MAKERS[kind](game)
    ours.reset()
    theirs.reset()
    return ours, theirs


def legal_action(environment, rng):
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


def play(game, pair, until_over=True):
    """A game that somebody wins, in both, until it is over or until the last move is to come."""
    moves = make_game(game).profile.won_game.moves.split(",")
    for name in moves if until_over else moves[:-1]:
        for environment in pair:
            environment.step(make_game(game).text_to_action(name))


@both_kinds
@all_games
def test_actions_spaces_observations_masks_and_rewards_are_the_same(game, kind):
    pair = ours, theirs = pair_of(game, kind)
    rng = random.Random(3)
    for number in range(2):
        agents = [environment.possible_agents[number] for environment in pair]
        for name in ("action_space", "observation_space"):
            first, second = (getattr(e, name)(a) for e, a in zip(pair, agents))
            assert first == second
            assert isinstance(first, (spaces.Discrete, spaces.Dict))
    for _ in range(10):
        for environment in pair:
            environment.reset()
        while not any(theirs.terminations.values()):
            for agent, other in zip(ours.possible_agents, theirs.possible_agents):
                mine, others = ours.observe(agent), theirs.observe(other)
                assert mine.keys() == others.keys()
                for key in mine:
                    assert np.array_equal(mine[key], others[key])
                    assert mine[key].dtype == others[key].dtype
            action = legal_action(theirs, rng)
            for environment in pair:
                environment.step(action)
            assert list(ours.rewards.values()) == list(theirs.rewards.values())
        assert any(ours.terminations.values())


@all_games
def test_their_environment_tells_the_game_and_is_not_changed_by_the_question(game):
    ours, theirs = pair_of(game, "env")
    for environment in (ours, theirs):
        environment.step(0)
    before = pickle.dumps(vars(theirs.unwrapped))
    for made_for in (None, game, "gomoku:size=5"):
        agent = make_agent("alphabeta:depth=2", made_for)
        assert agent.act(theirs) == agent.act(ours)
    assert pickle.dumps(vars(theirs.unwrapped)) == before


@both_kinds
@all_games
def test_an_agent_refuses_their_environment_where_nothing_is_to_be_decided(game, kind):
    pair = _, theirs = pair_of(game, kind)
    play(game, pair)
    with pytest.raises(ValueError, match=r"nothing to decide: the game is over"):
        make_agent("greedy").act(theirs)


def test_an_agent_refuses_environments_that_are_not_of_a_game_of_ours_or_not_reset():
    with pytest.raises(ValueError, match="nothing to decide: connect_four_v3 was not reset"):
        make_agent("greedy").act(connect_four.raw_env())
    other = rps.env()
    other.reset()
    with pytest.raises(TypeError, match=r"of plyground or of PettingZoo's same games.* not on"):
        make_agent("greedy").act(other)

    class Wider(connect_four.raw_env):
        def observe(self, agent):
            return {"observation": np.zeros((6, 8, 2), np.int8)}

    wider = Wider()
    wider.reset()
    with pytest.raises(ValueError, match=r"array of shape \(6, 7, 2\), not \(6, 8, 2\)"):
        make_agent("greedy").act(wider)


@all_games
def test_a_game_is_found_by_its_name_there(game):
    board = game_called(name_there(game), "pettingzoo")
    assert board == make_game(game)
    assert game_called(name_there(game), "openspiel") is None
    wider = {**parameter_values(board.rules), "cols": 8}
    assert board.profile.elsewhere["pettingzoo"].name_of(wider) is None


def names_of_agents(game):
    ours, theirs = pair_of(game)
    assert ours.possible_agents == ["player_0", "player_1"]
    first, second = theirs.possible_agents
    told = rf"`{name_there(game)}` (has )?`{first}` and `{second}`"
    assert re.search(told, PAGE.read_text(encoding="utf-8"))


def type_of_rewards(game):
    pair = pair_of(game, "env")
    play(game, pair)
    kinds = [{type(reward) for reward in e.rewards.values()} for e in pair]
    assert kinds == [{float}, {int}]
    assert [type(e.last()[1]) for e in pair] == [float, int]


def masks_in_info(game):
    ours, theirs = pair_of(game)
    assert set(map(len, theirs.infos.values())) == {0}
    for agent in ours.agents:
        mask = ours.infos[agent]["action_mask"]
        assert np.array_equal(mask, ours.observe(agent)["action_mask"])


def mask_after_the_end(game):
    pair = pair_of(game)
    play(game, pair)
    assert_masks_after_the_end(pair)


def assert_masks_after_the_end(pair):
    for environment, marked in zip(pair, (False, True)):
        selected = environment.agent_selection
        for agent in environment.possible_agents:
            mask = environment.observe(agent)["action_mask"]
            assert mask.any() == (marked and agent == selected)


def mask_after_an_illegal_action(game):
    pair = pair_of(game, "env")
    play_illegally(pair)
    assert [any(environment.terminations.values()) for environment in pair] == [True, True]
    assert_masks_after_the_end(pair)


def play_illegally(pair):
    for environment in pair:
        while environment.observe(environment.agent_selection)["action_mask"][0]:
            environment.step(0)
        environment.step(0)


def illegal_action_in_raw_env(game):
    for environment, error in zip(pair_of(game), (IllegalMoveError, AssertionError)):
        with pytest.raises(AssertionError) as caught:
            play_illegally([environment])
        assert type(caught.value) is error
        assert ("legal actions: 1 (" in str(caught.value)) == (error is IllegalMoveError)


def copies(game):
    pair = pair_of(game)
    play(game, pair, until_over=False)
    for make_copy in (copy.deepcopy, lambda original: pickle.loads(pickle.dumps(original))):
        ours, theirs = map(make_copy, pair)
        agent = pair[0].agent_selection
        seen = ours.observe(agent)["observation"]
        assert np.array_equal(seen, pair[0].observe(agent)["observation"])
        assert (
            not hasattr(theirs, "agent_selection")
            or not theirs.observe(theirs.agent_selection)["observation"].any()
        )


def state(game):
    ours, theirs = pair_of(game)
    assert np.array_equal(ours.state(), ours.observe("player_0")["observation"])
    with pytest.raises(NotImplementedError):
        theirs.state()


def start_of_a_game(game):
    for environment, stones in zip(pair_of(game), (1, 0)):
        environment.reset(options={"position": [0]})
        seen = environment.observe(environment.agent_selection)["observation"]
        assert seen.sum() == stones


def text(game):
    ours, theirs = pair_of(game)
    assert "ansi" not in theirs.metadata["render_modes"]
    shown = make_env(game, render_mode="ansi")
    shown.reset()
    assert shown.render() == str(ours.position)


def written_infos(game):
    for environment, stays in zip(pair_of(game), (False, True)):
        environment.infos = {agent: {"note": 1} for agent in environment.agents}
        environment.step(0)
        assert all(("note" in info) == stays for info in environment.infos.values())


def written_rewards(game):
    pair = pair_of(game)
    for environment in pair:
        environment.rewards = dict(zip(environment.agents, (2.0, 3.0)))
        environment.step(0)
    assert list(pair[0].rewards.values()) == [0, 0]
    assert list(pair[1].rewards.values()) == [2, 3]
    for environment in pair:
        environment.reset()
        environment.rewards = dict(zip(environment.agents, (2.0, 3.0)))
    play(game, pair)
    won = [e._cumulative_rewards[e.possible_agents[0]] for e in pair]
    assert won[0] == 1
    assert won[1] > 1


def boards(game):
    parameters = make_game(game).declaration.parameters
    assert {"rows", "cols", "connect"} <= {parameter.name for parameter in parameters}
    made = make_env(game, rows=4, cols=5, connect=3)
    assert made.observation_space("player_0")["observation"].shape == (4, 5, 2)
    with pytest.raises(TypeError):
        pettingzoo_module(make_game(game)).raw_env(rows=4)


DIFFERENCES = {
    "agent names": names_of_agents,
    "type of rewards": type_of_rewards,
    "masks in `info`": masks_in_info,
    "mask after the end": mask_after_the_end,
    "mask after an illegal action": mask_after_an_illegal_action,
    "illegal action in `raw_env`": illegal_action_in_raw_env,
    "copies": copies,
    "`state()`": state,
    "`reset(options=…)`": start_of_a_game,
    "text": text,
    "infos that a wrapper wrote": written_infos,
    "rewards that a wrapper wrote": written_rewards,
    "boards": boards,
}


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES)
@all_games
def test_what_differs_is_as_the_page_says(game, difference):
    difference(game)


def test_each_difference_of_the_page_has_its_check():
    section = PAGE.read_text(encoding="utf-8").partition("## What differs")[2]
    table = section.partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert rows == list(DIFFERENCES)
