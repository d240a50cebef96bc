"""MCTS with a network: finds what can be proved whatever the network says, ties values to players,
keeps its limits.
"""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import random_positions
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import TO_COME, WHOLE_RETURN, OnnxNetwork
from plyground.agents.search import mcts_kernels as search
from plyground.agents.search import puct_kernels
from plyground.agents.search.descent import ROOT
from plyground.agents.search.root_actions import (
    CONFIDENCE,
    LEAST_VARIANCE,
    add_root_actions,
    lower_bound,
    new_root_actions,
)
from plyground.envs.specification import SpecificationError
from reference.search import minimax

GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=5,connect=4",
]


@pytest.fixture(scope="module")
def ignorant(tmp_path_factory):
    """For each game a network that knows nothing: every action is as good as any other, every
    position even.
    """
    folder = tmp_path_factory.mktemp("networks")
    names: dict[str, object] = {}

    def get(spec):
        if spec not in names:
            names[spec] = write_network(folder / f"{len(names)}.onnx", spec)
        return names[spec]

    return get


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.fast_cases(1)
def test_visits_values_and_probabilities_are_told_for_the_roots_actions(spec, batch, ignorant):
    position = make_game(spec).initial_position()
    decision = make_agent(f"mcts:simulations=400,network={ignorant(spec)},batch={batch}").analyse(
        position
    )
    legal = position.legal_actions()
    assert list(decision.visits) == sorted(decision.probabilities) == legal
    assert decision.simulations == 400
    assert sum(decision.visits.values()) == 399  # the first simulation values the root itself
    assert np.allclose(list(decision.probabilities.values()), 1 / len(legal))
    low, high = position.game.facts.min_return, position.game.facts.max_return
    assert all(low <= value <= high for value in decision.values.values())
    assert decision.principal_variation[0] == decision.action
    assert decision.value == decision.values[decision.action]
    assert decision.errors is None


@pytest.mark.parametrize("batch", [1, 8, 32])
def test_forced_wins_are_found_and_forced_losses_avoided_whatever_the_network_says(batch, tmp_path):
    # the network dislikes what matters below
    network = write_network(tmp_path / "wrong.onnx", "connect_four", bias=[-5, 0, 0, -5, 0, 0, 0])
    game, spec = make_game("connect_four"), f"mcts:simulations=3000,network={network},batch={batch}"
    decision = make_agent(spec).analyse(game.position(["a", "b", "a", "b", "a", "b"]))
    assert (decision.action, decision.value, decision.exact) == (0, 1.0, True)
    assert decision.simulations < 10  # a win in one is seen before the network is asked
    # the only answer to three in a column
    assert make_agent(spec).act(game.position(["d", "a", "d", "a", "d"])) == 3
    # c or f makes an open three, which wins
    decision = make_agent(spec).analyse(game.position(["d", "a", "e", "a"]))
    assert decision.action in (2, 5)
    assert (decision.value, decision.exact) == (1.0, True)


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.fast_cases(2)
def test_in_positions_of_all_games_the_result_of_perfect_play_is_proved(spec, batch, ignorant):
    game, rng, count = make_game(spec), np.random.default_rng(3), 0
    agent = make_agent(f"mcts:simulations=20000,network={ignorant(spec)},batch={batch}")
    while count < 12:
        position = game.initial_position()
        plies = game.facts.longest_game - int(rng.integers(3, 8))
        while (
            not position.is_over and position.record.ply < plies
            if "ply" in position.record.dtype.names
            else len(position.legal_actions()) > 6
        ):
            position.play(int(rng.choice(position.legal_actions())))
        if position.is_over:
            continue
        count += 1
        value = minimax(position, 40, position.to_move)[0]
        decision = agent.analyse(position)
        if spec.endswith("margin"):
            assert decision.exact
            assert decision.value == round(value / 1_000_000)
        else:
            assert np.sign(decision.value) == np.sign(value) if decision.exact else value == 0
        following = position.after(decision.action)
        if following.is_over:
            assert np.sign(following.returns[position.to_move]) == np.sign(value)
        else:
            assert np.sign(minimax(following, 40, position.to_move)[0]) == np.sign(value)


def test_the_surest_of_the_often_visited_actions_is_played_and_by_choice_the_most_visited():
    spec = "mcts:simulations=60,network=zoo:connect_four"
    surest, most_visited = make_agent(spec), make_agent(f"{spec},lower_bound=no")
    differences = 0
    for position in random_positions("connect_four", 60, plies_left=34):
        for agent in (surest, most_visited):
            agent.reset()  # no tree is kept
        decision, other = surest.analyse(position), most_visited.analyse(position)
        visits, highest = decision.visits, max(other.visits.values())
        assert visits == other.visits  # the search is the same
        if decision.action != other.action:
            assert other.visits[other.action] == highest
            assert highest / 8 <= visits[decision.action] < highest
            differences += 1
    assert differences > 0


def test_the_lower_bound_is_that_of_the_results_of_an_action():
    """A plain sum over the nodes: the mean and the variance of the results that were backed up."""
    game = make_game("connect_four")
    tree = search.new_tree(game, 64)
    search.reset_tree(game.rules, tree)
    nodes, results = tree.nodes, [0.5, -0.25, 0.75]
    nodes[ROOT].children, nodes[ROOT].count = 1, 1
    nodes[1].action = 3
    for result in results:
        search.backup(nodes, np.array([0, 1], np.int32), 1, False, result, 1.0, 1.0)
    spread = np.sqrt((np.var(results) + LEAST_VARIANCE) / len(results))
    for mover, mean in enumerate((np.mean(results), -np.mean(results))):
        nodes[ROOT].mover = mover
        root_actions = new_root_actions(game, 64)
        rows = root_actions.rows
        assert add_root_actions(nodes, 2, root_actions, 0) == 1
        assert (rows[0].action, rows[0].visits) == (3, len(results))
        assert lower_bound(rows[0]) == pytest.approx(mean - CONFIDENCE * spread)


@pytest.mark.parametrize("meaning", [WHOLE_RETURN, TO_COME])
def test_the_networks_value_is_that_of_the_player_to_move_also_after_a_box(meaning, tmp_path):
    # The network values a position by half a point for each box the player to move owns, minus the
    # opponent's: from both sides the same line of play must look opposite, also where the player
    # who completes a box is to move again.
    spec = "dots_and_boxes:rows=2,cols=2,reward=margin"
    game = make_game(spec)
    weights = np.zeros(game.facts.observation_shape)
    weights[..., 2], weights[..., 3] = 0.5, -0.5
    network = write_network(
        tmp_path / "boxes.onnx", spec, value_weights=weights.reshape(-1, 1), value=meaning
    )
    position = game.position(["h 0 0", "h 1 0", "v 0 0"])  # one edge gives a box
    agent = make_agent(f"mcts:simulations=10,network={network},batch=1")
    decision = agent.analyse(position)
    capture = game.text_to_action("v 0 1")
    decision = make_agent(f"mcts:simulations=300,network={network},batch=1").analyse(position)
    assert decision.action == capture
    after = position.after(capture)
    assert after.to_move == position.to_move
    # with rewards to come the box itself counts as well
    worth = 0.5 if meaning == WHOLE_RETURN else 1.5
    alone = make_agent(f"mcts:simulations=1,network={network}").analyse(after)
    assert alone.value == pytest.approx(worth)
    assert make_agent(f"onnx:{network}").analyse(after).value == pytest.approx(worth)
    # now the opponent is to move, who owns nothing
    elsewhere = position.after(game.text_to_action("v 1 2"))
    assert elsewhere.to_move != position.to_move
    assert make_agent(f"mcts:simulations=1,network={network}").analyse(
        elsewhere
    ).value == pytest.approx(0)


def test_one_simulation_plays_the_networks_choice_and_many_correct_it(tmp_path):
    network = write_network(tmp_path / "biased.onnx", "connect_four", bias=[0, 0, 0, 0, 0, 0, 4])
    position = make_game("connect_four").position(["d", "d", "d", "e", "e", "e"])
    assert (
        make_agent(f"mcts:simulations=1,network={network}").act(position)
        == 6
        == make_agent(f"onnx:{network}").act(position)
    )
    lost = make_game("connect_four").position(["d", "a", "d", "a", "d"])
    assert make_agent(f"onnx:{network}").act(lost) == 6
    assert make_agent(f"mcts:simulations=100,network={network}").act(lost) == 3


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("spec", [GAMES[0], GAMES[3], GAMES[4]])
def test_the_network_in_the_kernel_grows_the_tree_of_the_loop_in_python(
    spec, batch, tmp_path, monkeypatch
):
    facts, rng = make_game(spec).facts, np.random.default_rng(1)
    size = int(np.prod(facts.observation_shape))
    weights, value_weights = rng.normal(size=(size, facts.num_actions)), rng.normal(size=(size, 1))
    network = write_network(
        tmp_path / "any.onnx", spec, weights, value_weights=value_weights / 9, value=TO_COME
    )
    agent, other = (
        make_agent(f"mcts:simulations=300,batch={batch},network={network}", spec) for _ in range(2)
    )
    agent.get_ready(make_game(spec))
    monkeypatch.setattr(OnnxNetwork, "compiled", lambda network: None)
    position = make_game(spec).initial_position()
    while not position.is_over:
        decision, expected = agent.analyse(position), other.analyse(position)
        assert decision == dataclasses.replace(expected, seconds=decision.seconds)
        position.play(decision.action)


def test_a_network_that_gives_no_numbers_ends_the_search(tmp_path):
    network = write_network(tmp_path / "broken.onnx", "tic_tac_toe")
    agent = make_agent(f"mcts:network={network}")
    start = make_game("tic_tac_toe").initial_position()
    agent.get_ready(start.game)
    agent._growers[0]._batch.network.weights[:] = np.nan
    with pytest.raises(SpecificationError, match="returned NaN or infinity"):
        agent.act(start)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.fast_cases(2)
def test_the_tree_is_kept_for_the_next_move(spec, ignorant):
    position, root_visits = make_game(spec).initial_position(), []
    agent = make_agent(f"mcts:simulations=300,network={ignorant(spec)}")
    other = make_agent("random", seed=3)
    while not position.is_over:
        decision = agent.analyse(position)
        root_visits.append(sum(decision.visits.values()) - decision.simulations)
        position.play(decision.action)
        while not position.is_over and position.to_move != 0:
            position.play(other.act(position))
    assert any(visits > 0 for visits in root_visits)


@pytest.mark.parametrize("finished", [[256, 256, 256, 256, 256], [256, 0]])
def test_a_round_of_proven_leaves_counts_as_a_round(finished, monkeypatch):
    """A search goes by the time of a round: a call must not end after one that was cheap."""
    left = list(finished)
    leaves = SimpleNamespace(simulations=[0], observations=None)

    def advance(*_):
        leaves.simulations[0] = left.pop(0)
        return 0  # no leaf waits for the network

    monkeypatch.setattr(puct_kernels, "advance", advance)
    kernel = puct_kernels.advance_by_network
    batch = SimpleNamespace(logits=None, values=None)
    waiting = getattr(kernel, "py_func", kernel)(None, None, None, leaves, batch, 0, 10**6, 5)
    assert (waiting, leaves.simulations[0], left) == (0, sum(finished), [])


def test_a_full_tree_goes_on_without_growing(ignorant):
    position = make_game("gomoku").initial_position()
    decision = make_agent(f"mcts:simulations=1500,memory=1,network={ignorant('gomoku')}").analyse(
        position
    )
    assert decision.simulations == 1500
    assert decision.nodes * 32 <= 2**20


def test_progress_reports_do_not_change_the_decision(ignorant):
    position, reports = make_game("connect_four").initial_position(), []
    quiet, telling = (
        make_agent(f"mcts:simulations=500,network={ignorant('connect_four')},batch=1")
        for _ in range(2)
    )
    telling.on_progress = reports.append
    assert quiet.analyse(position).visits == telling.analyse(position).visits
    assert [report.simulations for report in reports] == [64, 128, 256]


def test_the_version_holds_the_networks(ignorant):
    versions = {make_agent(f"mcts:network={ignorant(spec)}").version for spec in GAMES} | {
        make_agent("mcts").version
    }
    assert len(versions) == len(GAMES) + 1
