"""Runners: all play the same games, and the death of a worker loses none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from helpers import count_games, play, records, run
from plyground import make_game
from plyground.agents.faults import EXITED
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.errors import RunnerError
from plyground.evaluation.runners.contest import Contest
from plyground.evaluation.runners.processes import ProcessRunner
from plyground.evaluation.runners.runner import LocalRunner
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Plan, Tournament

pytestmark = pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")

PLAN = Plan("tic_tac_toe", ("random", "greedy", "alphabeta:depth=3"), pairs=20)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[tuple]:
    return records(run(PLAN, tmp_path_factory.mktemp("local") / "store.db"))


def test_processes_play_the_same_games(expected, tmp_path, child_processes):
    assert play(PLAN, tmp_path / "store.db", ProcessRunner(2)) == expected
    assert child_processes() == []


@pytest.mark.thorough
def test_games_of_processes_that_die_are_played_again(expected, tmp_path, child_processes):
    pids = []

    def kill(game):
        """Kill a worker at every thirtieth game."""
        workers = [process for process in child_processes() if process.pid not in pids]
        if game.pair % 5 == 0 and game.players == (0, 1) and workers:
            pids.append(workers[0].pid)
            workers[0].kill()

    assert play(PLAN, tmp_path / "store.db", ProcessRunner(2), kill) == expected
    assert len(pids) >= 3
    assert child_processes() == []


@pytest.mark.thorough
def test_an_agent_that_brings_its_process_down_is_found_out(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "python:broken.agents:EndsTheProcess"), pairs=1)
    games = play(plan, tmp_path / "store.db", ProcessRunner(1), isolation="never", withdraw_after=0)
    assert len(games) == 2
    for game in games:
        assert game[7] == EXITED
        assert game[1][game[8]] == 1
        assert "ended its process with exit status 3" in game[6]


def test_what_is_left_of_a_stopped_tournament_is_played_on_another_runner(
    expected, tmp_path, child_processes
):
    class Enough(Exception):
        pass

    def stop(game):
        if game.pair == 7:
            raise Enough

    with pytest.raises(Enough):
        play(PLAN, tmp_path / "store.db", ProcessRunner(1), stop)
    assert child_processes() == []
    with Store(tmp_path / "store.db") as store:
        assert 0 < len(list(Tournament(PLAN, store).played())) < len(expected)
    assert play(PLAN, tmp_path / "store.db", LocalRunner()) == expected


def test_games_that_the_main_script_defines_are_refused():
    rules = make_game("tic_tac_toe").rules
    here = type(rules).__module__
    try:
        type(rules).__module__ = "__main__"
        with pytest.raises(SpecificationError, match="put the game or agent into a module"):
            ProcessRunner(1).get_ready(
                Contest(make_game("tic_tac_toe"), ("random", "random"), ("a", "b"))
            )
    finally:
        type(rules).__module__ = here


def test_a_worker_with_another_version_of_an_agent_is_refused(child_processes):
    contest = Contest(
        make_game("tic_tac_toe"),
        ("random", "random"),
        ("a", "b"),
        versions=("plyground 9", "plyground 9"),
    )
    with pytest.raises(
        RunnerError,
        match=r"another version of [ab] \(plyground [\d.]+, code \w+\) than this program \(ply",
    ):
        ProcessRunner(1).get_ready(contest)
    assert child_processes() == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.thorough
def test_a_command_that_is_stopped_leaves_no_process_behind_and_goes_on(how, tmp_path):
    plan = Plan("connect_four", ("random", "montecarlo:simulations=500"), pairs=40, seed=3)
    path = tmp_path / "store.db"
    words = [
        "tournament",
        plan.game,
        *plan.agents,
        "--pairs",
        "40",
        "--seed",
        "3",
        "--store",
        str(path),
        "--concurrency",
        "2",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "plyground.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    parent, children = psutil.Process(process.pid), []
    while process.poll() is None and time.monotonic() < deadline:
        children = parent.children(recursive=True)
        if len(children) == 2 and count_games(path) >= 5:
            break
        time.sleep(0.02)
    process.send_signal(how)
    _, stderr = process.communicate(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert (len(children), alive) == (2, [])
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL), stderr
    if how == signal.SIGINT:
        assert "stopped; " in stderr
        assert "--concurrency 2" in stderr.replace("\n", " ")
    assert 5 <= count_games(path) < 80
    assert play(plan, path, ProcessRunner(2)) == records(run(plan, tmp_path / "undisturbed.db"))


@pytest.mark.thorough
def test_a_game_over_which_every_worker_dies_is_given_up_and_stays_missing(
    tmp_path, monkeypatch, child_processes
):
    monkeypatch.setattr("plyground.evaluation.runners.worker_pool.MOST_DEATHS", 2)

    class DyingWorkers(ProcessRunner):
        """Its workers are killed when they are given the first game."""

        def _call(self, process, method, argument):
            if method == "play" and argument.games[0].players == (0, 1):
                os.kill(process.pid, signal.SIGKILL)
            super()._call(process, method, argument)

    runner = DyingWorkers(1)
    games = play(PLAN._replace(agents=("random", "greedy"), pairs=1), tmp_path / "store.db", runner)
    assert [game[1] for game in games] == [(1, 0)]
    assert [(given_up.game.players, given_up.reason) for given_up in runner.given_up] == [
        ((0, 1), "was killed by signal 9 (SIGKILL)")
    ]
    assert child_processes() == []
