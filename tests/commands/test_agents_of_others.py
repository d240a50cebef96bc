"""Reading what others wrote executes nothing: agents that a file names are not made unasked."""

from __future__ import annotations

import json
import shutil

import pytest
from broken.stores import (
    INTERACTIVE,
    READERS,
    TRAPS,
    commands_that_take_stores,
    hostile_specs,
    name_agents,
    set_trap,
    watched,
)
from command_line import plyground, plyground_json, refused
from helpers import run
from plyground import make_game
from plyground.agents.effects import effects_of
from plyground.agents.registry import agent_classes
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.training.api import train
from plyground.training.folder import begun_settings
from plyground.training.ppo.settings import PPOSettings

GAMES = ("tic_tac_toe", "connect_four", "gomoku:size=9")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A trap, and a store beside it that names what is in it."""
    folder = tmp_path_factory.mktemp("hostile")
    trap, store = set_trap(folder), folder / "games.db"
    for game in GAMES:
        run(Plan(game, ("random", "greedy"), 1, opening="random:1"), store)
    name_agents(store, hostile_specs(trap))
    return trap, store


def test_every_command_that_takes_a_store_is_tried():
    assert {*commands_that_take_stores()} == READERS.keys() | INTERACTIVE


def test_every_agent_that_does_more_than_play_is_in_the_trap():
    assert {name for name, each in agent_classes().items() if each.effects({})} <= TRAPS.keys()


def lines(commands):
    return [f"{command} {rest}" for command in commands for rest in READERS[command]]


@pytest.mark.parametrize(
    "line",
    [
        *lines(["verify"]),
        *(
            pytest.param(each, marks=pytest.mark.thorough)
            for each in lines(name for name in READERS if name != "verify")
        ),
    ],
)
def test_a_command_that_reads_a_store_makes_no_agent_of_it(line, files, tmp_path):
    trap, store = files
    copy = shutil.copy(store, tmp_path / "copy.db")
    (trap / "game.sgf").write_text("(;FF[4]GM[4]SZ[15];B[hh];W[ii])")
    status, output, notes = watched(line.format(store=copy).split(), trap)
    assert notes == []
    assert status in (0, 1, 2), output
    assert "internal error" not in output


@pytest.mark.thorough
def test_what_is_asked_for_is_made(files):
    trap, store = files
    words = ["verify", str(store), "--games", "1", "--ask", "python:trap:act"]
    _, output, notes = watched(words, trap)
    assert any("trap.py" in note for note in notes)
    assert any("os.system" in note for note in notes)
    assert "python:trap:act was skipped" not in output


def test_only_an_agent_of_the_store_can_be_asked(files):
    said = refused("verify", files[1], "--ask", "python:nothing:at_all")
    assert "there is no agent to ask 'python:nothing:at_all'" in said


def test_verify_says_what_each_agent_would_do(files):
    trap, store = files
    left_out = {
        each["agent"]: each["would"]
        for one in plyground_json(f"verify {store}")["tournaments"]
        for each in one["left_out"]
    }
    assert left_out["python:trap:act"] == "imports a module"
    assert left_out["mcts:network=hf://owner/name"] == "reaches the network"
    assert left_out[f"alphabeta:book={trap / 'trap.py'}"] == "opens a file"


@pytest.mark.parametrize(
    "spec", ["random", "greedy", "mcts:network=zoo:hex", "alphabeta:book=centre"]
)
def test_agents_that_only_play_may_be_named_by_anybody(spec):
    assert effects_of(spec) == ()


@pytest.fixture
def hostile_run(ppo_run):
    """The folder of a run that kept a snapshot, and a way to write its settings anew."""

    def write(**settings):
        facts = json.loads((ppo_run / "run.json").read_text())
        facts["description"] |= settings
        (ppo_run / "run.json").write_text(json.dumps(facts))
        return ppo_run

    return write


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("opponent", "python:trap:act", "python:trap:act imports a module"),
        ("opponent", "mix:0.5 self,0.5 sb3:x.zip", "sb3:x.zip unpickles a file"),
        ("opponent", "curriculum:random;gomocup:/bin/sh", "gomocup:/bin/sh runs a program"),
        ("evaluate", "greedy;llm:m", "llm:m reaches the network"),
        ("regret", "kaggle:x.py", "kaggle:x.py runs a file of Python"),
        ("initial", "hf://owner/name", "hf://owner/name reaches the network"),
    ],
)
def test_a_run_of_others_makes_no_agent_unless_it_is_set_again(name, value, what, hostile_run):
    folder = hostile_run(**{name: value})
    said = refused("train", "ppo", "tic_tac_toe", "--out", folder)
    assert f"{what}; set {name} again to allow that" in said
    begun = begun_settings(folder, PPOSettings)
    game = make_game("tic_tac_toe")
    assert getattr(PPOSettings.for_game(game, {name: value}, begun=begun), name) == value
    with pytest.raises(SpecificationError, match=f"set {name} again"):
        train("ppo", game, folder)


def test_a_ladder_makes_an_opponent_of_a_run_only_where_it_is_asked_for(hostile_run):
    folder = hostile_run(evaluate="random;python:nothing:at_all")
    said = refused("ladder", folder)
    assert "the opponent python:nothing:at_all, which imports a module; --ask" in said
    for asked in ("python:nothing:at_all", "all"):
        result = plyground("ladder", str(folder), "--ask", asked)
        assert "there is no module 'nothing'" in result.stderr
