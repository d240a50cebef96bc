"""Reading what others wrote executes nothing: agents that a file names are not made unasked."""

from __future__ import annotations

import shutil

import pytest
from command_line import plyground, plyground_json
from helpers import run
from hostile import (
    INTERACTIVE,
    READERS,
    TRAPS,
    commands_that_take_stores,
    hostile_specs,
    name_agents,
    set_trap,
    watched,
)
from plyground.agents.effects import effects_of
from plyground.agents.registry import agent_classes
from plyground.evaluation.plan import Plan

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
            for each in lines(READERS.keys() - {"verify"})
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
    assert "should not happen" not in output


@pytest.mark.thorough
def test_what_is_asked_for_is_made(files):
    trap, store = files
    words = ["verify", str(store), "--games", "1", "--ask", "python:trap:act"]
    _, output, notes = watched(words, trap)
    assert any("trap.py" in note for note in notes)
    assert any("os.system" in note for note in notes)
    assert "python:trap:act was not asked" not in output


def test_only_an_agent_of_the_store_can_be_asked(files):
    refusal = plyground("verify", files[1], "--ask", "python:nothing:at_all")
    assert refusal.exit_code == 2
    assert "there is no agent to ask 'python:nothing:at_all'" in refusal.stderr


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


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:network=zoo:hex", "solver:book=centre"])
def test_agents_that_only_play_may_be_named_by_anybody(spec):
    assert effects_of(spec) == ()
