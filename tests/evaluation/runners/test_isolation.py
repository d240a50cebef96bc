"""Isolated agents: whatever they do, it loses them a game and has no other effect."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
import time

import numpy as np
import psutil
import pytest
from helpers import records, run
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.faults import (
    EXITED,
    HUNG,
    ILLEGAL_ACTION,
    NO_ACTION,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    RAISED,
    begin,
)
from plyground.envs.specification import SpecificationError
from plyground.evaluation.conditions import ALWAYS, AUTO, NEVER, Conditions
from plyground.evaluation.match import play_game
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import report_store
from plyground.evaluation.runners.contest import Contest
from plyground.evaluation.runners.isolation import IsolatedAgent, is_isolated
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX"),
]

GAME = make_game("tic_tac_toe")
LIMITS = Conditions(move_timeout=0.5, memory_limit="700M")

FAULTS = {
    "Raises": (RAISED, r"raised ValueError: I give up \(agents.py, line \d+\)"),
    "Sleeps": (HUNG, r"hung: no answer after [\d.]+ s"),
    "RecursesForever": (RAISED, "raised RecursionError"),
    "Exits": (RAISED, "raised SystemExit: 1"),
    "ReturnsFloat": (NO_ACTION, "returned .*, which is no action; an action is a whole number"),
    "PlaysIllegally": (ILLEGAL_ACTION, "played the illegal action"),
    "ResetRaises": (RAISED, "raised OSError: the weights are gone .* before the first move"),
    "LoopsInPython": (HUNG, "hung: no answer"),
    "HangsInNativeCode": (HUNG, "hung: no answer"),
    "HangsInAKernel": (HUNG, "hung: no answer"),
    "EndsTheProcess": (EXITED, "ended its process with exit status 3"),
    "KillsItself": (EXITED, r"was killed by signal 9 \(SIGKILL\)"),
    "ReadsAddressZero": (EXITED, r"was killed by signal 11 \(SIGSEGV\)"),
    "ClosesEveryFile": (EXITED, "closed the connection to the match|ended its process"),
    "AnswersNonsense": (EXITED, "closed the connection to the match|ended its process"),
    "AnswersHalf": (HUNG, "hung: no answer"),
    "EatsMemory": (OUT_OF_MEMORY, r"used [\d.]+ GiB of memory; 0.684 GiB are allowed"),
    "EatsMemoryInAnotherProcess": (OUT_OF_MEMORY, "of memory; 0.684 GiB are allowed"),
}


def isolated(spec: str, limits: Conditions = LIMITS) -> IsolatedAgent:
    return IsolatedAgent(spec, GAME, conditions=limits, in_match=True)


def broken(name: str, limits: Conditions = LIMITS) -> contextlib.closing[IsolatedAgent]:
    return contextlib.closing(isolated(f"python:broken.agents:{name}", limits))


@pytest.mark.parametrize("name", FAULTS)
def test_each_kind_of_misbehaviour_forfeits_with_its_reason(name):
    fault, reason = FAULTS[name]
    limits = LIMITS.replace(move_timeout=20.0) if fault == OUT_OF_MEMORY else LIMITS
    with broken(name, limits) as player:
        result = play_game(
            GAME, [player, make_agent("random")], [], (1, 2), ["bad", "good"], conditions=limits
        )
        outcome = (result.fault, result.forfeited, result.returns)
        assert outcome == (fault, 0, (-1.0, 1.0)), result.reason
        assert re.fullmatch(rf"player_0 \(bad\) .*({reason}).*", result.reason), result.reason


@pytest.mark.parametrize("spec", ["random", "alphabeta:depth=3"])
def test_an_isolated_agent_plays_the_same_games_as_one_that_is_not(spec):
    opponent = make_agent("random")
    with contextlib.closing(isolated(spec)) as player:
        for seeds in ((1, 2), (3, 4)):
            result = play_game(GAME, [player, opponent], seeds=seeds)
            local = play_game(GAME, [make_agent(spec), opponent], seeds=seeds)
            assert (result.moves, result.decisions) == (local.moves, local.decisions)
            assert result.reason == local.reason


def test_what_an_agent_prints_is_no_answer():
    with broken("PrintsALot") as player:
        assert play_game(GAME, [player, make_agent("random")]).fault is None


@pytest.mark.parametrize("name", ["Forks", "ForksUnseen", "AnswersTwice"])
def test_an_answer_counts_once_and_only_for_its_question(name, child_processes):
    with broken(name, Conditions()) as player:
        for seeds in ((1, 2), (3, 4)):
            result = play_game(GAME, [player, make_agent("random")], seeds=seeds)
            assert result.fault is None, result.reason
            free = set(range(9))
            for ply, action in enumerate(result.moves):
                assert ply % 2 or action == min(free), result.moves
                free.remove(action)
    assert child_processes() == []


def test_a_process_killed_from_outside_costs_the_game_and_the_next_is_played():
    with broken("IsSlow", Conditions()) as player:
        player.start()
        pid = player.pid
        threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
        result = play_game(GAME, [player, make_agent("random")])
        assert (result.fault, result.forfeited) == (EXITED, 0)
        assert "was killed by signal 9 (SIGKILL)" in result.reason
        assert play_game(GAME, [player, make_agent("random")]).fault is None
        assert player.pid != pid


def test_the_processes_that_an_agent_started_end_with_it():
    with broken("EatsMemoryInAnotherProcess", LIMITS.replace(move_timeout=20.0)) as player:
        play_game(GAME, [player, make_agent("random")])
        left = psutil.Process().children(recursive=True)
        assert not [each for each in left if "eaten" in "".join(each.cmdline())]


# -- time --


@pytest.mark.parametrize("own_process", [False, True])
@pytest.mark.parametrize(
    ("limits", "moves", "reason"),
    [
        (Conditions(move_timeout=0.2), 1, r"took [\d.]+ s for a move; 0.2 s are allowed"),
        (Conditions(game_time=1.0), 3, r"took [\d.]+ s for its moves; 1 s a game are allowed"),
    ],
)
def test_a_move_that_comes_too_late_forfeits(own_process, limits, moves, reason):
    spec = "python:broken.agents:IsSlow"
    player = isolated(spec, limits) if own_process else make_agent(spec)
    result = play_game(GAME, [player, make_agent("random")], conditions=limits)
    assert (result.fault, result.forfeited) == (OUT_OF_TIME, 0)
    assert result.decisions[0] <= moves
    assert re.search(reason, result.reason), result.reason
    if own_process:
        pid = player.pid
        play_game(GAME, [player, make_agent("random")], conditions=limits)
        assert player.pid == pid  # a late answer is no reason to start it anew
        player.close()


def test_starting_and_compiling_is_no_thinking_time():
    limits = Conditions(move_timeout=2.0, game_time=2.5)
    with broken("IsSlowToStart", limits) as player:
        assert play_game(GAME, [player, make_agent("random")], conditions=limits).fault is None


@pytest.mark.parametrize("own_process", [False, True])
def test_what_an_agent_does_in_its_reset_counts_as_thinking(own_process):
    spec, limits = "python:broken.agents:ThinksInItsReset", Conditions(game_time=1.0)
    player = isolated(spec, limits) if own_process else make_agent(spec)
    result = play_game(GAME, [player, make_agent("random")], conditions=limits)
    assert (result.forfeited, result.decisions) == (0, (0, 0))
    assert re.search(r"took [\d.]+ s for its reset; 1 s are allowed|hung", result.reason)
    assert result.seconds[0] > 1
    if own_process:
        player.close()


def test_an_agent_that_is_not_to_move_takes_no_time_of_its_opponent():
    with broken("PondersInTheBackground", Conditions()) as player:
        begin(player, GAME, 1)
        player.act(GAME.initial_position())
        (pondering,) = psutil.Process(player.pid).children()
        for _ in range(1000):  # the system stops a process when it next looks at it
            if pondering.status() == psutil.STATUS_STOPPED:
                break
            time.sleep(0.01)
        assert pondering.status() == psutil.STATUS_STOPPED
        before = player.processor_seconds()
        time.sleep(0.5)
        assert player.processor_seconds() == before
        player.act(GAME.initial_position())  # it goes on


def test_the_processor_clock_does_not_count_waiting():
    limits = Conditions(move_timeout=0.3, clock="cpu")
    for own_process in (False, True):
        spec = "python:broken.agents:IsSlow"  # it sleeps
        player = isolated(spec, limits) if own_process else make_agent(spec)
        result = play_game(GAME, [player, make_agent("random")], conditions=limits)
        assert result.fault is None, result.reason
        assert max(result.seconds) < 0.3 * 5
        if own_process:
            player.close()
    with broken("LoopsInPython", limits) as player:
        result = play_game(GAME, [player, make_agent("random")], conditions=limits)
        assert (result.fault, result.forfeited) == (HUNG, 0)
        assert "s of processor time" in result.reason


def test_memory_that_processes_share_counts_once():
    with broken("SharesMemory", Conditions(memory_limit="700M")) as player:
        result = play_game(GAME, [player, make_agent("random")])
        assert result.fault is None, result.reason


# -- who is isolated --


def test_agents_of_the_users_own_are_isolated_unless_told_otherwise():
    assert is_isolated("python:broken.agents:Raises", AUTO)
    assert not is_isolated("alphabeta:depth=2", AUTO)
    assert is_isolated("alphabeta:depth=2", ALWAYS)
    assert is_isolated("python:broken.agents:Raises", NEVER)  # it could end this process
    assert not is_isolated("python:broken.agents:Raises", NEVER, in_worker=True)
    assert not is_isolated("human", ALWAYS)


def test_the_users_module_is_not_imported_into_the_tournament(tmp_path, monkeypatch):
    (tmp_path / "only_over_there.py").write_text(
        "class Bot:\n    def act(self, position):\n        return position.legal_actions()[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    assert run(
        Plan("tic_tac_toe", ("random", "python:only_over_there:Bot"), pairs=1),
        tmp_path / "store.db",
    )
    assert "only_over_there" not in sys.modules


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import os\nos._exit(4)\n", "cannot be made: it ended its process with exit status 4"),
        ("def (", "importing 'hopeless' failed"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused(module, message, tmp_path, monkeypatch):
    (tmp_path / "hopeless.py").write_text(module)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecificationError, match=message):
        Contest(GAME, ("random", "python:hopeless:Bot"), ("a", "b")).describe()


# -- tournaments --


def test_games_of_all_others_are_as_if_the_broken_agents_were_not_there(tmp_path, child_processes):
    good = ("random", "greedy")
    bad = ("HangsInNativeCode", "EndsTheProcess", "EatsMemory", "IsSlow")
    agents = (*good, *(f"python:broken.agents:{name}" for name in bad))
    plan = Plan("tic_tac_toe", agents, pairs=2, opening="random:2")
    limits = {"move_timeout": 0.25, "memory_limit": "700M", "withdraw_after": 2}
    with Store(tmp_path / "store.db") as store:
        tournament = Tournament(plan.replace(**limits), store)
        tournament.run()
        games, withdrawn = list(tournament.played()), tournament.withdrawn()
    expected = run(plan.replace(agents=good), tmp_path / "good.db")
    assert records([game for game in games if set(game.players) == {0, 1}]) == records(expected)
    assert set(withdrawn.agents) == {2, 3, 4}  # a slow agent does not crash
    assert withdrawn.games > 0
    assert len(games) + withdrawn.games == tournament.schedule.total
    assert child_processes() == []


def crashing(tmp_path, withdraw_after: int) -> tuple[dict[int, int], int]:
    """Plays a tournament of an agent that crashes as far as it goes: who is withdrawn, and how many
    games were added.
    """
    plan = Plan("tic_tac_toe", ("random", "python:broken.agents:EndsTheProcess"), pairs=2)
    lines = []
    with Store(tmp_path / "store.db") as store:
        tournament = Tournament(plan.replace(withdraw_after=withdraw_after), store)
        tournament.run(lines.append)
        return tournament.withdrawn().agents, len(lines)


def test_an_agent_that_crashes_again_and_again_is_withdrawn_and_its_games_are_kept(tmp_path):
    assert crashing(tmp_path, 2) == ({1: 2}, 2)
    assert crashing(tmp_path, 2) == ({1: 2}, 0)  # also when the tournament is taken up again
    assert crashing(tmp_path, 3) == ({1: 1}, 1)  # who wants more gets more
    assert crashing(tmp_path, 0) == ({}, 1)
    with Store(tmp_path / "store.db") as store:
        assert report_store(store)[0].crashing == ("python:broken.agents:EndsTheProcess",)


# -- agents that are another one when they are started again --

FRAGILE = """
from pathlib import Path

import counting


def act(position):
    if counting.DIES_IN_MOVE and position.moves[-2:]:
        Path("counting.py").write_text("DIES_IN_MOVE = False\\n")
        import os

        os._exit(1)
    return position.legal_actions()[0]
"""


def test_an_agent_whose_code_was_changed_is_not_started_again_as_the_same(tmp_path, monkeypatch):
    (tmp_path / "fragile.py").write_text(FRAGILE)
    (tmp_path / "counting.py").write_text("DIES_IN_MOVE = True\n")
    monkeypatch.chdir(tmp_path)
    plan = Plan("tic_tac_toe", ("random", "python:fragile:act"), pairs=3, opening="random:0")
    with Store(tmp_path / "store.db") as store:
        tournament = Tournament(plan, store)
        with pytest.raises(
            SpecificationError, match="python:fragile:act was changed while its games were played"
        ):
            tournament.run()
        (game,) = tournament.played()
        assert game.result.fault == EXITED
    again = run(plan, tmp_path / "store.db")  # the changed agent plays a tournament of its own
    assert [one.result.fault for one in again] == [None] * 6


def test_a_policy_file_that_was_replaced_is_not_played_as_the_same(tmp_path):
    path = write_network(tmp_path / "network.onnx", GAME.spec)
    spec = f"onnx:{path}"
    with contextlib.closing(isolated(spec)) as player:
        begin(player, GAME, 1)
        player.close()
        write_network(path, GAME.spec, bias=np.arange(9.0))
        with pytest.raises(SpecificationError, match="was changed while its games were played"):
            begin(player, GAME, 1)
