"""Games as jobs: the same in all places, and the death of a worker loses none."""

from __future__ import annotations

import os
import signal
from typing import NamedTuple

import pytest
from helpers import play, records, run
from plyground import make_game
from plyground.agents.faults import EXITED
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.errors import RunnerError
from plyground.envs.workers.jobs import HERE, JobPlace
from plyground.evaluation.plan import Plan
from plyground.evaluation.runners import contest as module
from plyground.evaluation.runners.contest import Contest, GameJobs, _play
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX"),
]

ONE, TWO = (JobPlace("processes", concurrency=count) for count in (1, 2))
PLAN = Plan("tic_tac_toe", ("random", "greedy", "alphabeta:depth=3"), pairs=20)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[tuple]:
    return records(run(PLAN, tmp_path_factory.mktemp("local") / "store.db"))


def test_processes_play_the_same_games(expected, tmp_path, child_processes):
    assert play(PLAN, tmp_path / "store.db", TWO) == expected
    assert child_processes() == []


def test_games_of_processes_that_die_are_played_again(
    expected, tmp_path, monkeypatch, child_processes
):
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)  # each game is a job
    pids = []

    def kill(game):
        """Kill a worker at every thirtieth game."""
        workers = [process for process in child_processes() if process.pid not in pids]
        if game.pair % 5 == 0 and game.players == (0, 1) and workers:
            pids.append(workers[0].pid)
            workers[0].kill()

    assert play(PLAN, tmp_path / "store.db", TWO, kill) == expected
    assert len(pids) >= 3
    assert child_processes() == []


def test_an_agent_that_brings_its_process_down_is_found_out(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "python:broken.agents:EndsTheProcess"), pairs=1)
    games = play(plan, tmp_path / "store.db", ONE, isolate="never", withdraw_after=0)
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
        play(PLAN, tmp_path / "store.db", ONE, stop)
    assert child_processes() == []
    with Store(tmp_path / "store.db") as store:
        assert 0 < len(list(Tournament(PLAN, store).played())) < len(expected)
    assert play(PLAN, tmp_path / "store.db", HERE) == expected


def test_games_that_the_main_script_defines_are_refused():
    rules = make_game("tic_tac_toe").rules
    here = type(rules).__module__
    try:
        type(rules).__module__ = "__main__"
        games = GameJobs(Contest(make_game("tic_tac_toe"), ("random", "random"), ("a", "b")), ONE)
        with pytest.raises(SpecificationError, match="put the game or agent into a module"):
            games.get_ready()
    finally:
        type(rules).__module__ = here


def test_a_worker_with_another_version_of_an_agent_is_refused(child_processes):
    agents, versions = ("random", "random"), ("plyground 9", "plyground 9")
    contest = Contest(make_game("tic_tac_toe"), agents, ("a", "b"), versions=versions)
    sentence = r"a different version of [ab] \(plyground [\d.]+, code \w+\) from this program"
    with pytest.raises(RunnerError, match=sentence):
        GameJobs(contest, ONE).get_ready()
    assert child_processes() == []


class DiesOverOne(NamedTuple):
    """In place of playing a chunk: the worker that plays games of these two dies."""

    players: tuple[int, int]

    def __call__(self, arena, chunk):
        if chunk.games[0].players == self.players:
            os.kill(os.getpid(), signal.SIGKILL)
        return _play(arena, chunk)


def test_a_game_over_which_every_worker_dies_is_given_up_and_stays_missing(
    tmp_path, monkeypatch, child_processes
):
    monkeypatch.setattr(module, "MOST_DEATHS", 2)
    monkeypatch.setattr(module, "_play", DiesOverOne((0, 1)))
    with Store(tmp_path / "store.db") as store:
        plan = PLAN.replace(agents=("random", "greedy"), pairs=1)
        tournament = Tournament(plan, store, place=ONE)
        tournament.run()
        assert [game.players for game in tournament.played()] == [(1, 0)]
    assert [(game.players, reason) for game, reason in tournament.given_up] == [
        ((0, 1), "was killed by signal 9 (SIGKILL)")
    ]
    assert child_processes() == []
