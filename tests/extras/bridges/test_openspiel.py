"""Our games as OpenSpiel's, its bots as our agents, our agents as its bots."""

from __future__ import annotations

import copy
import random
import subprocess
import sys

import pyspiel
import pytest
from helpers import SMALL_VARIANTS
from open_spiel.python.algorithms import minimax
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError
from plyground.extras.bridges.adapters.openspiel import as_bot, load_game, own_game, register_games
from reference import openspiel_pairs

pytestmark = pytest.mark.thorough

PAIRS = openspiel_pairs(same_actions=True)
GAMES_IN_ALL = 500


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_openspiels_own_check_of_games_passes(spec):
    pyspiel.random_sim_test(load_game(spec), num_sims=3, serialize=False, verbose=False)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours for ours, _ in PAIRS])
def test_through_the_adapter_games_go_as_openspiels_own(ours, theirs):
    adapter, own = load_game(ours), pyspiel.load_game(theirs)
    for seed in range(-(-GAMES_IN_ALL // len(PAIRS))):
        rng = random.Random(seed)
        state, other = adapter.new_initial_state(), own.new_initial_state()
        while not other.is_terminal():
            assert state.legal_actions() == other.legal_actions()
            assert state.current_player() == other.current_player()
            action = rng.choice(other.legal_actions())
            state.apply_action(action)
            other.apply_action(action)
        assert state.is_terminal()
        assert state.returns() == other.returns()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[ours for ours, _ in PAIRS])
def test_openspiels_own_game_is_found(ours, theirs):
    game, expectation = pyspiel.load_game(own_game(make_game(ours))), pyspiel.load_game(theirs)
    assert game.num_distinct_actions() == expectation.num_distinct_actions()
    assert sorted(game.get_parameters()) == sorted(expectation.get_parameters()) or "mnk" in str(
        game
    )


def test_games_with_other_rules_have_no_own_game():
    for spec in ("gomoku:rule=caro", "othello:size=6", "dots_and_boxes:start=icelandic"):
        assert own_game(make_game(spec)) is None


def test_registered_games_take_our_parameters():
    assert "plyground_gomoku" in register_games()
    assert register_games() == register_games()
    game = pyspiel.load_game("plyground_connect_four(rows=5)")
    assert game.num_distinct_actions() == 7
    assert game.observation_tensor_shape() == [5, 7, 2]


# OpenSpiel keeps what is registered beyond the interpreter's end.
REGISTERED = """
import pyspiel
from plyground.extras.bridges.adapters.openspiel import register_games
register_games()
print(len(pyspiel.load_game("plyground_hex(size=3)").new_initial_state().legal_actions()))
"""


def test_a_program_that_registered_games_ends_well():
    result = subprocess.run(
        [sys.executable, "-c", REGISTERED], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (0, "9\n"), result.stderr


def test_openspiels_algorithms_run_on_our_games():
    value, _ = minimax.alpha_beta_search(load_game("tic_tac_toe:size=3"))
    assert value == 0.0
    value, _ = minimax.alpha_beta_search(load_game("dots_and_boxes:rows=1,cols=1"))
    assert value == -1.0


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", "gomoku:size=5,connect=3,rule=caro", "dots_and_boxes:rows=2,cols=2"]
)
@pytest.mark.parametrize("bot", ["mcts,simulations=20", "uniform_random"])
def test_its_bots_play_our_games_repeatably(bot, spec):
    game = make_game(spec)
    courses = []
    for seed in (1, 1, 2):
        agent = make_agent(f"openspiel:{bot}", game, seed)
        position = game.initial_position()
        while not position.is_over:
            position.play(agent.act(position))
        courses.append(position.moves)
    if bot != "uniform_random":  # which OpenSpiel seeds by itself
        assert courses[0] == courses[1]
        assert courses[0] != courses[2]


def test_its_search_plays_well_where_the_moves_are_not_known_too():
    game = make_game("connect_four")
    agent = make_agent("openspiel:mcts,simulations=300", game)
    position = game.position(["d", "a", "d", "a", "d", "b"])
    assert game.action_to_text(agent.act(position)) == "d"
    bare = game.position_from_observation(position.observation())
    assert bare.moves is None
    assert game.action_to_text(agent.act(bare)) == "d"
    assert game.action_to_text(copy.deepcopy(agent).act(position)) == "d"


def test_unknown_bots_are_refused():
    with pytest.raises(SpecificationError, match="OpenSpiel has no bot 'stockfish'"):
        make_agent("openspiel:stockfish")
    assert make_agent("openspiel:mcts,simulations=50").spec == "openspiel:mcts,simulations=50"


def test_without_openspiel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SpecificationError, match="pip install open-spiel"):
        make_agent("openspiel:mcts")


@pytest.mark.parametrize("wrapped", [True, False])
def test_our_agents_are_its_bots(wrapped):
    game = load_game("tic_tac_toe") if wrapped else pyspiel.load_game("tic_tac_toe")
    perfect = as_bot(make_agent("solver", "tic_tac_toe"), "tic_tac_toe")
    for seed in range(5):
        rng, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == 0:
                state.apply_action(perfect.step(state))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
        assert state.returns()[0] >= 0
