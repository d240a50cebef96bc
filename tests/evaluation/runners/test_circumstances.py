"""Where and how a game was played is kept with it; a report that mixes such games says so."""

from __future__ import annotations

import json
import os

import pytest
from command_line import invoke
from helpers import change_store, play
from plyground import make_agent, make_game
from plyground.agents.registry import agent_classes
from plyground.envs.workers.jobs import HERE as THIS_PROCESS
from plyground.envs.workers.jobs import LOCAL, PROCESSES, JobPlace
from plyground.envs.workers.processors import available_processors
from plyground.evaluation.circumstances import (
    Circumstances,
    circumstances_of,
    depend_on_time,
    machine_here,
    text_of,
)
from plyground.evaluation.conditions import ISOLATION, USUAL, Conditions
from plyground.evaluation.fingerprints import describe
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import report_store
from plyground.evaluation.runners.contest import Contest
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

pytestmark = pytest.mark.thorough

PLAN = Plan("tic_tac_toe", ("greedy", "random"), pairs=2)
OWN = "python:broken.agents:Raises"
LIMITS = Conditions(move_timeout=60.0)
HERE = Circumstances(LOCAL, 1, "never", "2 processors, A")
BY_THE_CLOCK = {"gomoku"}  # agents that think for seconds unless told otherwise
# agents that cannot be made by their name alone
NEED_MORE = {name for name, each in agent_classes().items() if each.usage is not None}
NEED_MORE |= {"python", "gomocup"}
# each differs in one thing
OTHERS = [
    HERE._replace(runner=PROCESSES),
    HERE._replace(concurrency=2),
    HERE._replace(isolation="always"),
    HERE._replace(machine="2 processors, B"),
    None,  # stored before circumstances were
]


def store_with(path, second, limits=LIMITS, agents=PLAN.agents):
    """A store of a tournament that has a game under ``HERE`` and one under the second."""
    with Store(path) as store:
        plan = PLAN.replace(agents=agents, **limits.identity())
        Tournament(plan, store).run()
    change_store(path, "UPDATE games SET conditions = ?", values=(text_of(HERE),))
    second_game = "UPDATE games SET conditions = ? WHERE number = 1"
    change_store(path, second_game, values=(text_of(second),))


@pytest.mark.parametrize("under", [HERE, *OTHERS])
def test_circumstances_are_read_as_they_were_written(under):
    assert circumstances_of(text_of(under)) == under


@pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")
def test_games_keep_where_how_many_at_once_and_how_isolated_they_were_played(tmp_path):
    path, here = tmp_path / "store.db", machine_here()
    assert here.startswith(f"{available_processors()} processors, ")
    play(PLAN.replace(pairs=1), path, THIS_PROCESS)
    play(PLAN, path, JobPlace(PROCESSES, concurrency=1))
    with Store(path) as store:
        games = [game.circumstances for game in store.games(1)]
    assert games[:2] == [Circumstances(LOCAL, 1, "never", here)] * 2
    assert games[2:] == [Circumstances(PROCESSES, 1, "never", here)] * 2


@pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")
@pytest.mark.parametrize(
    ("agents", "in_worker", "isolations"),
    [
        (("random", "greedy"), False, ("never", "always", "never")),
        (("random", OWN), False, ("auto", "always", "auto")),
        (("random", OWN), True, ("auto", "always", "never")),
        ((OWN, OWN), False, ("always", "always", "always")),
        (("random", "human"), True, ("never", "always", "never")),
    ],
)
def test_isolation_is_what_comes_of_the_option(agents, in_worker, isolations):
    contest = Contest(make_game("tic_tac_toe"), agents, agents, in_worker=in_worker)
    for option, isolation in zip(ISOLATION, isolations):
        here = contest._replace(conditions=Conditions(isolate=option))
        assert here.isolation == isolation


@pytest.mark.parametrize("second", OTHERS, ids=str)
def test_a_report_of_limited_games_under_different_circumstances_says_so(second, tmp_path):
    path, page = tmp_path / "store.db", tmp_path / "report.html"
    store_with(path, second)
    parts = (f"3 games: {HERE}", f"1 game: {second or 'not recorded'}")
    text = " ".join(invoke(["report", path], COLUMNS="200").stdout.split())
    assert "under different circumstances" in text
    assert all(part in text for part in parts)
    invoke(["report", path, "--html", page])
    assert all(part in page.read_text() for part in parts)
    (report,) = json.loads(invoke(["report", path, "--json"]).stdout)["tournaments"]
    assert report["mixed_circumstances"] is True
    assert {each["games"]: each.get("machine") for each in report["circumstances"]} == {
        3: HERE.machine,
        1: second and second.machine,
    }


@pytest.mark.parametrize(
    ("second", "limits", "agents", "mixed"),
    [
        (HERE, Conditions(move_timeout=60.0), PLAN.agents, False),
        (OTHERS[0], USUAL, PLAN.agents, False),  # nothing looks at the clock
        (OTHERS[0], Conditions(memory_limit="4G"), PLAN.agents, True),
        (OTHERS[0], USUAL, ("alphabeta:time=0.001", "random"), True),
    ],
    ids=["the same", "no limits", "memory", "a time to think"],
)
def test_circumstances_matter_where_they_differ_and_something_is_limited(
    second, limits, agents, mixed, tmp_path
):
    store_with(tmp_path / "store.db", second, limits, agents)
    with Store(tmp_path / "store.db") as store:
        (report,) = report_store(store)
    assert report.mixed is mixed
    assert any("different circumstances" in each for each in report.warnings) is mixed


@pytest.mark.parametrize("name", agent_classes())
def test_every_agent_that_is_given_a_time_to_think_is_seen(name):
    parameters = agent_classes()[name].parameters
    options = {each.name: each.default for each in parameters}
    timed = {
        each.name: 0.5
        for each in parameters
        if each.help.startswith(("seconds a move", "seconds per move"))
    }
    assert depend_on_time({}, [options | timed]) is bool(timed)


@pytest.mark.parametrize("name", sorted(set(agent_classes()) - NEED_MORE))
def test_an_agent_without_any_limit_is_seen_where_it_thinks_by_the_clock(name):
    options = describe(make_agent(name)).options
    assert depend_on_time({}, [options]) is (name in BY_THE_CLOCK)
