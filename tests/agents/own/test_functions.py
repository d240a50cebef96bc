"""Heuristics and orderings of a user's own: what they are given, and what they may do wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from helpers import SMALL_GAMES, random_positions, run_python
from plyground.agents import make_agent, register_heuristic, register_ordering
from plyground.agents.opponents import make_opponents
from plyground.agents.own import functions as own_functions
from plyground.agents.own.kernels import CALLBACK
from plyground.agents.own.search_form import search_form
from plyground.envs import make_game
from plyground.envs import rules as r
from plyground.envs.specification import SpecificationError
from plyground.training import make_env

pytestmark = pytest.mark.thorough

GAME = "connect_four:rows=4,cols=4"
DEFINING, REGISTERING = (
    "def more(position, player):\n    return {}\n",
    """
from defining import more
from plyground.agents import register_heuristic

register_heuristic("tic_tac_toe", "more", more)
""",
)


@pytest.fixture(autouse=True)
def _registry(monkeypatch):
    """What a test registers is there in this test only."""
    monkeypatch.setattr(own_functions._functions, "_things", {})


def summary(position, player):
    """A number that depends on all that compiled functions may ask of a position."""
    planes, total = position.observation(player), 0
    for row in range(planes.shape[0]):
        for column in range(planes.shape[1]):
            for plane in range(planes.shape[2]):
                total = (31 * total + int(planes[row, column, plane])) % 100_003
    for action in position.legal_actions():
        total = (31 * total + action) % 100_003
    for action in range(position.game.facts.num_actions):
        total += position.is_legal(action) * int(position.action_mask()[action])
    return total + 7 * position.to_move + position.is_over + position.game.rules[0]


def in_python(function):
    """The same function, which numba does not compile: compiled positions have no copies."""
    return lambda position, number: function(position.copy(), number)


def as_the_game(position, player):
    return r.evaluate(position.game.rules, position.record, player, 0)


def in_the_games_order(position, action):
    actions = position.legal_actions()
    order = np.empty(len(actions), np.int16)
    for place in range(len(actions)):
        order[place] = actions[place]
    r.order_actions(position.game.rules, position.record, order, len(order))
    for place in range(len(order)):
        if order[place] == action:
            return -place
    return -len(order)


def from_the_middle(position, action):
    return -abs(2 * action + 1 - position.game.rules.cols) / 2


def called(game, position, function, number):
    """What the kernels get from a registered function at its address."""
    address = own_functions.address_of(function, game, "own")
    return CALLBACK(address)(position.record.__array_interface__["data"][0], number, None)


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_a_compiled_function_sees_what_python_sees(spec, capsys):
    game = make_game(spec)
    register_heuristic(game.name, "own", summary)
    for position in random_positions(spec, 5):
        for player in (0, 1):
            expected = summary(position, player)
            assert called(game, position, "heuristic", player) == expected
    assert "interpreted" not in capsys.readouterr().err


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_functions_that_ask_the_game_search_as_its_own_do_node_for_node(spec):
    game = make_game(spec)
    register_heuristic(game.name, "own", as_the_game)
    register_ordering(game.name, "own", in_the_games_order)
    has_plain_form = search_form(game, "default").rules == game.rules  # and the same order
    both = "symmetry=no,history=no,radius=0,width=0,win_in_one=no"
    own = make_agent(f"alphabeta:depth=3,heuristic=own,ordering=own,{both}", game)
    plain = make_agent(f"alphabeta:depth=3,{both}", game)
    for position in random_positions(spec, 4):
        one, other = own.analyse(position), plain.analyse(position)
        assert (one.action, one.score) == (other.action, other.score)
        if has_plain_form:
            assert one.nodes == other.nodes


@pytest.mark.parametrize(
    "spec",
    [
        "greedy:heuristic={}",
        "minimax:depth=2,heuristic={}",
        "alphabeta:depth=2,heuristic={}",
        "textbook:depth=2,heuristic={}",
    ],
)
def test_every_agent_that_takes_a_heuristic_takes_one_that_python_runs(spec, capsys):
    register_heuristic("connect_four", "own", in_python(as_the_game))
    position = make_game(GAME).position([0, 3])
    decisions = [make_agent(spec.format(name)).analyse(position) for name in ("own", "default")]
    assert decisions[0].action == decisions[1].action
    assert decisions[0].score == decisions[1].score
    told = capsys.readouterr().err
    assert told.count("the heuristic 'own' of connect_four is interpreted") == 1


@pytest.mark.parametrize("form", [lambda function: function, in_python], ids=["compiled", "python"])
def test_the_actions_that_an_ordering_prefers_come_first(form):
    register_ordering("connect_four", "own", form(from_the_middle))
    game, actions = make_game(GAME), np.arange(4, dtype=np.int16)
    record = game.initial_position().record
    address = own_functions.address_of("ordering", game, "own")
    CALLBACK(address)(record.__array_interface__["data"][0], 4, actions.ctypes.data)
    assert actions.tolist() == [1, 2, 0, 3]


# -- what is refused --


def other(position, player):
    return 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("chess", "own", other), "there is no game 'chess'"),
        (("connect_four", "windows", other), "connect_four has a heuristic named 'windows' alr"),
        (("connect_four", "none", other), "connect_four has a heuristic named 'none' already"),
        (("connect_four", "taken", other), "connect_four has a heuristic named 'taken' already"),
        (("connect_four", "my own", other), "'my own' is no name of a heuristic"),
        (("connect_four", "own", lambda position: 0), r"a function of \(position, player\)"),
        (("connect_four", "own", 7), r"a function of \(position, player\), not 7"),
    ],
    ids=lambda value: str(value[1]) if isinstance(value, tuple) else "",
)
def test_names_and_functions_that_are_not_possible_are_refused(arguments, complaint):
    register_heuristic("connect_four", "taken", summary)
    register_heuristic("connect_four", "taken", summary)  # as a notebook's cell does, run again
    with pytest.raises(SpecificationError, match=complaint):
        register_heuristic(*arguments)


@pytest.mark.parametrize("option", ["heuristic", "ordering"])
def test_a_name_that_nothing_has_is_refused_with_a_list(option):
    register_heuristic("connect_four", "mine", summary)
    register_ordering("connect_four", "mine", from_the_middle)
    listed = rf"connect_four has no {option} 'other' \(there are: .*none, mine\); one of your own"
    with pytest.raises(SpecificationError, match=listed):
        make_agent(f"alphabeta:{option}=other", GAME)


def divides(position, number):
    return 1 // (number - number)


@pytest.mark.parametrize("form", [lambda function: function, in_python], ids=["compiled", "python"])
@pytest.mark.parametrize(
    ("option", "function", "complaint"),
    [
        ("heuristic", divides, "raised ZeroDivisionError: .*test_functions.py, line "),
        ("heuristic", lambda position, number: position.observation(0)[9, 9, 0], "raised Index"),
        ("heuristic", lambda position, number: None, "returned None; points are whole numbers"),
        ("heuristic", lambda position, number: 0.5 * number, r"returned 0\.[05]; points are whole"),
        ("heuristic", lambda position, number: "seven", "returned 'seven'; points are whole"),
        ("ordering", divides, "raised ZeroDivisionError"),
        ("ordering", lambda position, number: "seven", "returned 'seven'; what an action is"),
        ("ordering", lambda position, number: float("nan"), "returned nan; what an action is"),
    ],
)
def test_what_a_function_does_wrong_is_said_in_a_sentence(form, option, function, complaint):
    register = register_heuristic if option == "heuristic" else register_ordering
    register("connect_four", "own", form(function))
    agent = make_agent(f"alphabeta:depth=2,{option}=own")
    for _ in range(2):  # it is no other the second time
        with pytest.raises(
            SpecificationError, match=f"the {option} 'own' of connect_four {complaint}"
        ):
            agent.act(make_game(GAME).initial_position())


@pytest.mark.parametrize("form", [lambda function: function, in_python], ids=["compiled", "python"])
def test_points_beyond_every_win_are_no_win(form):
    register_heuristic("connect_four", "own", form(lambda position, player: 10**15))
    score = make_agent("alphabeta:depth=1,heuristic=own").analyse(make_game(GAME).position()).score
    assert (score.unit, score.kind, score.value) == ("points", "estimate", 499_999)


def test_ctrl_c_in_a_function_ends_the_search():
    def interrupted(position, player):
        if position.copy().ply > 3:
            raise KeyboardInterrupt
        return 0

    register_heuristic("connect_four", "own", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_agent("alphabeta:depth=40,heuristic=own").act(make_game(GAME).initial_position())


def test_an_opponent_within_an_environment_says_what_its_heuristic_does_wrong():
    register_heuristic("connect_four", "own", divides)
    register_heuristic("connect_four", "good", as_the_game)
    env = make_env(GAME, "greedy:heuristic=good", seat=1)
    assert env.reset(seed=1)[1]["action_mask"].sum() == 4
    env = make_env(GAME, "greedy:heuristic=own", seat=1)
    with pytest.raises(SpecificationError, match="raised ZeroDivisionError"):
        env.reset(seed=1)
    (opponent,) = make_opponents("greedy:heuristic=good", make_game(GAME))
    assert opponent.compiled is None


# -- other processes, and what a tournament keeps --


def run_here(*words):
    command = [sys.executable, "-m", "plyground.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_worker_processes_import_the_module_that_registers_a_heuristic(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agents = ("alphabeta:depth=1,heuristic=more", "random")
    words = ("tournament", "tic_tac_toe", *agents, "--pairs", "1", "--store", "games.db")
    identities = []
    Path("own_heuristics.py").write_text(REGISTERING)
    for points in ("1", "2", "2"):  # an edit begins another tournament, the same source none
        Path("defining.py").write_text(DEFINING.format(points))
        result = run_here("--import", "own_heuristics", *words, "--runner", "processes")
        assert result.returncode == 0, result.stderr
        assert "interpreted" not in result.stderr
        identities.append(result.stderr)
    assert "none was played" in identities[2]
    assert "none was played" not in identities[1]
    unknown = run_here(*words)
    assert unknown.returncode == 2
    assert "tic_tac_toe has no heuristic 'more'" in unknown.stderr


def test_the_version_of_an_agent_tells_the_source_of_its_heuristic():
    register_heuristic("connect_four", "own", summary)
    version = make_agent("alphabeta:heuristic=own", GAME).version
    assert ", the heuristic 'own' of connect_four: source " in version
    assert "unknown" not in version
    assert "source" not in make_agent("alphabeta", GAME).version


def test_an_installed_package_brings_heuristics_by_its_entry_points(tmp_path, monkeypatch):
    info = tmp_path / "site" / "own_heuristics-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own_heuristics\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[plyground.agents]\nmore = own_heuristics\n")
    (tmp_path / "site" / "own_heuristics.py").write_text(REGISTERING)
    (tmp_path / "site" / "defining.py").write_text(DEFINING.format(1))
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", paths)
    result = run_here("analyse", "tic_tac_toe", "--agent", "alphabeta:depth=1,heuristic=more")
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="is what that process runs")
def test_interpreted_searches_ask_the_same_functions():
    program = """
import plyground
from plyground.agents import register_heuristic, register_ordering
register_heuristic("connect_four", "own", lambda position, player: position.record.ply - player)
register_ordering("connect_four", "own", lambda position, action: action)
agent = plyground.make_agent("textbook:depth=3,heuristic=own,ordering=own")
decision = agent.analyse(plyground.make_game("connect_four:rows=4,cols=4").initial_position())
print(decision.action, decision.value, decision.nodes)
"""
    printed = {run_python("-c", program, NUMBA_DISABLE_JIT=switch) for switch in ("0", "1")}
    assert len(printed) == 1


class Fields(NamedTuple):
    """Fields that are called as what compiled functions read of a position."""

    observation: int
    to_move: int
    is_over: int
    is_legal: int
    legal_actions: int
    action_mask: int


@numba.njit
def sum_of(fields):
    first = fields.observation + fields.to_move + fields.is_over
    return first + fields.is_legal + fields.legal_actions + fields.action_mask


@pytest.mark.parametrize("last", [6, 6.0], ids=["one type", "two types"])
def test_fields_of_other_named_tuples_may_have_the_names_of_a_positions_methods(last):
    assert sum_of(Fields(1, 2, 3, 4, 5, last)) == 21
