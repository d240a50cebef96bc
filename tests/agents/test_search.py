"""Minimax and alpha-beta: equal to the textbook's, and every enhancement changes only the cost."""

from __future__ import annotations

import random

import pytest
from helpers import random_positions
from plyground import make_agent, make_game
from plyground.agents.decision import Score
from plyground.agents.search.deepening import score_of_points
from plyground.envs import rules as r
from plyground.envs.registry import game_names
from reference.search import PROVEN, alphabeta, minimax

ALL_ACTIONS = "radius=0,width=0,win_in_one=no"  # gomoku's default heuristic would choose
GAMES = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "connect_four",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "dots_and_boxes:rows=2,cols=3,reward=margin",
    "gomoku:size=5,connect=4",
    "gomoku:size=5,rule=caro",
]
ENHANCEMENTS = [
    *("", "table=0", "killers=no", "history=no", "scout=no", "iterative=no", "symmetry=no"),
    *("ordering=none", "table=0.001", "values=yes"),
]


def resisting(position, depth, heuristic, result):
    """What minimax found, with the action that is played where all lose.

    Of the actions that lose as late as the best, that is the best by the heuristic.
    """
    value, _, nodes = result
    if value > -PROVEN:
        return result
    game, mover, points = position.game, position.to_move, {}
    for each in position.legal_actions():
        child = position.after(each)
        left = depth - (child.to_move != mover)
        if minimax(child, left, mover, heuristic, ply=1)[0] == value:
            is_leaf = heuristic >= 0 and not child.is_over
            points[each] = is_leaf and r.evaluate(game.rules, child.record, mover, heuristic)
    return value, max(points, key=lambda each: points[each]), nodes


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("heuristic", ["none", "default"])
@pytest.mark.fast_cases(1)
def test_minimax_equals_the_textbooks_value_action_and_node_count(spec, heuristic):
    agent, index = make_agent(f"minimax:depth=2,heuristic={heuristic}"), _index(heuristic)
    for position in random_positions(spec, 6):
        decision = agent.analyse(position)
        reference = minimax(position, 2, position.to_move, index)
        expected = resisting(position, 2, index, reference)
        assert (points(agent), decision.action, decision.nodes) == expected


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("heuristic", ["none", "default"])
@pytest.mark.fast_cases(1)
def test_the_textbooks_search_equals_its_reference_node_for_node(spec, heuristic):
    """16 cases of 13 positions: value, action and nodes, in lost positions too."""
    agent = make_agent(f"textbook:depth=3,heuristic={heuristic}")
    for position in random_positions(spec, 13, seed=1):
        decision, index = agent.analyse(position), _index(heuristic)
        reference = alphabeta(position, 3, position.to_move, index)
        assert (points(agent), decision.action, decision.nodes) == reference


@pytest.mark.parametrize("option", ["resistance=no", "resistance=yes"])
def test_resistance_alone_decides_among_actions_that_lose_as_late(option):
    position = make_game("connect_four").position(["a", "c", "a", "d", "g", "e"])
    agent = make_agent(f"textbook:depth=3,{option}")
    reference = alphabeta(position, 3, position.to_move, 0)
    first, best = reference[1], resisting(position, 3, 0, reference)[1]
    assert first != best
    expected = best if option == "resistance=yes" else first
    # to act, a search of few plies has a form of its own
    assert agent.act(position) == agent.analyse(position).action == expected


@pytest.mark.parametrize(
    ("option", "value"), [("killers=yes", True), ("table=1", 1.0), ("ordering=default", "default")]
)
def test_an_option_switches_one_enhancement_of_the_textbooks_search_on(option, value):
    options = make_agent(f"textbook:{option}").options
    assert options == {**make_agent("textbook").options, option.partition("=")[0]: value}


def points(agent):
    """The value of the last search in points, in which a quick win counts more than a late one."""
    return int(agent._workspace.state[0].best)


def _index(heuristic):
    return 0 if heuristic == "default" else -1


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("option", ENHANCEMENTS)
def test_no_enhancement_changes_the_value(spec, option):
    options = ",".join(["depth=3,win_in_one=no", *([option] if option else [])])
    agent, plain = make_agent(f"alphabeta:{options}"), make_agent("textbook:depth=3")
    for position in random_positions(spec, 6, seed=2):
        decision = agent.analyse(position)
        expected = plain.analyse(position)
        assert (decision.value, points(agent)) == (expected.value, points(plain))
        assert decision.principal_variation[0] == decision.action


@pytest.mark.parametrize("spec", GAMES)
def test_the_value_is_that_of_the_principal_variations_end(spec):
    agent = make_agent("alphabeta:depth=3")
    for position in random_positions(spec, 5, seed=3):
        decision, ahead = agent.analyse(position), position.copy()
        for action in decision.principal_variation:
            ahead.play(action)
        if ahead.is_over:
            result = ahead.returns[position.to_move]
            assert (decision.value > 0) == (result > 0)
            assert (decision.value < 0) == (result < 0)


@pytest.mark.parametrize(
    "spec",
    [
        "tic_tac_toe",
        "connect_four:rows=4,cols=4",
        "dots_and_boxes:rows=2,cols=2",
        "gomoku:size=4,connect=4",
    ],
)
def test_an_exact_value_is_the_result_of_full_minimax(spec):
    agent = make_agent(f"alphabeta:depth=40,{ALL_ACTIONS}")
    for position in random_positions(spec, 8, seed=4, plies_left=6):
        decision = agent.analyse(position)
        value = minimax(position, 40, position.to_move)[0]
        assert decision.exact
        assert (decision.value > 0) - (decision.value < 0) == (value > 0) - (value < 0)


def test_a_quick_win_is_preferred_and_a_loss_put_off():
    game = make_game("connect_four")
    win_now = game.position(["a", "b", "a", "b", "a", "b"])
    score = make_agent("alphabeta:depth=8").analyse(win_now).score
    assert score == Score(1.0, "return", "exact", plies=1)
    # Three in a row with both ends open: player_1 to move is lost, in two plies and not before.
    lost = game.position(["c", "c", "d", "d", "e"])
    assert make_agent("alphabeta:depth=8").analyse(lost).mate_in == -2


def test_values_gives_every_root_action_the_value_of_the_position_after_it():
    position = make_game("tic_tac_toe").position(["b2"])
    decision = make_agent("alphabeta:depth=9,values=yes").analyse(position)
    assert sorted(decision.values) == position.legal_actions()
    for action, score in decision.scores.items():
        reply = minimax(position.after(action), 9, position.to_move, ply=1)[0]
        assert score == score_of_points(reply, "exact", True, True)


def test_a_node_limit_is_kept_and_there_is_always_an_answer():
    position = make_game("gomoku").initial_position()
    for nodes in (1, 10, 1000):
        decision = make_agent(f"alphabeta:nodes={nodes}").analyse(position)
        assert decision.nodes <= nodes
        assert position.is_legal(decision.action)


def test_progress_is_reported_for_every_depth():
    agent, depths = make_agent("alphabeta:depth=5"), []
    agent.on_progress = lambda decision: depths.append(decision.depth)
    agent.act(make_game("connect_four").initial_position())
    assert depths == [1, 2, 3, 4, 5]


def test_the_adaptive_depth_grows_as_the_actions_get_fewer():
    game = make_game("dots_and_boxes:rows=2,cols=2")
    late = random_positions(game.spec, 1, seed=5, plies_left=6)[0]
    agent = make_agent("alphabeta:depth=3,adaptive=yes,iterative=no")
    assert agent.analyse(game.initial_position()).depth == 3
    assert agent.analyse(late).depth > 3


def test_a_decision_depends_on_the_position_alone():
    first, second = random_positions("connect_four", 2, seed=6)
    agent = make_agent("alphabeta:depth=7")
    agent.analyse(first)
    again, expected = agent.analyse(second), make_agent("alphabeta:depth=7").analyse(second)
    assert (again.action, again.score, again.nodes) == (
        expected.action, expected.score, expected.nodes,
    )  # fmt: skip


# -- symmetries of heuristics --


def _heuristics():
    """Every heuristic of every game, on boards of odd and of even width."""
    boards = [
        "tic_tac_toe", "tic_tac_toe:rows=3,cols=4,connect=3",
        "connect_four", "connect_four:rows=4,cols=4", "connect_four:rows=9,cols=10",
        "dots_and_boxes:rows=2,cols=2", "dots_and_boxes:rows=2,cols=3",
        "gomoku:size=6", "gomoku:size=7,rule=caro",
    ]  # fmt: skip
    boards += [name for name in game_names() if not any(b.split(":")[0] == name for b in boards)]
    return [(b, name) for b in boards for name in make_game(b).declaration.heuristics]


@pytest.mark.parametrize(("spec", "heuristic"), _heuristics())
def test_every_heuristic_keeps_its_value_under_the_symmetries_it_declares(spec, heuristic):
    game = make_game(spec)
    index = game.declaration.heuristics.index(heuristic)
    symmetries = {tuple(row) for row in r.heuristic_symmetries(game.rules, heuristic).tolist()}
    broken = set()
    for position in random_positions(spec, 30, seed=5):
        value = r.evaluate(game.rules, position.record, 0, index)
        for number, row in enumerate(game.symmetries.tolist()):
            if r.evaluate(game.rules, position.transformed(number).record, 0, index) != value:
                broken.add(tuple(row))
    assert tuple(game.symmetries[0].tolist()) in symmetries
    assert not broken & symmetries
    # What is not declared is really not kept: the declaration costs the search nothing in vain.
    assert broken or len(symmetries) == len(game.symmetries)


# -- what a value means --


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four:rows=4,cols=4"])
def test_exact_scores_are_results_and_upper_bounds_are_kept(spec):
    for position in random_positions(spec, 8, seed=8, plies_left=6):
        solution = make_agent("solver:moves=all").analyse(position)
        decision = make_agent("alphabeta:depth=12").analyse(position)
        assert decision.score.is_exact
        assert decision.score.value == solution.value
        for action, score in decision.scores.items():
            if score.unit == "points":
                assert score.kind == "upper"  # the search ended when it saw the win
            elif score.is_exact:
                assert score.value == solution.values[action]
            else:
                assert score.kind == "upper"
                assert score.value >= solution.values[action]


def test_the_margin_returned_is_an_exact_score():
    position = make_game("dots_and_boxes:rows=1,cols=1,reward=margin").initial_position()
    score = make_agent("alphabeta:depth=4").analyse(position).score
    assert score == Score(-1.0, "return", "exact", plies=4)


# -- lost positions --


@pytest.fixture(scope="module")
def lost_position():
    """A position with the value of each action at depth 6.

    Player_1 is lost; taking one end of the row loses in four plies, all else in two.
    """
    position = make_game("connect_four").position(["c", "c", "d", "d"])
    lost = position.after(position.game.text_to_action("e"))
    values = {
        action: minimax(lost.after(action), 6, lost.to_move, 0, ply=1)[0]
        for action in lost.legal_actions()
    }
    return lost, values


@pytest.mark.parametrize(
    "agent", ["minimax:depth=6", "alphabeta:depth=6", "alphabeta:depth=6,values=yes"]
)
@pytest.mark.thorough
def test_a_lost_side_resists_as_long_as_it_can(agent, lost_position):
    (lost, values), searcher = lost_position, make_agent(agent)
    decision = searcher.analyse(lost)
    assert points(searcher) == max(values.values()) == values[decision.action]


# -- results that tie --


@pytest.mark.parametrize(
    "agent",
    [
        "minimax:depth=4",
        "alphabeta:depth=4",
        "alphabeta:depth=2",
        "greedy",
        "mcts:simulations=300",
        "montecarlo:simulations=50",
    ],
)
@pytest.mark.parametrize("lead", ["lost", "won"])
@pytest.mark.fast_cases(3)
def test_a_decided_side_goes_on_taking_boxes(agent, lead):
    # Six of the nine boxes are taken by one side, and a chain of three boxes is open.
    position = decided_position(lead)
    mover, boxes = position.to_move, position.record.score[position.to_move]
    player = make_agent(agent)
    while not position.is_over and position.to_move == mover:
        position.play(player.act(position))
    assert position.is_over
    assert position.record.score[mover] == boxes + 3


def decided_position(lead):
    """A 3×3 board where the player to move, lost or won, can take the last three boxes."""
    rng = random.Random(4)
    for _ in range(20_000):
        position = make_game("dots_and_boxes:rows=3,cols=3").initial_position()
        while not position.is_over:
            score, mover = position.record.score, position.to_move
            left = 9 - score[0] - score[1]
            ahead = int(score[mover]) - int(score[1 - mover])
            if left == 3 and ahead == (-6 if lead == "lost" else 6) and _can_take_all(position):
                return position
            takes = [a for a in position.legal_actions() if position.after(a).to_move == mover]
            position.play(rng.choice(takes or position.legal_actions()))
    raise AssertionError("no such position was met")


def _can_take_all(position):
    """Whether the player to move can take all boxes left without giving up the turn."""
    if position.is_over:
        return True
    return any(
        position.after(a).to_move == position.to_move and _can_take_all(position.after(a))
        for a in position.legal_actions()
    )
