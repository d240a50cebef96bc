"""Compilation ahead of the first game, and beside it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading

import pytest
from command_line import done
from helpers import GAMES
from numba.core.event import trigger_event
from plyground import make_game
from plyground.agents.random_agent import RandomAgent
from plyground.commands import preparation
from plyground.commands.preparation import Preparation
from plyground.commands.warm_up import _specs
from plyground.envs.compiled.kernels import (
    USUAL_SECONDS,
    announce_compilation,
    without_announcements,
)
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough


class Slow(RandomAgent):
    """An agent that is ready when the test says so."""

    def __init__(self, error=None):
        super().__init__()
        self.ready, self.error = threading.Event(), error

    def get_ready(self, game):
        assert self.ready.wait(60)
        if self.error is not None:
            raise self.error


def test_a_player_gets_ready_while_the_person_thinks(monkeypatch):
    monkeypatch.setattr(preparation, "TOLD_EVERY", 0.01)
    monkeypatch.setattr(preparation, "SHORT", 0.0)
    player, output = Slow(), []
    under_way = Preparation(player, make_game("tic_tac_toe"), 1)  # comes back at once

    def tell(text):
        output.append(text)
        player.ready.set()

    under_way.wait(tell)
    assert output[0].startswith(f"compiling, once: 0 s, of usually {USUAL_SECONDS}")
    under_way.wait(lambda text: pytest.fail("it is ready"))


def test_what_goes_wrong_is_raised_where_it_is_waited_for():
    player = Slow(SpecificationError("it cannot play this"))
    under_way = Preparation(player, make_game("tic_tac_toe"), 1)
    player.ready.set()
    with pytest.raises(SpecificationError, match="it cannot play this"):
        under_way.wait(lambda text: None)


def wait_a_little(compiling):
    """Spend a moment, as a thread that compiles or as one that loads from the cache."""
    with trigger_event("numba:compile") if compiling else contextlib.nullcontext():
        threading.Event().wait(0.2)


def test_compilation_is_announced_with_its_time_unless_somebody_else_tells(capsys, monkeypatch):
    monkeypatch.setattr("plyground.envs.compiled.kernels.ANNOUNCE_AFTER_SECONDS", 0.0)
    with announce_compilation("x for y"), announce_compilation("its part"):
        wait_a_little(compiling=True)
    output = capsys.readouterr().err
    assert f"compiling x for y ({USUAL_SECONDS} seconds, once;" in output
    assert "its part" not in output
    with without_announcements(), announce_compilation("x for y"):
        wait_a_little(compiling=True)
    assert capsys.readouterr().err == ""


def test_nothing_is_announced_where_nothing_compiles(capsys, monkeypatch):
    monkeypatch.setattr("plyground.envs.compiled.kernels.ANNOUNCE_AFTER_SECONDS", 0.0)
    with announce_compilation("x for y"):
        wait_a_little(compiling=False)
        other = threading.Thread(target=wait_a_little, args=(True,))
        other.start()
        other.join()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("warm", [False, True])
def test_a_warm_cache_is_loaded_without_a_word(tmp_path, warm):
    program = (
        "from plyground.envs.compiled import kernels\n"
        "kernels.ANNOUNCE_AFTER_SECONDS = 0.0\n"
        "from plyground.envs import tic_tac_toe_v0\n"
        "tic_tac_toe_v0.env()\n"
    )
    environ = os.environ | {"PLYGROUND_CACHE": str(tmp_path)}
    for _ in range(1 + warm):
        process = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ
        )
    assert ("compiling the environment of tic_tac_toe" in process.stderr) is not warm


def test_rules_and_agents_of_a_game_are_compiled():
    result = done("warm-up", "tic_tac_toe")
    count = len(list(_specs(make_game("tic_tac_toe"))))
    assert result.stdout.startswith(f"tic_tac_toe: rules and {count} agents, ")


@pytest.mark.parametrize("spec", GAMES)
def test_the_usual_opponents_of_a_game_are_among_them(spec):
    names = {agent.partition(":")[0] for agent in _specs(make_game(spec))}
    assert {"random", "greedy", "alphabeta", "mcts", "montecarlo"} <= names
    assert ("medium" in names) == (spec == "gomoku")
    assert "human" not in names
    assert "python" not in names


@pytest.mark.slow
def test_after_a_warm_up_a_game_compiles_nothing(tmp_path):
    environment = os.environ | {"PLYGROUND_CACHE": str(tmp_path)}

    def run(*words, stdin=""):
        program = [sys.executable, "-m", "plyground.cli", *words]
        subprocess.run(
            program, input=stdin, text=True, env=environment, check=True, capture_output=True
        )
        return sorted(path.name for path in tmp_path.rglob("*.nbc"))

    compiled = run("warm-up", "tic_tac_toe")
    assert compiled
    text = "moves\nb2\nhint\nlevel mcts:simulations=50\na1\nc3\na2\nundo\nreview\nquit\n"
    assert run("play", "tic_tac_toe", stdin=text) == compiled


def test_the_cache_is_emptied_on_request(tmp_path):
    (tmp_path / "0123456789abcdef0123").mkdir()
    (tmp_path / "letters").mkdir()
    result = done("warm-up", "--clear", PLYGROUND_CACHE=str(tmp_path))
    assert result.stdout == f"{tmp_path}: removed folders of machine code: 1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]
