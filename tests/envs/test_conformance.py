"""The conformance checks pass our games and environments, and reject each broken one for what is
broken.
"""

from __future__ import annotations

import os
import re
import sys

import plyground
import pytest
from broken import environments
from broken.games import FAULTS, Line
from helpers import GAMES, ROOT, SMALL_VARIANTS, run_python
from pettingzoo.classic.connect_four import connect_four as pettingzoo_connect_four
from pettingzoo.utils.env_logger import EnvLogger
from plyground.envs import BoardEnv, ConformanceError, check_env, check_game, declare_game
from plyground.envs import rules as r

REJECTIONS = {
    "turn_never_switches": "player 0 moves twice in a row, which facts.moves_again rules out: does",
    "one_player_never_moves": "player 1 never got to move",
    "not_zero_sum": "the returns 0 and 1 do not add up to zero",
    "returns_too_large": "outside of what facts declares, -1 to 1",
    "occupied_cell_legal": "is_legal says yes to action",
    "legal_actions_unordered": "not in ascending order",
    "undeclared_action": "actions are 0 to 5",
    "legal_after_the_end": "the game is over, but legal_actions lists",
    "game_never_ends": "the game is not over, but no action is legal",
    "longest_game_too_short": "goes on after 3 moves, which facts.longest_game says is the most",
    "observation_hides_a_cell": "not determine the position: restoring it gives cells[0] 0 instead",
    "observation_hides_a_field": "determine the position: restoring it gives turns 0 instead of 1",
    "observation_values": "observes the value 2; values are 0 and 1",
    "key_ignores_cells": "key cannot tell these two positions apart",
    "key_ignores_colours": "key cannot tell these two positions apart",
    "symmetry_is_none": "symmetry 1 is none",
    "symmetry_repeats_an_action": "symmetry 1 is not a permutation of the actions",
    "symmetry_first_is_no_identity": "the first symmetry is not the identity",
    "names_ambiguous": "action 2 is called 'c', but text_to_action('c') gives 3",
    "random_action_illegal": "random_action draws",
    "order_drops_an_action": "order_actions makes",
    "proposal_illegal": "propose lists [0, 1, 2, 3, 4, 5]; legal actions:",
    "over_at_the_start": "the game is over, but legal_actions lists",
    "lopsided_facts": "returns from -1 to 2, which is not symmetric about zero",
    "areas_overlap": "the area of action 0 (a) overlaps that of action 1",
    "area_outside": "the area of action 5 (f) does not lie in the picture",
    "area_missing": "its board has 5 areas for 6 actions",
    "source_unknown": "a source of its board must be a place with an area, or None",
    "ply_leaves_out_a_turn": "the position says ply 1 after 2 actions",
}


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_our_games_conform(spec):
    check_game(spec, games=8)


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_our_environments_conform(spec):
    check_env(spec, games=3)


@pytest.mark.slow
@pytest.mark.parametrize("spec", GAMES)
def test_our_games_conform_at_full_size(spec):
    check_game(spec, games=10)
    check_env(spec)


def test_the_game_without_faults_conforms():
    check_game(Line())
    check_env(lambda: BoardEnv(plyground.envs.Game(Line())))


def test_each_fault_has_its_rejection():
    sound = {"none", "returns_are_fractions"}  # the second is beyond the solver only
    assert set(REJECTIONS) == set(FAULTS) - sound


@pytest.mark.parametrize("fault", REJECTIONS)
def test_a_broken_game_is_rejected_for_what_is_broken(fault):
    with pytest.raises(ConformanceError, match=re.escape(REJECTIONS[fault])) as error:
        check_game(Line(fault=fault), games=100)
    assert str(error.value).startswith(f"line:fault={fault}")


def test_the_complaint_tells_the_actions_that_led_there():
    with pytest.raises(
        ConformanceError, match=r"line:fault=legal_after_the_end, after [a-f](, [a-f])+: "
    ):
        check_game(Line(fault="legal_after_the_end"))


def test_a_missing_rule_is_named():
    Unfinished = declare_game(
        name="unfinished", version=0, title="", position=[("ply", "i2")], parameters=()
    )(type("Unfinished", (tuple,), {}))
    r.facts.register(Unfinished)(lambda rules: plyground.envs.Facts(1, 1, -1, 1, (1, 1, 1)))
    message = r"Unfinished has no rule 'start'; register it with rules\.start\.register_body"
    with pytest.raises(ConformanceError, match=message):
        check_game(Unfinished())


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        (environments.WrongRewardSign, "the rewards add up to"),
        (environments.RewardForBoth, "do not add up to zero"),
        (environments.CumulativeRewardNotRestarted, "since its last step"),
        (environments.IdleMaskNotZero, "is not to move, but its mask allows actions"),
        (environments.MaskForgetsAnAction, "has a mask that differs from the observation"),
        (environments.InfosHoldAnOldMask, "has a mask that differs from the observation"),
        (environments.SeesTheOpponentsSide, "does not observe the position"),
        (environments.ObservationOutsideItsSpace, "observation is not in its observation space"),
        (environments.EndsForOneAgentOnly, "but not for all agents"),
        (environments.NewSpaceAtEachCall, "is another object at each call"),
        (environments.IgnoresIllegalActions, "is neither refused nor does it end the game"),
        (environments.CopiesShareTheBoard, "stepping a copy made by deepcopy changes the original"),
        (environments.CopiesStartAnew, "has forgotten the game"),
        (
            environments.DependsOnTheProcess,
            "two environments with the same seed and actions differ",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_broken_environment_is_rejected_for_what_is_broken(environment, complaint):
    EnvLogger.suppress_output()
    with pytest.raises(ConformanceError, match=re.escape(complaint)):
        check_env(environment)


def test_the_proper_environment_beside_the_broken_ones_conforms():
    check_env(environments.TicTacToeEnv)
    check_env(lambda: environments.TicTacToeEnv(checked=False))


def test_an_environment_itself_can_be_given():
    check_env(plyground.envs.tic_tac_toe_v0.env(), games=2)


def test_what_is_no_environment_is_named():
    with pytest.raises(ConformanceError, match="int is not a PettingZoo AECEnv"):
        check_env(lambda: 3)


def test_pettingzoo_connect_four_is_rejected_because_its_copies_forget_the_game():
    with pytest.raises(ConformanceError, match="a copy made by deepcopy has forgotten the game"):
        check_env(pettingzoo_connect_four.env)


EXAMPLES = ROOT / "examples"


def run_beside_the_examples(*words):
    """Run Python where the examples can be imported; returns what it printed."""
    path = os.pathsep.join([str(EXAMPLES), *sys.path[1:]])
    return run_python(*words, PYTHONPATH=path)


@pytest.mark.thorough
def test_the_example_of_a_game_of_ones_own_runs_by_itself_and_as_a_module():
    assert "conforms" in run_beside_the_examples(EXAMPLES / "own_game.py")
    # the cache knows it as __main__'s now
    run_beside_the_examples("-c", "import own_game; own_game.main()")


@pytest.mark.thorough
def test_searches_play_a_game_that_declares_nothing_optional():
    """No heuristic, no symmetry, no order of actions: examples/own_game.py."""
    program = """
import own_game, plyground
position = plyground.make_game("twenty_one:goal=10").initial_position()
for spec in ("alphabeta:depth=10", "minimax:depth=10", "mcts:simulations=2000", "greedy"):
    decision = plyground.make_agent(spec).analyse(position)
    print(spec, position.game.action_to_text(decision.action), decision.score.text())
"""
    lines = run_beside_the_examples("-c", program).splitlines()
    assert [line.split()[1] for line in lines[:3]] == ["+2", "+2", "+2"]  # leaves 8, then 4
    assert "wins in 5 plies" in lines[0]
    assert lines[3].endswith("0 points (estimate)")
