"""What a decision says of the position and its actions: scores, and the numbers that follow; and
that an agent that acts without it plays the same.
"""

from __future__ import annotations

import pickle

import pytest
from agent_contract import check_act
from helpers import random_positions
from plyground import Decision, make_agent, make_game
from plyground.agents.decision import PlainScores, Score
from plyground.agents.greedy import Greedy
from plyground.envs.registry import game_names

VALUES = {0: 1.0, 3: -1.0}


@pytest.mark.parametrize("kind", ["exact", "estimate"])
@pytest.mark.parametrize("unit", ["return", "points"])
def test_plain_scores_are_scores_that_differ_in_their_values_only(unit, kind):
    scores = PlainScores(VALUES, unit, kind)
    decision = Decision(0, scores[0], scores)
    assert decision.scores == {0: Score(1.0, unit, kind), 3: Score(-1.0, unit, kind)}
    assert list(decision.scores) == [0, 3]
    assert 1 not in decision.scores
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert (decision.value, decision.scale, decision.exact) == (1.0, unit, kind == "exact")
    assert decision.values == VALUES


def test_bounds_are_no_values():
    scores = {0: Score(0.0), 1: Score(0.5, kind="upper"), 2: Score(0.5, kind="lower")}
    assert Decision(0, scores[0], scores).values == {0: 0.0}


def test_an_agent_that_estimates_nothing_gives_no_numbers():
    decision = Decision(4)
    assert (decision.value, decision.values, decision.mate_in) == (None, None, None)
    assert not decision.exact


@pytest.mark.parametrize("name", ["value", "scale", "exact", "values"])
def test_numbers_follow_from_scores_and_cannot_be_set(name):
    with pytest.raises(AttributeError):
        setattr(Decision(0, Score(1.0)), name, None)


@pytest.mark.parametrize("spec", game_names())
@pytest.mark.parametrize("option", ["", ",values=yes"])
@pytest.mark.fast_cases(2)
def test_the_level_of_an_estimate_is_the_mean_of_the_last_two_depths(spec, option):
    deep = make_agent(f"alphabeta:depth=3{option}")
    single = [make_agent(f"alphabeta:depth={depth},iterative=no") for depth in (2, 3)]
    estimates = 0
    for position in random_positions(spec, 6, seed=4):
        decision = deep.analyse(position)
        before, value = (agent.analyse(position).score for agent in single)
        if "return" in (before.unit, value.unit):
            assert decision.score.offset == 0
            continue
        estimates += 1
        assert (decision.value, value.offset) == (value.value, 0)
        assert decision.score.level == (before.value + value.value) / 2
        offsets = {score.offset for score in decision.scores.values() if score.unit == "points"}
        assert offsets == {decision.score.offset}  # the order of the actions stays as it is
    assert estimates or spec == "tic_tac_toe"  # at which three plies see the end of most games


# Options that choose in another way than those of tests/test_agents.py.
BESIDES = [
    "greedy:heuristic=none",
    "alphabeta:depth=3,iterative=no,table=0",
    "alphabeta:depth=2,adaptive=yes",
    "alphabeta:depth=3,endgame=8",
    "alphabeta:nodes=200",
    "minimax:depth=2,heuristic=none",
    "montecarlo:simulations=1001",
    "mcts:simulations=1",
    "mcts:simulations=700",
    "mcts:simulations=60,playout=uniform",
    "mcts:simulations=60,threads=3",
    "mcts:simulations=60,endgame=8",
    "mcts:simulations=60,network=zoo:connect_four,batch=2",
    "mcts:simulations=60,network=zoo:connect_four,lower_bound=no",
    "zoo:connect_four,temperature=1",
    "zoo:connect_four,symmetries=yes",
]


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("spec", BESIDES)
def test_act_plays_what_analyse_decides_with_options_that_choose_in_another_way(spec):
    game = make_game("connect_four")
    check_act(lambda seed: make_agent(spec, game, seed), game)
    acting, analysing = make_agent(spec, game, 1), make_agent(spec, game, 1)
    for start in random_positions("connect_four", 20, seed=8):  # won and lost ones among them
        assert acting.act(start) == analysing.analyse(start).action


def test_a_class_that_decides_anew_acts_by_its_decision():
    class Last(Greedy):
        def decide(self, position):
            return Decision(position.legal_actions()[-1])

    position = make_game("connect_four").initial_position()
    agent = Last()
    assert agent.act(position) == agent.analyse(position).action == 6


@pytest.mark.parametrize("spec", ["alphabeta:depth=3", "mcts:simulations=200"])
def test_acting_reports_progress_to_who_asked_for_it(spec):
    position, reports = make_game("connect_four").initial_position(), []
    agent = make_agent(spec)
    action = agent.act(position)
    agent.reset()
    agent.on_progress = reports.append
    assert agent.act(position) == action
    assert len(reports) >= 2
