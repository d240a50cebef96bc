"""The reward ``regret=``: what an action is worth less than the best one, to a judge."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.judges import DISCOUNT, GREATEST_ESTIMATE, action_values, make_judge
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.specification import SpecificationError
from plyground.training.environments import make_env, make_vector_env

pytestmark = pytest.mark.thorough

GAMES = 24
# A compiled judge, and the agent that says the same when it is asked for every action.
EQUALS = [
    ("tic_tac_toe", "alphabeta:depth=3", "minimax:depth=3"),
    ("connect_four", "alphabeta:depth=3", "minimax:depth=3"),
    ("dots_and_boxes:rows=2,cols=2,reward=margin", "alphabeta:depth=2", "minimax:depth=2"),
]


def steps(env, count):
    """Positions, random legal actions and the rewards that they bring, step by step."""
    env.reset(seed=3)
    random = np.random.default_rng(5)
    for _ in range(count):
        positions, masks = env.positions, env.action_masks()
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        _, rewards, ended, _, infos = env.step(actions)
        yield positions, actions, rewards, ended, infos


def regrets(judge, positions, actions):
    values = [action_values(judge, position) for position in positions]
    return [max(each.values()) - each[int(action)] for each, action in zip(values, actions)]


@pytest.mark.parametrize(("spec", "judge", "other"), EQUALS)
def test_the_reward_is_minus_the_regret_of_the_search_in_each_position(spec, judge, other):
    env = make_vector_env(spec, GAMES, "random", regret=judge, opening_plies=6)
    agent, seen = make_agent(other, make_game(spec)), []
    for positions, actions, rewards, _, _ in steps(env, 4):
        expected = regrets(agent, positions, actions)
        assert rewards == pytest.approx(np.negative(expected), abs=1e-9)
        seen += expected
    assert min(seen) == 0
    assert max(seen) > 0.1


def test_a_judge_that_sees_to_the_end_agrees_with_the_exact_solver():
    game = make_game("tic_tac_toe")
    solver = make_agent("solver:moves=all", game)
    searched = make_vector_env("tic_tac_toe", GAMES, "random", regret="alphabeta:depth=9")
    solved = make_vector_env("tic_tac_toe", GAMES, "random", regret="solver:moves=all")
    both = zip(steps(searched, 4), steps(solved, 4))
    for (positions, actions, rewards, *_), (_, same, exact, *_) in both:
        assert actions.tolist() == same.tolist()
        assert exact.tolist() == np.negative(regrets(solver, positions, actions)).tolist()
        # the search counts a later result for less
        assert np.abs(rewards - exact).max() <= 2 * (1 - DISCOUNT**9)
        assert np.round(rewards).tolist() == exact.tolist()


def test_perfect_play_has_no_regret_and_keeps_its_results():
    env = make_env("tic_tac_toe", "random", regret="solver:moves=all")
    solver, results = make_agent("solver", make_game("tic_tac_toe")), []
    for seed in range(6):
        env.reset(seed=seed)
        ended = False
        while not ended:
            _, reward, ended, _, _ = env.step(solver.act(env))
            assert reward == 0
        results.append(max(env.position.returns))
    assert set(results) <= {0.0, 1.0}


def test_the_returns_of_finished_games_stay_their_results():
    plain = make_vector_env("connect_four", GAMES, "random")
    judged = make_vector_env("connect_four", GAMES, "random", regret="alphabeta:depth=2")
    count = 0
    for (*_, rewards, ended, _), (*_, regret, same, _) in zip(steps(plain, 25), steps(judged, 25)):
        assert ended.tolist() == same.tolist()
        assert (regret <= 0).all()
        state = judged.games.state
        assert state.final_returns[ended].tolist() == rewards[ended].tolist()
        count += ended.sum()
    assert count > 10


def test_an_illegal_action_costs_what_it_costs_without_a_judge():
    env = make_vector_env("connect_four", 2, "random", regret="alphabeta:depth=2")
    env.reset(seed=1)
    for _ in range(7):  # a column is full at last
        _, rewards, ended, _, infos = env.step(np.zeros(2, np.int64))
        if ended.any():
            break
    illegal = infos["final_info"]["illegal_action"]
    assert rewards[illegal].tolist() == [-1.0] * int(illegal.sum())


def test_both_sides_are_judged_where_the_caller_plays_them():
    env = make_vector_env("connect_four", GAMES, None, regret="minimax:depth=2", opening_plies=6)
    agent = make_agent("minimax:depth=2", make_game("connect_four"))
    for positions, actions, rewards, _, _ in steps(env, 4):
        assert rewards == pytest.approx(np.negative(regrets(agent, positions, actions)), abs=1e-9)


@pytest.mark.parametrize("judge", ["alphabeta:depth=2", "solver:moves=all"])
def test_a_copy_judges_alike(judge):
    env = make_vector_env("tic_tac_toe", 4, "random", regret=judge)
    env.reset(seed=1)
    copy = pickle.loads(pickle.dumps(env.games))
    for games in (env.games, copy):
        games.step(np.array([0, 1, 2, 3]) if games.state.masks[:, :4].all() else np.full(4, 4))
    assert env.games.state.rewards.tolist() == copy.state.rewards.tolist()


def test_estimates_are_worth_less_than_a_win_that_is_seen():
    game = make_game("connect_four")
    values = action_values(make_agent("minimax:depth=3", game), game.position("dadadb"))
    assert values.pop(3) == pytest.approx(DISCOUNT)
    assert max(values.values()) <= GREATEST_ESTIMATE


@pytest.mark.parametrize(
    ("judge", "complaint"),
    [
        ("nobody", "there is no agent"),
        (3, "3 is not a judge; regret= takes an agent"),
        ("random", "random is not a judge: it does not value every action; alphabeta:depth=4 and"),
        ("solver", "does not value every action"),
    ],
)
def test_what_is_no_judge_is_refused(judge, complaint):
    def play():
        env = make_env("tic_tac_toe", "random", regret=judge)
        env.reset(seed=1)
        env.step(int(np.flatnonzero(env.action_masks())[0]))

    with pytest.raises(SpecificationError, match=complaint):
        play()


def test_a_judge_that_is_asked_in_python_allows_one_thread():
    game = make_game("tic_tac_toe")
    with pytest.raises(ValueError, match="threads=2 is possible only for a judge that is compiled"):
        GameBatch(game, 4, None, regret=make_judge("solver:moves=all", game), threads=2)
