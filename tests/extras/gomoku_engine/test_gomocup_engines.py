"""Engines of the Gomocup protocol as agents: a reference engine, and one for each way to fail."""

from __future__ import annotations

import contextlib
import copy
import pickle
import shlex
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from helpers import TESTS, run
from plyground import make_agent, make_game
from plyground.agents.faults import EXITED, HUNG, ILLEGAL_ACTION, NO_ACTION
from plyground.evaluation.match import play_game
from plyground.evaluation.plan import Plan
from plyground.extras.gomoku_engine.gomocup import engine_agent

ENGINES = TESTS / "engines"
REFERENCE = f"{sys.executable} {ENGINES / 'reference.py'}"
GAME = "gomoku:size=9"


def broken(name):
    return f"gomocup:{sys.executable} {ENGINES / 'broken.py'} {name},time=0.1"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Engines are taken to hang sooner; an engine needs a second to start on a busy machine."""
    monkeypatch.setattr(engine_agent, "GRACE_SECONDS", 1.5)


@pytest.fixture
def playing():
    """Makes agents, and ends their engines after the test."""
    with contextlib.ExitStack() as stack:

        def make(spec, game=GAME):
            agent = make_agent(spec, game)
            stack.callback(agent.close)
            return agent

        yield make


def is_dead(pid):
    """Whether a process has ended, or ends soon."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("rule", "number"), [("freestyle", 0), ("standard", 1), ("caro_overline", 8), ("caro", 9)]
)
def test_an_engine_is_told_the_board_the_limits_and_the_moves(rule, number, playing, tmp_path):
    log = tmp_path / "log"
    agent = playing(
        f"gomocup:{REFERENCE} {log},time=0.25,memory=100,threads=2", f"{GAME},rule={rule}"
    )
    position = make_game(f"{GAME},rule={rule}").initial_position()
    first = agent.act(position)
    position.play(first).play(0)
    position.play(agent.act(position))
    agent.close()
    assert log.read_text().splitlines() == [
        "START 9",
        "INFO timeout_turn 250",
        "INFO timeout_match 0",
        "INFO time_left 2147483647",
        f"INFO max_memory {100 << 20}",
        "INFO game_type 2",
        f"INFO rule {number}",
        "INFO thread_num 2",
        "BEGIN",
        "TURN 0,0",
        "END",
    ]
    assert first == 4 * 9 + 4


def test_another_position_is_sent_as_a_board(playing, tmp_path):
    log = tmp_path / "log"
    agent = playing(f"gomocup:{REFERENCE} {log}", "gomoku:rows=7,cols=9")
    game = make_game("gomoku:rows=7,cols=9")
    agent.act(game.position([10, 20, 30]))
    bare = game.position_from_observation(game.position([1, 2]).observation())
    agent.act(bare)
    lines = [line for line in log.read_text().splitlines() if not line.startswith("INFO")]
    assert lines == [
        "RECTSTART 9,7",
        *("BOARD", "1,1,2", "2,2,1", "3,3,2", "DONE"),
        "RESTART",
        *("BOARD", "1,0,1", "2,0,2", "DONE"),
    ]


def test_an_engine_may_begin_its_output_with_a_byte_order_mark(playing):
    position = make_game(GAME).initial_position()
    assert playing(broken("MarksItsText")).act(position) == 4 * 9 + 4


def test_every_game_has_a_process_of_its_own(playing, tmp_path, child_processes):
    agent, game = playing(f"gomocup:{REFERENCE}"), make_game(GAME)
    processes = []
    for seed in (1, 2):
        agent.reset(seed)
        agent.act(game.initial_position())
        engine = child_processes()[-1]
        processes.append(engine.pid)
    assert processes[0] != processes[1]
    assert is_dead(processes[0])
    agent.close()
    assert is_dead(processes[1])


@pytest.mark.parametrize(
    ("name", "kind", "what"),
    [
        ("Hangs", HUNG, "hung: its engine did not answer TURN 0,0 within 1.6 s"),
        ("OnlyRemarks", HUNG, "hung: its engine did not answer TURN 0,0"),
        ("Exits", EXITED, "has no engine any more: it ended its process with exit status 3"),
        ("KillsItself", EXITED, "it was killed by signal 9 (SIGKILL)"),
        ("ClosesItsOutput", EXITED, "it closed its output"),
        ("TalksNonsense", NO_ACTION, "answered 'I resign', which is not a move"),
        ("AnswersError", NO_ACTION, "answered 'ERROR out of ideas', which is not a move"),
        ("NeverEndsItsLine", NO_ACTION, "wrote a line that does not end"),
        ("PlaysOffTheBoard", ILLEGAL_ACTION, "played 9,0 is off the board of 9x9"),
        ("PlaysOnAStone", ILLEGAL_ACTION, "played the illegal action"),
    ],
)
@pytest.mark.thorough
def test_an_engine_that_fails_forfeits_with_the_reason(name, kind, what, playing):
    moves = iter([0, 1])

    class Corner:
        def act(self, position):
            return next(moves)

    result = play_game(GAME, [playing(broken(name)), Corner()])
    assert (result.fault, result.forfeited) == (kind, 0)
    assert what in result.reason
    assert result.returns == (-1, 1)


@pytest.mark.parametrize(
    ("name", "kind", "what"),
    [
        ("RefusesTheBoard", NO_ACTION, "answered START 9 with 'ERROR unsupported size'"),
        ("EndsAtTheStart", EXITED, "it ended its process with exit status 1"),
    ],
)
def test_an_engine_that_fails_at_the_start_forfeits(name, kind, what, playing):
    result = play_game(GAME, [playing(broken(name)), playing("random")])
    assert (result.fault, result.forfeited, result.moves) == (kind, 0, ())
    assert what in result.reason
    assert result.reason.endswith("before the first move")


@pytest.mark.thorough
def test_a_tournament_goes_on_after_an_engine_that_fails_and_nothing_survives(
    tmp_path, monkeypatch, child_processes
):
    child = tmp_path / "child"
    monkeypatch.setenv("CHILD", str(child))
    agents = (broken("LeavesAChild"), f"gomocup:{REFERENCE}", "easy")
    games = run(Plan(GAME, agents, 1), tmp_path / "store.db", move_timeout=2.5, withdraw_after=0)
    assert len(games) == 6
    for game in games:
        fault = HUNG if 0 in game.players else None
        assert game.result.fault == fault
    assert is_dead(int(child.read_text()))
    assert child_processes() == []


def test_an_engine_ends_with_plyground_however_sudden(tmp_path):
    program = (
        "import os, signal, sys; from plyground import make_agent, make_game; "
        "game = make_game('gomoku:size=9'); agent = make_agent(sys.argv[1], game); "
        "agent.act(game.initial_position()); "
        "import psutil; "
        "print(*[child.pid for child in psutil.Process().children(recursive=True)], flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-c", program, broken("DoesNotHearEnd")]
    process = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    pids = [int(word) for word in process.stdout.split()]
    assert len(pids) == 2  # the engine and what kills it
    assert psutil.wait_procs(map(psutil.Process, filter(psutil.pid_exists, pids)), 10)[1] == []


@pytest.mark.parametrize("name", ["Suggests", "RemarksFirst", "DoesNotHearEnd"])
def test_what_the_protocol_allows_is_understood(name, playing):
    agents = [playing(broken(name)), playing(f"gomocup:{REFERENCE}")]
    result = play_game(GAME, agents)
    assert result.fault is None
    agents[0].close()


def test_copies_have_engines_of_their_own(playing):
    agent, position = playing(f"gomocup:{REFERENCE}"), make_game(GAME).initial_position()
    agent.act(position)
    position.play(agent.act(position)).play(0)
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert twin.act(position) == agent.act(position)
        twin.close()


def test_command_and_arguments_are_quoted_safely(playing, tmp_path):
    strange = tmp_path / "a strange, $(touch here)=;"
    strange.mkdir()
    program = strange / "reference.py"
    program.write_text((ENGINES / "reference.py").read_text())
    agent = playing(f"gomocup:{sys.executable} {shlex.quote(str(program))},time=0.5")
    start = make_game(GAME).initial_position()
    assert start.is_legal(agent.act(start))
    assert agent.options["time"] == 0.5
    assert make_agent(agent.spec).options == agent.options


def test_the_version_follows_the_program(tmp_path):
    program = Path(tmp_path / "engine.py")
    versions = set()
    for text in ("pass", "pass # edited"):
        program.write_text(text)
        versions.add(make_agent(f"gomocup:{sys.executable} {program}").version)
    assert len(versions) == 2
