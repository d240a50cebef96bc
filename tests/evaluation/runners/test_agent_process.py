"""A process that holds one agent after another: progress, cancellation, calls of functions."""

from __future__ import annotations

import contextlib
import pickle
import threading

import pytest
from plyground import Agent, Decision, make_game
from plyground.agents.faults import CANCELLED, HUNG, Fault
from plyground.envs.specification import SpecificationError
from plyground.evaluation.runners.agent_process import AgentProcess
from plyground.evaluation.runners.agent_worker import AgentService, Result

GAME = make_game("gomoku:size=9")
ENDLESS = "alphabeta:depth=40,radius=2"
MODULE = "called_functions"  # a module beside the tests


@pytest.fixture(scope="module")
def process():
    with contextlib.closing(AgentProcess()) as process:
        yield process


def seat(process, spec, game=GAME):
    process.make(spec, game)
    process.get_ready()
    process.reset(1)


@pytest.mark.thorough
def test_one_process_plays_different_games_with_different_agents(process):
    pids = set()
    for spec, game in (("random", "tic_tac_toe"), ("greedy", "gomoku:size=5"), ("easy", GAME.spec)):
        made = make_game(game)
        seat(process, spec, made)
        assert process.occupant == (spec, made)
        assert made.initial_position().is_legal(process.choose(made.initial_position(), 60.0))
        pids.add(process.pid)
    assert len(pids) == 1


def test_a_search_reports_its_iterations_and_decides_the_same(process):
    reports = []
    seat(process, "alphabeta:depth=4,radius=1")
    position = GAME.position([40, 41])
    decision = process.decide(position, 60.0, reports.append)
    assert process.decide(position, 60.0).action == decision.action
    assert all(each.depth < decision.depth or each.depth == 4 for each in reports)


def test_a_decision_is_cancelled_and_the_process_goes_on(process):
    seat(process, ENDLESS)
    pid, cancel, reported_once = process.pid, threading.Event(), threading.Event()
    threading.Thread(target=lambda: reported_once.wait(60) and cancel.set()).start()
    with pytest.raises(Fault) as fault:
        process.decide(GAME.position([40]), 60.0, lambda decision: reported_once.set(), cancel)
    assert fault.value.kind == CANCELLED
    assert process.pid == pid
    seat(process, "easy")
    assert process.choose(GAME.initial_position(), 60.0) >= 0


def test_a_cancellation_before_the_decision_begins_is_not_lost(process):
    cancel = threading.Event()
    cancel.set()
    seat(process, ENDLESS)
    with pytest.raises(Fault) as fault:
        process.decide(GAME.position([40]), 60.0, lambda decision: None, cancel)
    assert fault.value.kind == CANCELLED


@pytest.mark.thorough
def test_an_agent_that_does_not_listen_loses_its_process():
    with contextlib.closing(AgentProcess()) as process:
        game, cancel = make_game("tic_tac_toe"), threading.Event()
        seat(process, "python:broken.agents:HangsInAKernel", game)
        process.choose(game.initial_position(), 60.0)  # it plays once before it misbehaves
        cancel.set()
        with pytest.raises(Fault) as fault:
            process.decide(game.initial_position(), 60.0, None, cancel)
        assert (fault.value.kind, process.pid) == (CANCELLED, None)


def test_a_function_is_called_in_the_process_and_reports(process):
    reports = []
    total = process.call(f"{MODULE}:counts_to", (3,), 60.0, report=reports.append)
    assert (total, reports) == (6, [None, 0, 1, 2])
    with pytest.raises(SpecificationError, match="this cannot be"):
        process.call(f"{MODULE}:refuses", (), 60.0)


@pytest.mark.thorough
def test_a_function_that_takes_too_long_is_stopped():
    with contextlib.closing(AgentProcess()) as process, pytest.raises(Fault) as fault:
        process.call(f"{MODULE}:hangs", (), 0.1)
    assert fault.value.kind == HUNG


def test_a_process_that_has_compiled_and_is_large_is_started_anew():
    with contextlib.closing(AgentProcess()) as process:
        process.call(f"{MODULE}:counts_to", (1,), 60.0)
        pid = process.pid
        process.release_compiler(0)
        process.call(f"{MODULE}:saves_a_kernel", (), 60.0)
        process.release_compiler(1 << 40)
        process.release_compiler(0)  # not because of what was compiled before
        assert process.pid == pid
        process.call(f"{MODULE}:saves_a_kernel", (), 60.0)
        process.release_compiler(0)
        assert process.pid not in (pid, None)


class CountsNothing(Agent):
    """Says that it counts tokens, and does not."""

    name = "counts_nothing"
    tokens_of_game = None

    def decide(self, position):
        return Decision(position.legal_actions()[0])


def test_what_is_no_number_of_tokens_counts_as_none():
    service = AgentService()
    service._agent = CountsNothing()
    assert pickle.loads(service.answer("tokens", ())) == Result(0)
