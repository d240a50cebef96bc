"""MCTS and Monte Carlo: finds what is proved, is right when a player moves twice, keeps its limits
and its tree.
"""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.decision import Score
from plyground.agents.search.descent import NODE
from reference.search import WIN, minimax

GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=5,connect=4",
]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("agent", ["mcts:simulations=400", "montecarlo:simulations=30"])
@pytest.mark.fast_cases(2)
def test_values_errors_and_visits_are_given_for_every_legal_action(spec, agent):
    position = make_game(spec).initial_position()
    decision = make_agent(agent).analyse(position)
    legal = set(position.legal_actions())
    assert set(decision.values) == set(decision.errors) == set(decision.visits) == legal
    low, high = position.game.facts.min_return, position.game.facts.max_return
    assert all(low <= value <= high for value in decision.values.values())
    assert all(error >= 0 for error in decision.errors.values())
    assert decision.principal_variation[0] == decision.action
    assert decision.value == decision.values[decision.action]


def test_montecarlo_standard_errors_are_those_of_repeated_runs():
    position = make_game("connect_four").position(["d", "d", "d"])
    runs = [
        make_agent("montecarlo:simulations=100", seed=seed).analyse(position) for seed in range(200)
    ]
    for action in position.legal_actions():
        spread = np.std([run.values[action] for run in runs], ddof=1)
        assert np.mean([run.errors[action] for run in runs]) == pytest.approx(spread, rel=0.2)


def test_montecarlo_plays_games_to_the_end_and_estimates_their_mean_return():
    position = make_game("tic_tac_toe").position([0, 1, 2, 4, 3, 5, 7])
    decision = make_agent("montecarlo:simulations=5000").analyse(position)
    for action, value in decision.values.items():
        assert value == pytest.approx(_mean(position.after(action), position.to_move), abs=0.05)


def _mean(position, player):
    """The expected return of uniformly random play."""
    if position.is_over:
        return position.returns[player]
    return float(
        np.mean([_mean(position.after(action), player) for action in position.legal_actions()])
    )


def test_a_proven_win_is_found_and_played_at_once():
    position = make_game("connect_four").position(["a", "b", "a", "b", "a", "b"])
    decision = make_agent("mcts:simulations=2000").analyse(position)
    assert (decision.action, decision.value, decision.exact) == (0, 1.0, True)
    assert decision.simulations < 2000  # nothing is left to find out


def test_a_proven_loss_is_avoided_while_anything_else_is_left():
    position = make_game("connect_four").position(["d", "a", "d", "a", "d"])
    assert make_agent("mcts:simulations=3000").act(position) == 3


@pytest.mark.parametrize("agent", ["mcts:simulations=500", "mcts:simulations=500,threads=2"])
@pytest.mark.thorough
def test_an_open_four_is_blocked_although_the_game_is_lost(agent):
    game = make_game("gomoku:rule=caro")
    moves = ["h8", "a1", "h9", "a3", "h10", "a5", "h11"]
    decision = make_agent(agent).analyse(game.position(moves))
    assert game.action_to_text(decision.action) in ("h7", "h12")
    assert decision.score == Score(-1.0, "return", "exact", plies=2)


@pytest.mark.thorough
def test_a_reply_that_wins_at_once_is_not_allowed_while_anything_else_is_left():
    # One simulation for each action meets almost no reply; x wins at b1 unless it is taken.
    position = make_game("gomoku:size=9").position(["a5", "i1", "b5", "i3", "c5", "i5", "d5"])
    decision = make_agent("mcts:simulations=80").analyse(position)
    assert position.game.action_to_text(decision.action) == "e5"


@pytest.mark.thorough
def test_montecarlo_blocks_an_open_four_when_all_its_games_are_lost():
    game = make_game("gomoku:rule=caro")
    position = game.position(["h8", "a1", "h9", "a3", "h10", "a5", "h11"])
    agent = make_agent("montecarlo:simulations=1")
    agent.get_ready(game)
    legal, games = position.legal_actions(), agent._games
    games.actions[: len(legal)] = legal
    games.sums[: len(legal)] = (-1.0, 1.0, 0.0, 0.0)
    action = agent._choose(position, len(legal), agent.stream)
    assert game.action_to_text(action) in ("h7", "h12")


@pytest.mark.parametrize(
    "spec",
    ["tic_tac_toe", "dots_and_boxes:rows=1,cols=2", "dots_and_boxes:rows=1,cols=2,reward=margin"],
)
@pytest.mark.thorough
def test_a_game_searched_to_the_end_has_the_value_of_minimax(spec):
    position = make_game(spec).initial_position()
    if spec == "tic_tac_toe":
        position = position.after(4).after(0)
    decision = make_agent("mcts:simulations=300000").analyse(position)
    value = minimax(position, 40, position.to_move)[0]
    assert decision.exact
    assert np.sign(decision.value) == np.sign(value)
    if spec.endswith("margin"):
        assert decision.value == round(value / WIN)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.fast_cases(1)
def test_reusing_the_tree_keeps_its_visits_and_never_changes_what_is_legal(spec):
    position = make_game(spec).initial_position()
    agent, other = make_agent("mcts:simulations=1000"), make_agent("random", seed=3)
    tree_sizes = []
    while not position.is_over:
        decision = agent.analyse(position)
        tree_sizes.append(sum(decision.visits.values()) - decision.simulations)
        position.play(decision.action)
        while not position.is_over and position.to_move != 0:
            position.play(other.act(position))
    assert any(visits > 0 for visits in tree_sizes)


def test_threads_share_the_simulations_and_add_their_visits():
    position = make_game("connect_four").initial_position()
    decision = make_agent("mcts:simulations=1001,threads=2").analyse(position)
    assert decision.simulations == sum(decision.visits.values()) == 1001


def test_a_full_tree_goes_on_without_growing():
    position = make_game("gomoku").initial_position()
    decision = make_agent("mcts:simulations=3000,memory=1").analyse(position)
    assert decision.simulations == 3000
    assert decision.nodes * NODE.itemsize <= 2**20
