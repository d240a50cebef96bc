"""Minimax and alpha-beta: equal to the textbook's, and every enhancement changes only the cost."""

from __future__ import annotations

import random

import pytest
from agent_contract import check_time
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError
from reference.search import alphabeta, minimax

ALL_ACTIONS = "radius=0,width=0,foresee=no"  # gomoku's default heuristic would choose
PLAIN = f"iterative=no,table=0,killers=no,history=no,scout=no,symmetry=no,{ALL_ACTIONS}"
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
    "",
    "table=0",
    "killers=no",
    "history=no",
    "scout=no",
    "iterative=no",
    "symmetry=no",
    "ordering=none",
    "table=0.001",
    "values=yes",
]


def some_positions(spec, count, seed=0, plies_left=None):
    """Positions of random games, none of them over; with ``plies_left`` all that far from the
    longest game's end.
    """
    rng, game, found = random.Random(seed), make_game(spec), []
    while len(found) < count:
        position = game.initial_position()
        plies = (
            rng.randrange(game.facts.longest_game)
            if plies_left is None
            else game.facts.longest_game - plies_left
        )
        for _ in range(plies):
            if position.is_over:
                break
            position.play(rng.choice(position.legal_actions()))
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("heuristic", ["none", "default"])
def test_minimax_equals_the_textbooks_value_action_and_node_count(spec, heuristic):
    agent = make_agent(f"minimax:depth=2,heuristic={heuristic}")
    for position in some_positions(spec, 6):
        decision = agent.analyse(position)
        assert (decision.value, decision.action, decision.nodes) == minimax(
            position, 2, position.to_move, 0 if heuristic == "default" else -1
        )


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("heuristic", ["none", "default"])
def test_plain_alphabeta_equals_the_textbooks_value_action_and_node_count(spec, heuristic):
    agent = make_agent(f"alphabeta:depth=3,heuristic={heuristic},ordering=none,{PLAIN}")
    for position in some_positions(spec, 6, seed=1):
        decision = agent.analyse(position)
        assert (decision.value, decision.action, decision.nodes) == alphabeta(
            position, 3, position.to_move, 0 if heuristic == "default" else -1
        )


def test_plain_alphabeta_on_the_empty_connect_four_board_visits_as_many_nodes_as_the_textbooks():
    position = make_game("connect_four").initial_position()
    decision = make_agent(f"alphabeta:depth=6,heuristic=none,ordering=none,{PLAIN}").analyse(
        position
    )
    assert decision.nodes == alphabeta(position, 6, 0)[2]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("option", ENHANCEMENTS)
def test_no_enhancement_changes_the_value(spec, option):
    # `chains` may estimate mirror images differently, so searching only one of them may change its
    # value.
    heuristic = "classic" if spec.startswith("dots_and_boxes") else "default"
    options = ",".join(["depth=3", f"heuristic={heuristic}", *([option] if option else [])])
    agent, plain = (
        make_agent(f"alphabeta:{options}"),
        make_agent(f"alphabeta:depth=3,heuristic={heuristic},{PLAIN}"),
    )
    for position in some_positions(spec, 6, seed=2):
        decision = agent.analyse(position)
        assert decision.value == plain.analyse(position).value
        assert decision.principal_variation[0] == decision.action


@pytest.mark.parametrize("spec", GAMES)
def test_the_value_is_that_of_the_principal_variations_end(spec):
    agent = make_agent("alphabeta:depth=3")
    for position in some_positions(spec, 5, seed=3):
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
    for position in some_positions(spec, 8, seed=4, plies_left=6):
        decision = agent.analyse(position)
        value = minimax(position, 40, position.to_move)[0]
        assert decision.exact
        assert (decision.value > 0) - (decision.value < 0) == (value > 0) - (value < 0)


def test_tic_tac_toe_is_a_draw_and_said_to_be_proved():
    decision = make_agent("alphabeta:depth=9").analyse(make_game("tic_tac_toe").initial_position())
    assert (decision.value, decision.exact) == (0, True)


def test_a_quick_win_is_preferred_and_a_loss_put_off():
    game = make_game("connect_four")
    win_now = game.position(["a", "b", "a", "b", "a", "b"])
    assert make_agent("alphabeta:depth=8").analyse(win_now).value == 1_000_000 - 1
    # Three in a row with both ends open: player_1 to move is lost, in two plies and not before.
    lost = game.position(["c", "c", "d", "d", "e"])
    assert make_agent("alphabeta:depth=8").analyse(lost).value == -1_000_000 + 2


def test_values_gives_every_root_action_the_value_of_the_position_after_it():
    position = make_game("tic_tac_toe").position(["b2"])
    decision = make_agent("alphabeta:depth=9,values=yes").analyse(position)
    assert sorted(decision.values) == position.legal_actions()
    for action, value in decision.values.items():
        reply = minimax(position.after(action), 9, position.to_move, ply=1)[0]
        assert value == reply


@pytest.mark.parametrize(
    "spec",
    [
        "connect_four",
        "gomoku:size=19",
        "dots_and_boxes:rows=7,cols=7",
        "tic_tac_toe:size=19,connect=5",
    ],
)
def test_a_time_limit_is_kept_on_large_boards(spec, monkeypatch):
    position = make_game(spec).initial_position()
    agent = make_agent("alphabeta:time=0.2")
    assert agent.analyse(position).depth >= 1
    check_time(agent, position, 0.2, monkeypatch)


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
    late = some_positions(game.spec, 1, seed=5, plies_left=6)[0]
    agent = make_agent("alphabeta:depth=3,adaptive=yes,iterative=no")
    assert agent.analyse(game.initial_position()).depth == 3
    assert agent.analyse(late).depth > 3


def test_a_decision_depends_on_the_position_alone():
    first, second = some_positions("connect_four", 2, seed=6)
    agent, fresh = make_agent("alphabeta:depth=7"), make_agent("alphabeta:depth=7")
    agent.analyse(first)
    again, expected = agent.analyse(second), fresh.analyse(second)
    assert (again.action, again.value, again.nodes) == (
        expected.action,
        expected.value,
        expected.nodes,
    )


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("alphabeta:depth=0", "depth must be a whole number from 1"),
        ("alphabeta:time=-1", "time must be a number from"),
        ("alphabeta:depth=two", "depth must be a whole number"),
        ("alphabeta:table=900000", "this machine has"),
        ("alphabeta:width=5,ordering=none", "width= needs an ordering"),
        ("minimax:pruning=no", "minimax has no parameter 'pruning'"),
        ("alphabeta:ordering=best", "ordering must be one of default, none"),
    ],
)
def test_bad_options_are_refused_before_any_search(spec, complaint):
    with pytest.raises(SpecificationError, match=complaint):
        make_agent(spec)


def test_a_heuristic_of_another_game_is_refused_with_a_list_of_those_there_are():
    with pytest.raises(
        SpecificationError,
        match=r"connect_four has no heuristic 'lines' \(there are: .*windows.*none\)",
    ):
        make_agent("alphabeta:heuristic=lines", game="connect_four")
